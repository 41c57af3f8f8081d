import type { CoreMath } from '@trimtab/core'

const BINS = 81
const BINS_PER_DEVIATION = 5
const MIDDLE = (BINS - 1) / 2
/** What a bin keeps of its weight each step: the memory is about a day of 15-second steps. */
const FORGETTING = 0.99985
/** Weight of what loads are like before this one was seen, in steps. */
const PRIOR_STEPS = 100
/** Weight of one step in the scale of surprises. */
const SCALE_RATE = 0.01
/** Share of counting noise in the scale: a base of two steps and the step itself. */
const COUNTING = 1.5
const LEAST_VARIANCE = 4e-4
const LEAST_RATE = 0.05 // requests per second: silence may end

/**
 * The load of the next step: the larger of the last two rates, and how far above it the next one may come. Surprises, in units of
 * their own running scale, are counted in a histogram that forgets, so their quantiles hold for any load whose surprises repeat;
 * before a load is known, those of a normal distribution with heavy tails stand in. A trend was tried and earned nothing.
 */
export class LoadForecast {
  readonly #math: CoreMath
  readonly #stepSeconds: number
  readonly #histogram = new Float64Array(BINS)
  #variance = 0.01
  #base = 0
  #lastRate = 0

  constructor(math: CoreMath, stepSeconds: number) {
    this.#math = math
    this.#stepSeconds = stepSeconds
    this.reset()
  }

  /** Knows no load any more. */
  reset(): void {
    for (let i = 0; i < BINS; i++) {
      const deviations = (i - MIDDLE) / BINS_PER_DEVIATION
      const normal = 0.08 * this.#math.exp((-deviations * deviations) / 2)
      this.#histogram[i] = PRIOR_STEPS * (normal + 0.002 * this.#math.exp(-Math.abs(deviations)))
    }
    this.#variance = 0.01
    this.#base = 0
    this.#lastRate = 0
  }

  /** Requests per second that the next step is expected to bring; never 0. */
  get base(): number {
    return this.#base
  }

  /** Takes in the rate of the step just ended, requests per second. */
  observe(rate: number): void {
    if (this.#base > 0 && rate > 0) {
      const surprise = this.#math.log(rate / this.#base)
      for (let i = 0; i < BINS; i++) this.#histogram[i]! *= FORGETTING
      const bin = Math.round(MIDDLE + (BINS_PER_DEVIATION * surprise) / this.#scale())
      this.#histogram[Math.max(0, Math.min(BINS - 1, bin))]! += 1
      const square = Math.min(surprise * surprise, 25 * (this.#variance + 0.001))
      this.#variance += SCALE_RATE * (Math.max(0, square - this.#countingVariance()) - this.#variance)
    }
    this.#base = Math.max(rate, this.#lastRate, LEAST_RATE)
    this.#lastRate = rate
  }

  /** The rate that the next step exceeds with probability `risk`, requests per second. */
  quantile(risk: number): number {
    let total = 0
    for (let i = 0; i < BINS; i++) total += this.#histogram[i]!
    let above = 0
    for (let i = BINS - 1; i >= 0; i--) {
      const weight = this.#histogram[i]!
      if (above + weight > risk * total) {
        const share = (risk * total - above) / weight
        return this.#base * this.#math.exp(((i + 0.5 - share - MIDDLE) / BINS_PER_DEVIATION) * this.#scale())
      }
      above += weight
    }
    return this.#base
  }

  #scale(): number {
    return Math.sqrt(this.#variance + this.#countingVariance() + LEAST_VARIANCE)
  }

  #countingVariance(): number {
    return COUNTING / Math.max(3, this.#base * this.#stepSeconds)
  }

  /** How many numbers `save` gives. */
  get stateSize(): number {
    return BINS + 3
  }

  /** Its state as numbers. */
  save(): Float64Array {
    return Float64Array.of(...this.#histogram, this.#variance, this.#base, this.#lastRate)
  }

  /** Goes on from the numbers that `save` gave. */
  load(state: Float64Array): void {
    this.#histogram.set(state.subarray(0, BINS))
    this.#variance = state[BINS]!
    this.#base = state[BINS + 1]!
    this.#lastRate = state[BINS + 2]!
  }
}
