import type { NvmlGpu } from './gpu.js'
import type { NvmlSample } from './telemetry.js'

/** How often a GPU is read, and by what time. */
export interface WatchOptions {
  readonly intervalMs: number
  readonly signal: AbortSignal
  /** Seconds of a monotone clock. */
  readonly now: () => number
  /** Resolves after so many milliseconds, or early when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** A reading every interval until the signal is aborted; one that took long shortens the wait after it. */
export async function* watchGpu(gpu: NvmlGpu, options: WatchOptions): AsyncGenerator<NvmlSample> {
  const { intervalMs, signal, now, wait } = options
  for (let due = now(); !signal.aborted; ) {
    yield gpu.sample(now())
    due = Math.max(due + intervalMs / 1000, now())
    await wait((due - now()) * 1000, signal)
  }
}
