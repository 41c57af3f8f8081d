import { type Clock, ConfigError } from '@trimtab/core'
import type { GpuClock, GpuSample } from '../gpu.js'
import { busyWatts, type GpuLaw, idleWatts, type Work } from './gpu-law.js'

/** What a busy device draws when nothing is known of its load: half of the time on the cores, half on the memory. */
const TYPICAL_WORK: Work = { fixedMs: 0, coreMs: 0.8, memoryMs: 0.8 }

/** What a simulated GPU reports of itself. */
export interface SimulatedGpuOptions {
  readonly name?: string
  /** How busy it is now, 0…1; idle by default. */
  readonly utilisation01?: () => number
  /** What keeps it busy. */
  readonly work?: Work
}

/** A GPU that is not there: its clock can be set, its power follows the laws of `gpu-law`. For tests, demonstrations and dry runs. */
export class SimulatedGpu implements GpuClock {
  readonly name: string
  readonly supportedClocksMhz: readonly number[]
  readonly #law: GpuLaw
  readonly #clock: Clock
  readonly #utilisation01: () => number
  readonly #work: Work
  #clockMhz: number
  #millijoules = 0
  #readMs: number

  /** @param clock  milliseconds, for the energy counter */
  constructor(law: GpuLaw, clock: Clock, options: SimulatedGpuOptions = {}) {
    this.name = options.name ?? `simulated ${law.name}`
    this.supportedClocksMhz = law.clocksMhz
    this.#law = law
    this.#clock = clock
    this.#utilisation01 = options.utilisation01 ?? (() => 0)
    this.#work = options.work ?? TYPICAL_WORK
    this.#clockMhz = law.clocksMhz.at(-1)!
    this.#readMs = clock.now()
  }

  async read(): Promise<GpuSample> {
    const utilisation01 = this.#utilisation01()
    const powerWatts = this.#account(utilisation01)
    return { clockMhz: this.#clockMhz, powerWatts, energyJoules: this.#millijoules / 1000, utilisation01 }
  }

  /** @throws {ConfigError} `clock_unsupported` */
  async lock(mhz: number): Promise<void> {
    if (!this.supportedClocksMhz.includes(mhz)) {
      throw new ConfigError(
        'clock_unsupported',
        `${this.name} has no clock of ${mhz} MHz (take one of supportedClocksMhz)`,
      )
    }
    this.#account(this.#utilisation01())
    this.#clockMhz = mhz
  }

  async reset(): Promise<void> {
    await this.lock(this.supportedClocksMhz.at(-1)!)
  }

  #account(utilisation01: number): number {
    const idle = idleWatts(this.#law, this.#clockMhz)
    const watts = idle + utilisation01 * (busyWatts(this.#law, this.#work, this.#clockMhz) - idle)
    const nowMs = this.#clock.now()
    this.#millijoules += watts * (nowMs - this.#readMs)
    this.#readMs = nowMs
    return watts
  }
}
