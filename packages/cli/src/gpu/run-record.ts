import type { RunTick } from './drive.js'

export interface RunSummary {
  readonly seconds: number
  readonly ticks: number
  /** Of the ticks whose latency is known. */
  readonly sloAttainment01: number | undefined
  readonly unknownTicks: number
  readonly meanClockMhz: number | undefined
  readonly lowestWantedMhz: number
  readonly meanPowerWatts: number | undefined
  readonly energyJoules: number | undefined
}

/** Ticks that a record holds at most: five hours of seconds. */
const MOST_TICKS = 20_000

/** What a run comes to. It may last for months: sums of all ticks, and ticks ever further apart to plot. */
export class RunRecord {
  readonly #sloMs: number
  #ticks: RunTick[] = []
  #stride = 1
  #count = 0
  #last: RunTick | undefined
  #known = 0
  #kept = 0
  #lowestWantedMhz = Number.POSITIVE_INFINITY
  readonly #clockMhz = new Mean()
  readonly #powerWatts = new Mean()

  constructor(sloMs: number) {
    this.#sloMs = sloMs
  }

  /** Every tick, or every second, fourth, … where there were more than 20,000. */
  get ticks(): readonly RunTick[] {
    return this.#ticks
  }

  add(tick: RunTick): void {
    if (this.#count++ % this.#stride === 0) this.#ticks.push(tick)
    if (this.#ticks.length > MOST_TICKS) {
      this.#ticks = this.#ticks.filter((_, i) => i % 2 === 0)
      this.#stride *= 2
    }
    this.#last = tick
    if (tick.latencyMs !== undefined) {
      this.#known++
      if (tick.latencyMs <= this.#sloMs) this.#kept++
    }
    this.#lowestWantedMhz = Math.min(this.#lowestWantedMhz, tick.wantedMhz)
    this.#clockMhz.add(tick.clockMhz)
    this.#powerWatts.add(tick.powerWatts)
  }

  summarise(): RunSummary {
    return {
      seconds: this.#last?.seconds ?? 0,
      ticks: this.#count,
      sloAttainment01: this.#known > 0 ? this.#kept / this.#known : undefined,
      unknownTicks: this.#count - this.#known,
      meanClockMhz: this.#clockMhz.value,
      lowestWantedMhz: this.#lowestWantedMhz,
      meanPowerWatts: this.#powerWatts.value,
      energyJoules: this.#last?.energyJoules,
    }
  }
}

/** Of what is known. */
class Mean {
  #sum = 0
  #count = 0

  add(value: number | undefined): void {
    if (value === undefined) return
    this.#sum += value
    this.#count++
  }

  get value(): number | undefined {
    return this.#count > 0 ? this.#sum / this.#count : undefined
  }
}
