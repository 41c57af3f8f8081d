import type { Controller, CoreMath } from '@trimtab/core'
import { LEVELS } from './processors.js'

/** One frequency for ever: 0 is nominal (no overclocking), `LEVELS - 1` turbo. */
export class FixedFrequency implements Controller {
  readonly name: string
  readonly #level: number

  constructor(level: number) {
    this.name = level === 0 ? 'nominal' : level === LEVELS - 1 ? 'turbo' : `level-${level}`
    this.#level = level
  }

  decide(_observation: Float32Array, out: Float32Array): void {
    out[0] = this.#level
  }
}

const PROBE_SECONDS = 3
const HOLD_SECONDS = 30
const SETTLED = 0.98 // SLO ratios from which no help is needed
const OTHER_PHASE = 0.2 // relative change of instructions at one frequency that noise does not explain

/**
 * Overclocks only what gains by it: SmartOverclock's aim without its learning, behind safeguards as SOL has them.
 *
 *     every 30 s         three seconds at nominal, then three at turbo: sensitivity = gain in instructions / gain in frequency
 *     sensitive enough   the chosen frequency for 30 s, else nominal
 *     safeguards         the SLOs hold at nominal: stay there; a measurement is missing or out of its range: nominal;
 *                        instructions are not what they were when probed (another phase): nominal, and probe anew
 */
export class OverclockingRule implements Controller {
  readonly name = 'overclocking-rule'
  readonly #math: CoreMath
  readonly #fullGain: number
  readonly #threshold: number
  readonly #overclocked: number
  #stage: 'nominal' | 'turbo' | 'hold' = 'nominal'
  #level = 0
  #seconds = 0
  #sum = 0 // instructions over the stage's seconds
  #needsHelp = false
  #atNominal = 0
  #expected = 0

  /**
   * @param turboOverNominal  ratio of the processor's frequencies, above 1
   * @param overclocked       the level for what gains by it; a third of the range has most of the gain and least of the power
   * @param threshold         sensitivity from which it pays
   */
  constructor(math: CoreMath, turboOverNominal: number, overclocked: number = 3, threshold: number = 0.5) {
    this.#math = math
    this.#fullGain = turboOverNominal - 1
    this.#overclocked = overclocked
    this.#threshold = threshold
  }

  beginEpisode(): void {
    this.#enter('nominal', 0)
  }

  decide(observation: Float32Array, out: Float32Array): void {
    const [logIps, use, , latency, throughput] = observation
    const isPlausible = Math.abs(logIps!) <= 1 && [use, latency, throughput].every((x) => x! >= 0 && x! <= 1)
    if (isPlausible) this.#take(this.#math.pow(10, logIps!), Math.min(latency!, throughput!) < SETTLED)
    else this.#enter('nominal', 0)
    out[0] = this.#level
  }

  #take(ips: number, needsHelp: boolean): void {
    this.#seconds++
    this.#sum += ips
    this.#needsHelp ||= needsHelp
    if (this.#stage === 'hold') {
      if (this.#seconds === 1) this.#expected = ips
      const isOther = Math.abs(ips - this.#expected) > OTHER_PHASE * this.#expected
      if (isOther || this.#seconds >= HOLD_SECONDS) this.#enter('nominal', 0)
    } else if (this.#seconds >= PROBE_SECONDS) this.#conclude(this.#sum / this.#seconds)
  }

  #conclude(ips: number): void {
    if (this.#stage === 'nominal') {
      this.#atNominal = ips
      if (this.#needsHelp) this.#enter('turbo', LEVELS - 1)
      else this.#enter('hold', 0)
    } else {
      const sensitivity = (ips / this.#atNominal - 1) / this.#fullGain
      if (sensitivity >= this.#threshold) this.#enter('hold', this.#overclocked)
      else this.#enter('hold', 0)
    }
  }

  #enter(stage: 'nominal' | 'turbo' | 'hold', level: number): void {
    this.#stage = stage
    this.#level = level
    this.#seconds = 0
    this.#sum = 0
    this.#needsHelp = false
  }
}
