import { type FrequencyScaler, type GpuClock, scaleFrequency } from '@trimtab/serve'
import type { Host } from '../host.js'
import type { LatencySource } from './latency-source.js'

/** One second of a run. What was not known is `undefined`. */
export interface RunTick {
  readonly seconds: number
  readonly latencyMs: number | undefined
  /** Why the latency is not known. */
  readonly problem: string | undefined
  readonly slack: number | undefined
  readonly action: 'up' | 'down' | 'same'
  /** What the scaler asked for; only a wish in a dry run. */
  readonly wantedMhz: number
  readonly clockMhz: number | undefined
  readonly powerWatts: number | undefined
  /** Since the run began. */
  readonly energyJoules: number | undefined
  readonly utilisation01: number | undefined
  readonly isScaleOutNeeded: boolean
}

export interface DriveOptions {
  readonly clock: GpuClock
  readonly scaler: FrequencyScaler
  readonly source: LatencySource
  readonly sloMs: number
  readonly intervalMs: number
  /** Stops after so many seconds. */
  readonly maxSeconds: number | undefined
}

/** Drives a GPU's clock by what a source tells of latency, until the source ends, the time is up or the host's signal is given. */
export async function* driveGpu(
  options: DriveOptions,
  host: Pick<Host, 'now' | 'wait' | 'signal'>,
): AsyncGenerator<RunTick> {
  const { clock, scaler, source, sloMs, intervalMs, maxSeconds = Number.POSITIVE_INFINITY } = options
  const startMs = host.now()
  const stop = new AbortController()
  const signal = AbortSignal.any([host.signal, stop.signal])
  let reading = await source.read(startMs, signal)
  let firstJoules: number | undefined
  const ticks = scaleFrequency({
    ...{ gpu: clock, scaler, signal },
    latencies: () => [{ name: 'latency', sloLatencyMs: sloMs, latencyMs: reading.latencyMs }],
    async nextTick() {
      await host.wait(intervalMs, signal)
      if (!signal.aborted) reading = await source.read(host.now(), signal)
    },
  })
  for await (const { decision, lockedMhz, sample } of ticks) {
    const seconds = (host.now() - startMs) / 1000
    firstJoules ??= sample.energyJoules
    yield {
      ...{ seconds, latencyMs: reading.latencyMs, problem: reading.problem },
      slack: Number.isNaN(decision.slack) ? undefined : decision.slack,
      ...{ action: decision.action, wantedMhz: lockedMhz, isScaleOutNeeded: decision.isScaleOutNeeded },
      ...{ clockMhz: sample.clockMhz, powerWatts: sample.powerWatts, utilisation01: sample.utilisation01 },
      energyJoules:
        sample.energyJoules === undefined || firstJoules === undefined ? undefined : sample.energyJoules - firstJoules,
    }
    if (reading.isEnd || seconds + intervalMs / 1000 > maxSeconds) stop.abort()
  }
}
