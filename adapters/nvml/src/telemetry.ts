import type { GpuSample } from '@trimtab/serve'

/** What holds the clock down, by the bit of `nvmlClocksEventReason…` (nvml.h). */
const REASONS = [
  [0x1n, 'idle'],
  [0x2n, 'application clocks'],
  [0x4n, 'power cap'],
  [0x8n, 'hardware slowdown'],
  [0x10n, 'sync boost'],
  [0x20n, 'software thermal'],
  [0x40n, 'hardware thermal'],
  [0x80n, 'power brake'],
  [0x100n, 'display clocks'],
] as const

/** What can hold a clock down, in words. */
export type ThrottleReason = (typeof REASONS)[number][1]

/** What NVML's bits say; bits that this version does not know are left out. */
export function throttleReasons(bits: bigint): ThrottleReason[] {
  return REASONS.filter(([bit]) => (bits & bit) !== 0n).map(([, reason]) => reason)
}

/** A reading of a real GPU. What it does not offer is `undefined`: utilisation under MIG, energy before Volta. */
export interface NvmlSample extends GpuSample {
  /** Seconds of the clock that was handed in. */
  readonly seconds: number
  readonly memoryClockMhz: number | undefined
  readonly memoryUtilisation01: number | undefined
  readonly temperatureCelsius: number | undefined
  readonly powerLimitWatts: number | undefined
  readonly throttleReasons: readonly ThrottleReason[] | undefined
  /** `counter`: the GPU's own, since the driver was loaded. `integrated`: power over time since the first reading. */
  readonly energySource: 'counter' | 'integrated' | undefined
}

/** Energy from power readings where a GPU has no counter: trapezoids between readings, so as exact as they are frequent. */
export class PowerIntegral {
  #joules = 0
  #last: { readonly seconds: number; readonly watts: number } | undefined

  /** @returns joules since the first reading; a reading without power is bridged */
  add(seconds: number, watts: number | undefined): number | undefined {
    if (watts !== undefined) {
      if (this.#last) this.#joules += ((watts + this.#last.watts) / 2) * (seconds - this.#last.seconds)
      this.#last = { seconds, watts }
    }
    return this.#last && this.#joules
  }
}
