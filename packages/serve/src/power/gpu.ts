/** What a GPU says of itself now. A figure that the device does not offer is `undefined`, never 0. */
export interface GpuSample {
  /** Streaming-multiprocessor clock as measured, not as asked for. */
  readonly clockMhz: number | undefined
  readonly powerWatts: number | undefined
  /** Since the driver was loaded (or the simulation began); differences are exact where power is a moving average. */
  readonly energyJoules: number | undefined
  /** Share of the last sampling period in which a kernel ran. */
  readonly utilisation01: number | undefined
}

/**
 * One GPU whose streaming-multiprocessor clock can be set: by NVML (`@trimtab/nvml`), or simulated.
 *
 * Whoever locks a clock resets it on every way out: a locked clock outlives the process that set it.
 */
export interface GpuClock {
  /** Stable name: the UUID of a real device. */
  readonly name: string
  /** Clocks that the device accepts, ascending, MHz; at least one. The last is the maximum. */
  readonly supportedClocksMhz: readonly number[]
  /** @throws {AdapterError} the device is lost */
  read(): Promise<GpuSample>
  /**
   * Holds the clock at `mhz`, one of `supportedClocksMhz`. That it was accepted does not mean that it is honoured (power cap, heat):
   * `read` tells.
   *
   * @throws {AdapterError} not permitted, not supported, lost
   */
  lock(mhz: number): Promise<void>
  /** Gives the clock back to the driver. May be called twice, and without a lock. */
  reset(): Promise<void>
}

/** The supported clock nearest to `mhz` without going below it, so that a rounded clock is never slower than what was asked for. */
export function supportedClock(supportedClocksMhz: readonly number[], mhz: number): number {
  return supportedClocksMhz.find((clock) => clock >= mhz) ?? supportedClocksMhz.at(-1)!
}
