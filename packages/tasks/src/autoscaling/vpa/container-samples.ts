import type { DecayingHistogram } from './decaying-histogram.js'
import { MemoryPeaks, type OomBump, type SampleSink } from './memory-peaks.js'

/** Every CPU sample weighs the same, whatever was requested. */
const CPU_SAMPLE_WEIGHT = 0.1

/** Samples of one container on their way into histograms it may share with its replicas. */
export class ContainerSamples {
  readonly memory: MemoryPeaks
  readonly #cpu: Pick<DecayingHistogram, 'add'>
  #lastCpuSeconds = Number.NEGATIVE_INFINITY

  constructor(cpu: Pick<DecayingHistogram, 'add'>, memory: SampleSink, bump: OomBump) {
    this.#cpu = cpu
    this.memory = new MemoryPeaks(memory, bump)
  }

  /** @returns whether the sample counts: not when it is negative, no number, or not newer than the last one */
  addCpu(atSeconds: number, usageMilli: number): boolean {
    if (!(usageMilli >= 0) || !(atSeconds > this.#lastCpuSeconds)) return false
    this.#lastCpuSeconds = atSeconds
    this.#cpu.add(usageMilli / 1000, CPU_SAMPLE_WEIGHT, atSeconds)
    return true
  }
}

/** What is known of a container's history, for its expiry. */
export interface HistoryAge {
  readonly samples: number
  readonly lastSampleSeconds: number
  readonly creationSeconds: number
}

/** Whether a history is older than the whole window of memory peaks; one without samples ages from its creation. */
export function isExpired(
  { samples, lastSampleSeconds, creationSeconds }: HistoryAge,
  windowSeconds: number,
  nowSeconds: number,
): boolean {
  return nowSeconds - (samples === 0 ? creationSeconds : lastSampleSeconds) >= windowSeconds
}
