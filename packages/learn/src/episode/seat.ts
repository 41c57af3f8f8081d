import type { Pilot } from './pilot.js'

/** Who decides now, and what happens when that one throws. */
export interface Seat {
  readonly pilot: Pilot
  /** The pilot threw. Either somebody else sits here afterwards, or this throws. */
  fail(failure: unknown): void
}

/** A seat for simulations: a pilot that throws there is a bug, and its error ends the run. */
export function strictSeat(pilot: Pilot): Seat {
  return {
    pilot,
    fail(failure) {
      throw failure
    },
  }
}
