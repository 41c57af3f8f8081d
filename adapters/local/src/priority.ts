import { readFileSync, writeFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'

const MOST = 19 // and −20 least: what nice takes
const NEW = 0 // of a session that has just begun
const TRIES = 50
const BETWEEN_MS = 70

/**
 * Sets how a process that leads a new session ranks against all others: so much nicer than this one, or less where it is negative.
 * Where Linux shares CPUs between sessions first (`sched_autogroup`), nice alone says nothing outside of its session: the session's own
 * is set with it. Where the system does not allow it, the process runs like the others.
 */
export function setNiceness(pid: number, niceness: number): void {
  try {
    if (niceness !== 0) setPriority(pid, Math.min(MOST, getPriority() + niceness)) // else it has this one's already
  } catch {} // not allowed, or it is gone
  setSessionNiceness(pid, niceness, TRIES)
}

/** For who may not administer the system, Linux takes ten a second from all processes together, and answers the others to come again. */
function setSessionNiceness(pid: number, niceness: number, tries: number): void {
  try {
    const own = /nice (-?\d+)/.exec(readFileSync('/proc/self/autogroup', 'utf8'))
    const wanted = own ? Math.min(MOST, Number(own[1]) + niceness) : NEW
    if (wanted !== NEW) writeFileSync(`/proc/${pid}/autogroup`, String(wanted))
  } catch (error) {
    const isLater = (error as NodeJS.ErrnoException).code === 'EAGAIN' && tries > 1
    if (isLater) setTimeout(setSessionNiceness, BETWEEN_MS, pid, niceness, tries - 1).unref()
  } // else: not allowed, not known here, or it is gone
}
