import { readFileSync, writeFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

const MOST = 19 // and −20 least: what nice takes

/**
 * Sets how a process that leads a session of its own ranks against all others: so much nicer than this one, or less where it is negative.
 * Where Linux shares CPUs between sessions first (`sched_autogroup`), nice alone says nothing outside of its session: the session's own
 * is set with it. Where the system does not allow it, the process runs like the others.
 */
export function setNiceness(pid: number, niceness: number): void {
  attempt(() => setPriority(pid, Math.min(MOST, getPriority() + niceness)))
  attempt(() => {
    const own = /nice (-?\d+)/.exec(readFileSync('/proc/self/autogroup', 'utf8'))
    if (own) writeFileSync(`/proc/${pid}/autogroup`, String(Math.min(MOST, Number(own[1]) + niceness)))
  })
}

function attempt(set: () => void): void {
  try {
    set()
  } catch {
    // not allowed, not known here, or it is gone
  }
}
