import type { StandInClock } from './stand-in/clock.js'

/** Time that passes only by `advance`. */
export function fakeClock(startMs = Date.parse('2026-01-01T00:00:00Z')): {
  clock: StandInClock
  advance(milliseconds: number): void
} {
  let now = startMs
  const due = new Set<{ at: number; call: () => void }>()
  const clock = {
    now: () => now,
    after: (milliseconds: number, call: () => void) => {
      const entry = { at: now + milliseconds, call }
      due.add(entry)
      return () => void due.delete(entry)
    },
  }
  const advance = (milliseconds: number): void => {
    now += milliseconds
    for (const entry of [...due].filter(({ at }) => at <= now)) {
      if (due.delete(entry)) entry.call() // unless one before has called it off
    }
  }
  return { clock, advance }
}
