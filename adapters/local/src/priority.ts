import { writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * Sets how a process that leads a session of its own ranks against all others, −20 … 19. Where Linux shares CPUs between sessions
 * first (`sched_autogroup`), nice alone says nothing outside of its session: the session's own is set with it. Where the system does not
 * allow it, the process runs like the others.
 */
export function setNiceness(pid: number, niceness: number): void {
  for (const set of [() => setPriority(pid, niceness), () => writeFileSync(`/proc/${pid}/autogroup`, String(niceness))])
    try {
      set()
    } catch {
      // not allowed, not known here, or it is gone
    }
}
