import type { FrequencyDecision, FrequencyScaler, PartitionLatency } from './frequency-scaler.js'
import { type GpuClock, type GpuSample, supportedClock } from './gpu.js'

/** What one second of the loop did. */
export interface FrequencyTick {
  readonly decision: FrequencyDecision
  /** The supported clock that was asked for. */
  readonly lockedMhz: number
  /** Read after the clock was set. */
  readonly sample: GpuSample
}

/** What a loop over one GPU is made of; time and latencies come from outside. */
export interface FrequencyLoopOptions {
  readonly gpu: GpuClock
  readonly scaler: FrequencyScaler
  /** Latency of every partition on this GPU, asked for once before each decision. */
  readonly latencies: () => readonly PartitionLatency[]
  /** Resolves after one second, or at once when the signal is given: the host's timer or a test's. */
  readonly nextTick: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Drives a GPU's clock by Algorithm 6.3 until the signal is given or the caller stops listening. The clock is given back on every way
 * out of the loop, errors included; what ends the process is the host's to guard against.
 */
export async function* scaleFrequency(options: FrequencyLoopOptions): AsyncGenerator<FrequencyTick, void, void> {
  const { gpu, scaler, latencies, nextTick, signal } = options
  let lockedMhz = NaN
  try {
    while (!signal.aborted) {
      const decision = scaler.decide(latencies())
      const wantedMhz = supportedClock(gpu.supportedClocksMhz, decision.clockMhz)
      if (wantedMhz !== lockedMhz) await gpu.lock(wantedMhz)
      lockedMhz = wantedMhz
      yield { decision, lockedMhz, sample: await gpu.read() }
      await nextTick(signal)
    }
  } finally {
    await gpu.reset()
  }
}
