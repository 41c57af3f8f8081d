import type { Controller } from '@trimtab/core'
import { towards } from './rate-actuator.js'
import type { CongestionEnvironment } from './simulator.js'
import { FEATURES } from './spaces.js'

/** Whether the last interval can be believed: its features are the newest of the observation, and the guard blanks what is not. */
function isBelieved(observation: Float32Array): boolean {
  for (let i = observation.length - FEATURES.length; i < observation.length; i++) {
    if (Number.isNaN(observation[i])) return false
  }
  return true
}

/** Knows the link and goes to a share of its bandwidth. For scale: nothing on a real network knows that. */
export class CapacityOracle implements Controller {
  readonly name = 'capacity-oracle'
  readonly #world: CongestionEnvironment
  readonly #share: number

  constructor(world: CongestionEnvironment, share = 0.95) {
    this.#world = world
    this.#share = share
  }

  decide(_observation: Float32Array, out: Float32Array): void {
    out[0] = towards(this.#world.rate, this.#share * this.#world.bandwidth, this.#world.rateStep)
  }
}

/** One sending rate for ever, packets per second, as soon as actions of ±1 reach it. */
export class FixedRate implements Controller {
  readonly name = 'fixed-rate'
  readonly #world: CongestionEnvironment
  readonly #rate: number

  constructor(world: CongestionEnvironment, rate: number) {
    this.#world = world
    this.#rate = rate
  }

  decide(_observation: Float32Array, out: Float32Array): void {
    out[0] = towards(this.#world.rate, this.#rate, this.#world.rateStep)
  }
}

const CALM = 1.1 // latency over the least known, below which there is room
const QUEUED = 1.25 // above which a queue has built up
const CONGESTED = 0.15 // share of losses that chance alone is not believed to cause

/**
 * A rate rule in the manner of TCP Vegas: faster while latency is near the least known, slower when a queue has built up.
 * Losses say nothing until they are more than chance explains.
 */
export class DelayRule implements Controller {
  readonly name = 'delay-rule'
  readonly #world: CongestionEnvironment
  #loss = 0 // slow mean

  constructor(world: CongestionEnvironment) {
    this.#world = world
  }

  beginEpisode(): void {
    this.#loss = 0
  }

  decide(observation: Float32Array, out: Float32Array): void {
    if (!isBelieved(observation)) {
      out[0] = Number.NaN // hold
      return
    }
    const { lost, acked } = this.#world.interval
    if (lost + acked > 0) this.#loss += 0.2 * (lost / (lost + acked) - this.#loss)
    const ratio = observation[observation.length - 2]!
    out[0] = ratio > QUEUED || this.#loss > CONGESTED ? -1 : ratio < CALM ? 1 : 0
  }
}

const RECOVERY = 3 // intervals, half a round trip each, in which a halved rate has not shown yet

/** TCP's rule on a rate: one packet more a round trip, half as much after a loss of any kind. It asks for more than ±1 when it halves. */
export class AimdRate implements Controller {
  readonly name = 'aimd-rate'
  readonly #world: CongestionEnvironment
  #recovering = 0

  constructor(world: CongestionEnvironment) {
    this.#world = world
  }

  beginEpisode(): void {
    this.#recovering = 0
  }

  decide(observation: Float32Array, out: Float32Array): void {
    if (!isBelieved(observation)) {
      out[0] = Number.NaN // hold
      return
    }
    const { rate, rateStep, interval } = this.#world
    this.#recovering--
    if (interval.lost > 0 && this.#recovering <= 0) {
      this.#recovering = RECOVERY
      out[0] = -1 / rateStep
    } else out[0] = interval.meanLatency > 0 ? 0.5 / interval.meanLatency / rate / rateStep : 0
  }
}
