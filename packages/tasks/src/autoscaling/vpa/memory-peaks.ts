import { scaleAmount, toAmount } from './amounts.js'

/** Where samples go: a decaying histogram. */
export interface SampleSink {
  /** Takes a sample of `atSeconds`. */
  add(value: number, weight: number, atSeconds: number): void
  /** Takes back a sample that was added with this time. */
  subtract(value: number, weight: number, atSeconds: number): void
}

/** By how much a kill for lack of memory raises the peak. */
export interface OomBump {
  /** Length of the window that has one peak. */
  readonly intervalSeconds: number
  readonly oomBumpUpRatio: number
  readonly oomMinBumpUpBytes: number
}

/**
 * The memory of one container as one peak per window.
 *
 * A peak is a sample dated to the end of its window; a higher one within the window replaces it.
 */
export class MemoryPeaks {
  readonly #sink: SampleSink
  readonly #bump: OomBump
  #usagePeakBytes = 0
  #oomPeakBytes = 0
  #windowEndSeconds: number | undefined
  #lastSampleSeconds = Number.NEGATIVE_INFINITY

  constructor(sink: SampleSink, bump: OomBump) {
    this.#sink = sink
    this.#bump = bump
  }

  /** @returns whether the sample counts: not when it is negative, no number, or older than the last one */
  addUsage(atSeconds: number, usageBytes: number): boolean {
    if (!(usageBytes >= 0) || !(atSeconds >= this.#lastSampleSeconds)) return false
    if (this.#takePeak(atSeconds, usageBytes)) this.#usagePeakBytes = usageBytes
    return true
  }

  /**
   * Notes a kill for lack of memory as a peak above what was requested or used: the larger of +100 MiB and +20 %.
   * Earlier bumps do not count as use, so that repeated kills do not run away.
   * @returns whether it counts: not when it is older than the last sample by more than a window
   */
  addOom(atSeconds: number, requestBytes: number): boolean {
    const { intervalSeconds, oomBumpUpRatio, oomMinBumpUpBytes } = this.#bump
    if (!(requestBytes >= 0) || !(atSeconds >= this.#lastSampleSeconds - intervalSeconds)) return false
    const usedBytes = Math.max(requestBytes, this.#usagePeakBytes)
    const neededBytes = Math.max(usedBytes + toAmount(oomMinBumpUpBytes), scaleAmount(usedBytes, oomBumpUpRatio))
    if (this.#takePeak(atSeconds, neededBytes)) this.#oomPeakBytes = neededBytes
    return true
  }

  /** Moves the window on when it is over, and whether `bytes` is the new peak of the window. */
  #takePeak(atSeconds: number, bytes: number): boolean {
    this.#lastSampleSeconds = atSeconds
    const endSeconds = this.#windowEndSeconds
    if (endSeconds !== undefined && atSeconds < endSeconds) {
      const peakBytes = Math.max(this.#usagePeakBytes, this.#oomPeakBytes)
      if (bytes <= peakBytes) return false
      this.#sink.subtract(peakBytes, 1, endSeconds)
    } else {
      const startSeconds = endSeconds ?? atSeconds
      const { intervalSeconds } = this.#bump
      const windows = Math.floor((atSeconds - startSeconds) / intervalSeconds) + 1
      this.#windowEndSeconds = startSeconds + windows * intervalSeconds
      this.#usagePeakBytes = 0
      this.#oomPeakBytes = 0
    }
    this.#sink.add(bytes, 1, this.#windowEndSeconds!)
    return true
  }
}
