/** Resolves after so many milliseconds, or as soon as the signal aborts. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>

/**
 * Sleeps by the host's timer: the one place in this package that reaches for it, so that a loop which is given nothing else never
 * spins against a system that refuses at once. Tests and simulations of time pass their own.
 */
export const sleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const timer = setTimeout(wake, milliseconds)
    signal.addEventListener('abort', wake)
    if (signal.aborted) wake()
  })

const FIRST_MS = 100
const LONGEST_MS = 30_000

/** How long to wait after so many failures in a row: 0.1 s, 0.2 s, 0.4 s, … half a minute. */
export const backOffMs = (failures: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1))
