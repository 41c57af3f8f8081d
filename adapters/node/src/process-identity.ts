import { readFileSync, readlinkSync } from 'node:fs'
import process from 'node:process'

/** A process beyond its number, which the system gives to others in time. */
export interface ProcessIdentity {
  readonly pid: number
  /** Clock ticks since boot, as /proc tells; `undefined` where there is none. */
  readonly startTime: string | undefined
  /** Containers count their processes apart: the same number is another process there. */
  readonly pidNamespace: string | undefined
}

/** Of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: statOf(process.pid)?.startTime, pidNamespace: ownNamespace() }
}

/**
 * Whether a process still runs. `unknown` in another pid namespace, which cannot be asked. One that was killed and that its parent
 * has not yet collected (a zombie) is dead.
 */
export function stateOf({ pid, startTime, pidNamespace }: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  const here = ownNamespace()
  if (pidNamespace !== undefined && here !== undefined && pidNamespace !== here) return 'unknown'
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Any other refusal (EPERM: another user's) comes from a process that is there.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'dead'
  }
  const stat = statOf(pid)
  if (!stat) return 'alive'
  if (startTime !== undefined && stat.startTime !== startTime) return 'dead'
  return stat.isZombie ? 'dead' : 'alive'
}

/** When a process began, as `ProcessIdentity` has it; `undefined` where it is not there, or may not be asked. */
export const startTimeOf = (pid: number): string | undefined => statOf(pid)?.startTime

/** /proc/PID/stat of proc(5): the name in parentheses may itself hold spaces and parentheses. */
function statOf(pid: number): { readonly startTime: string | undefined; readonly isZombie: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ') // from field 3, the state
    return { startTime: fields[22 - 3], isZombie: fields[0] === 'Z' || fields[0] === 'X' }
  } catch {
    return undefined // no /proc here, or none of it may be read
  }
}

function ownNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return undefined
  }
}
