const DAY_SECONDS = 86_400
/** Days that are remembered. */
const DAYS = 3
/** The season lifts or lowers with what the last half hour was against it, within these factors. */
const LEVEL_SECONDS = 1800
const LEVEL = [0.5, 2] as const
/** The departure of now from the season is a mean of so many steps; its trend the difference to as many before. */
const DEPARTURE_STEPS = 4

/**
 * A forecast of a rate, requests a second: the same time of the days before, lifted to the level of the last half hour, plus how
 * far the last minute departs from that, plus the trend of the departure.
 */
export class SeasonalForecast {
  readonly #binSeconds: number
  readonly #binsPerDay: number
  readonly #means: Float64Array // of each bin of the last days, in a ring; NaN: not seen
  readonly #recent = new Float64Array(2 * DEPARTURE_STEPS) // rates, the newest first
  #bin = -1
  #sum = 0
  #count = 0
  #level: number | undefined // of the bin of now

  constructor(stepSeconds: number) {
    const stepsPerBin = Math.max(1, Math.round(60 / stepSeconds))
    this.#binSeconds = stepsPerBin * stepSeconds
    this.#binsPerDay = Math.round(DAY_SECONDS / this.#binSeconds)
    this.#means = new Float64Array((DAYS + 1) * this.#binsPerDay).fill(Number.NaN)
  }

  /** Takes in the rate of the step that ended at a moment. */
  observe(timeSeconds: number, rate: number): void {
    const bin = Math.floor((timeSeconds - 1e-6) / this.#binSeconds)
    if (bin < this.#bin) this.reset()
    if (this.#bin < 0 || bin > this.#bin + 1) this.#recent.fill(rate) // nothing is known of the minutes before
    if (bin !== this.#bin) this.#enter(bin)
    this.#sum += rate
    this.#count++
    this.#means[bin % this.#means.length] = this.#sum / this.#count
    this.#recent.copyWithin(1, 0)
    this.#recent[0] = rate
  }

  #enter(bin: number): void {
    const skipped = this.#bin < 0 ? 0 : Math.min(this.#means.length, bin - this.#bin - 1)
    for (let i = 1; i <= skipped; i++) this.#means[(bin - i + this.#means.length) % this.#means.length] = Number.NaN
    this.#bin = bin
    this.#level = this.#findLevel()
    this.#sum = 0
    this.#count = 0
  }

  /** The largest rate of the next `leadSeconds`; `undefined` while there is no day before to tell it from. */
  peak(leadSeconds: number): number | undefined {
    const level = this.#level
    if (level === undefined) return undefined
    const now = level * (this.#season(this.#bin) ?? 0)
    const [latest, before] = [this.#departure(0, now), this.#departure(DEPARTURE_STEPS, now)]
    // The trend of one minute is not believed for longer than another one.
    const departure = latest + Math.max(0, latest - before) * Math.min(1, leadSeconds / this.#binSeconds)
    let peak = 0
    for (let ahead = 0; ahead <= Math.ceil(leadSeconds / this.#binSeconds); ahead++) {
      const season = this.#season(this.#bin + ahead)
      if (season !== undefined) peak = Math.max(peak, level * season)
    }
    return Math.max(0, peak + departure)
  }

  /** What the last half hour was against the days before. */
  #findLevel(): number | undefined {
    let [seen, expected] = [0, 0]
    for (let back = 1; back <= Math.round(LEVEL_SECONDS / this.#binSeconds); back++) {
      const season = this.#season(this.#bin - back)
      const mean = this.#meanOf(this.#bin - back)
      if (season === undefined || Number.isNaN(mean)) continue
      seen += mean
      expected += season
    }
    if (this.#season(this.#bin) === undefined) return undefined
    return expected > 0 ? Math.min(LEVEL[1], Math.max(LEVEL[0], seen / expected)) : 1
  }

  #departure(from: number, expected: number): number {
    let sum = 0
    for (let i = from; i < from + DEPARTURE_STEPS; i++) sum += this.#recent[i]!
    return sum / DEPARTURE_STEPS - expected
  }

  /** Mean of a bin on the days before it. */
  #season(bin: number): number | undefined {
    let [sum, days] = [0, 0]
    for (let day = 1; day <= DAYS; day++) {
      const mean = this.#meanOf(bin - day * this.#binsPerDay)
      if (Number.isNaN(mean)) continue
      sum += mean
      days++
    }
    return days > 0 ? sum / days : undefined
  }

  #meanOf(bin: number): number {
    return bin < 0 ? Number.NaN : this.#means[bin % this.#means.length]!
  }

  /** Forgets everything. */
  reset(): void {
    this.#means.fill(Number.NaN)
    this.#bin = -1
    this.#level = undefined
    this.#sum = 0
    this.#count = 0
  }
}
