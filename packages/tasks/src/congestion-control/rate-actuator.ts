import type { Actuator, Quantity } from '@trimtab/core'

/** The action that takes the rate from `from` to `to`, within what one action of ±1 can do. */
export function towards(from: number, to: number, rateStep: number): number {
  const action = to >= from ? (to / from - 1) / rateStep : (1 - from / to) / rateStep
  return Math.max(-1, Math.min(1, action))
}

/** A sender whose rate is steered: packets per second. */
export interface RateSender {
  readonly rate: number
  /** Relative change of the rate at an action of 1. */
  readonly rateStep: number
  /** The rate that an action asks for, within the sender's bounds. */
  rateAfter(change: number): number
}

/** Says what a change of the rate means in packets per second, and brings a rate into force that no action asks for. */
export class RateActuator implements Actuator {
  /** The bounds of a rate are drawn with each episode. */
  readonly quantities: readonly Quantity[] = [
    { name: 'packetsPerSecond', low: 0, high: Number.POSITIVE_INFINITY, isWhole: false },
  ]
  readonly #sender: RateSender
  #overruled = Number.NaN

  constructor(sender: RateSender) {
    this.#sender = sender
  }

  inForce(out: Float64Array): void {
    out[0] = this.#sender.rate
  }

  toUnits(action: Float32Array, out: Float64Array): void {
    this.#overruled = Number.NaN
    out[0] = this.#sender.rateAfter(action[0]!)
  }

  overrule(units: Float64Array, action: Float32Array): void {
    this.#overruled = units[0]!
    action[0] = towards(this.#sender.rate, units[0]!, this.#sender.rateStep)
  }

  /** The rate that a step brings into force: what `action` asks for, unless it was overruled. */
  take(action: Float32Array): number {
    const rate = Number.isNaN(this.#overruled) ? this.#sender.rateAfter(action[0]!) : this.#overruled
    this.#overruled = Number.NaN
    return rate
  }

  /** Withdraws what has not been carried out. */
  reset(): void {
    this.#overruled = Number.NaN
  }
}
