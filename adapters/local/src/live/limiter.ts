import type { PodSize } from '@trimtab/tasks/autoscaling'

/** Holds processes to the size of a pod: CPU time, and memory beyond which they are killed. */
export interface Limiter {
  /** By what it does so. */
  readonly name: string
  /** Holds a process from now on. @throws {AdapterError} as the host says */
  hold(pid: number, size: Readonly<PodSize>): Promise<Hold>
  /** What it has made and is still there; for who wants to know whether all was undone. */
  readonly leftovers: readonly string[]
  /** Lets all go. May be called twice. */
  dispose(): void
}

/** One process that is held. */
export interface Hold {
  /** Holds it to another size. @throws {AdapterError} as the host says: it may have ended */
  set(size: Readonly<PodSize>): Promise<void>
  /** Whether it was killed for its memory. */
  readonly wasKilled: boolean
  /** Call when it has ended. */
  release(): void
}

/** How a limiter is chosen, and who is told of what it undoes. */
export interface LimiterOptions {
  /** Where the journal of changes lies; default: the machine's. */
  readonly stateFolder?: string
  /** Told what was undone for a dead process, and what ended without being told to. Default: nobody is. */
  readonly onNotice?: (message: string) => void
}
