import type { Clock } from '@trimtab/core'

/** A clock that can also call back. */
export interface TimerClock extends Clock {
  /** Calls once, after at least this many ms; what comes back takes the call off again, any number of times. */
  callAfter(delayMs: number, callback: () => void): () => void
}

const LONGEST_TIMEOUT_MS = 2 ** 31 - 1 // what lies further ahead would be called at once

/** The host's own clock: the default of everything here that waits. */
export const systemClock: TimerClock = {
  now: () => performance.now(),
  callAfter(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(delayMs, LONGEST_TIMEOUT_MS))
    return () => clearTimeout(timer)
  },
}
