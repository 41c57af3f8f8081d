// Time is an argument: simulated hours can pass in a minute.

export interface StandInClock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls after so many milliseconds; the returned function calls it off. */
  after(milliseconds: number, call: () => void): () => void
}

export const hostClock: StandInClock = {
  now: () => Date.now(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds)
    return () => clearTimeout(timer)
  },
}
