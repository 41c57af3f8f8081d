import { type CoreMath, FormatError } from '@trimtab/core'
import { SteadyClock, type SteadyClockState } from '../steady-clock.js'
import { toAmount, toMillicores } from './amounts.js'
import { type Buckets, exponentialBuckets } from './buckets.js'
import { capToPolicy, toIntegerCpu } from './capping.js'
import { ContainerSamples, isExpired } from './container-samples.js'
import type { DecayingHistogramCheckpoint } from './decaying-histogram.js'
import { confidence, podMinimum, roundUpTo, withConfidence, withMinimum } from './estimators.js'
import { completeOptions, type VerticalRecommenderOptions } from './recommender-options.js'
import { ResourceUsage } from './resource-usage.js'
import type { ContainerRecommendation, ResourceAmounts } from './types.js'

const CHECKPOINT_VERSION = 2

/** A thousandth of the lightest sample: samples must outlive the window of memory peaks. */
const EPSILON = 0.0001

/** From 0.01 to 1000 cores, each bucket 5 % wider than the one before. */
export function cpuBuckets(math: CoreMath): Buckets {
  return exponentialBuckets(math, { maxValue: 1000, firstBucketSize: 0.01, ratio: 1.05, epsilon: EPSILON })
}

/** From 10 MB to 1 TB, each bucket 5 % wider than the one before. */
export function memoryBuckets(math: CoreMath): Buckets {
  return exponentialBuckets(math, { maxValue: 1e12, firstBucketSize: 1e7, ratio: 1.05, epsilon: EPSILON })
}

/** What a recommender keeps across a restart; plain data. Times are steady ones: they ignore steps of the clock. */
export interface VerticalRecommenderCheckpoint {
  readonly version: number
  /** `undefined`: no time was ever told. */
  readonly clock: SteadyClockState | undefined
  readonly firstSampleSeconds: number
  readonly lastSampleSeconds: number
  readonly samples: number
  readonly cpu: DecayingHistogramCheckpoint
  readonly memory: DecayingHistogramCheckpoint
}

/** A recommendation with all of its parts. */
export interface VerticalRecommendation extends ContainerRecommendation {
  readonly lowerBound: ResourceAmounts
  /** Empty while there is no history: nothing is too much then. */
  readonly upperBound: ResourceAmounts
  readonly uncappedTarget: ResourceAmounts
  /** Confidence intervals (days) of CPU history behind it, at one sample a minute; 0: none. */
  readonly confidence: number
  /** There is less than one interval of history: the bounds are wide and the target may still move a lot. */
  readonly hasLowConfidence: boolean
  /** Samples since the last recommendation that were not of now (`sampleWindowSeconds`): is a clock wrong? */
  readonly refusedSamples: number
}

/**
 * The recommender of the vertical pod autoscaler for one container of a workload: percentiles of decaying histograms of
 * CPU samples and of daily memory peaks, plus a margin.
 *
 * All replicas share it; samples of different replicas carry different `container` keys, so that each has its own
 * memory windows.
 *
 * @example
 * const vpa = new VerticalRecommender(core.math, { controlled: ['memory'] })
 * vpa.addMemorySample(15, 300e6)
 * vpa.recordOom(30, 320e6)
 * vpa.recommend(45).target.memoryBytes // p90 of the peaks + 15 %
 */
export class VerticalRecommender {
  readonly #math: CoreMath
  readonly #options: Required<VerticalRecommenderOptions>
  readonly #minimum: { readonly cpuMilli: number; readonly memoryBytes: number }
  readonly #cpu: ResourceUsage
  readonly #memory: ResourceUsage
  readonly #containers = new Map<string, ContainerSamples>()
  // As in Kubernetes, only CPU samples make a history.
  readonly #history = {
    firstSampleSeconds: 0,
    lastSampleSeconds: 0,
    samples: 0,
  }
  #lastAnySeconds = Number.NEGATIVE_INFINITY
  #clock: SteadyClock
  #refusedSamples = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(math: CoreMath, options: VerticalRecommenderOptions = {}) {
    const complete = completeOptions(options)
    const { cpuPercentiles, memoryPercentiles, marginFraction } = complete
    this.#math = math
    this.#options = complete
    this.#clock = new SteadyClock(complete.memoryIntervalSeconds)
    this.#minimum = podMinimum(complete.containersPerPod, complete.podMinCpuMilli, complete.podMinMemoryMiB)
    this.#cpu = new ResourceUsage(math, cpuBuckets(math), complete.cpuHalfLifeSeconds, {
      percentiles: cpuPercentiles,
      marginFraction,
      toAmount: toMillicores,
    })
    this.#memory = new ResourceUsage(math, memoryBuckets(math), complete.memoryHalfLifeSeconds, {
      percentiles: memoryPercentiles,
      marginFraction,
      toAmount,
    })
  }

  /**
   * What one container used of the CPU.
   * @param container  which replica's; its samples come in order of time
   * @param nowSeconds  what the clock says; default: the sample is of now
   * @returns whether the sample counts: not when it is negative, no number, not newer than the last one, or not of now
   */
  addCpuSample(atSeconds: number, usageMilli: number, container = '', nowSeconds: number = atSeconds): boolean {
    const steadySeconds = this.#date(atSeconds, nowSeconds)
    if (!this.#samplesOf(container).addCpu(steadySeconds, usageMilli)) return false
    const history = this.#history
    if (history.samples === 0 || steadySeconds < history.firstSampleSeconds) history.firstSampleSeconds = steadySeconds
    if (history.samples === 0 || steadySeconds > history.lastSampleSeconds) history.lastSampleSeconds = steadySeconds
    history.samples += 1
    return this.#note(steadySeconds)
  }

  /**
   * What one container holds of the memory.
   * @param nowSeconds  what the clock says; default: the sample is of now
   * @returns whether the sample counts: not when it is negative, no number, older than the last one, or not of now
   */
  addMemorySample(atSeconds: number, usageBytes: number, container = '', nowSeconds: number = atSeconds): boolean {
    const steadySeconds = this.#date(atSeconds, nowSeconds)
    return this.#samplesOf(container).memory.addUsage(steadySeconds, usageBytes) && this.#note(steadySeconds)
  }

  /**
   * A container was killed for lack of memory.
   * @param requestBytes  what it was given
   * @param nowSeconds  what the clock says; default: the event is of now
   * @returns whether the event counts: not when it is older than a memory window, or not of now
   */
  recordOom(atSeconds: number, requestBytes: number, container = '', nowSeconds: number = atSeconds): boolean {
    const steadySeconds = this.#date(atSeconds, nowSeconds, this.#options.memoryIntervalSeconds)
    return this.#samplesOf(container).memory.addOom(steadySeconds, requestBytes) && this.#note(steadySeconds)
  }

  /** Forgets which window a replica is in, once it is gone; its samples stay. */
  forgetContainer(container: string): void {
    this.#containers.delete(container)
  }

  /**
   * Target and bounds of each controlled resource that was ever sampled; a resource without samples is absent, never 0.
   * A history that has been silent for all memory windows is forgotten first. A longer pause between two calls than one
   * window counts as one: a clock that is wrong once does not cost the history.
   */
  recommend(nowSeconds: number): VerticalRecommendation {
    if (this.isExpired(nowSeconds)) this.reset()
    const { controlled, policy } = this.#options
    const target: Mutable<ResourceAmounts> = {}
    const lowerBound: Mutable<ResourceAmounts> = {}
    const upperBound: Mutable<ResourceAmounts> = {}
    const trust = confidence(this.#history, this.#options.confidenceIntervalSeconds)
    const hasHistory = trust > 0
    if (!this.#cpu.isEmpty && controlled.includes('cpu')) {
      this.#cpu.refresh()
      target.cpuMilli = this.#finishCpu(this.#cpu.target)
      lowerBound.cpuMilli = this.#finishCpu(this.#lower(this.#cpu.lowerBound, trust))
      if (hasHistory) upperBound.cpuMilli = this.#finishCpu(this.#upper(this.#cpu.upperBound, trust))
    }
    if (!this.#memory.isEmpty && controlled.includes('memory')) {
      this.#memory.refresh()
      target.memoryBytes = this.#finishMemory(this.#memory.target)
      lowerBound.memoryBytes = this.#finishMemory(this.#lower(this.#memory.lowerBound, trust))
      if (hasHistory) upperBound.memoryBytes = this.#finishMemory(this.#upper(this.#memory.upperBound, trust))
    }
    const recommendation = {
      target,
      lowerBound,
      upperBound,
      uncappedTarget: target,
      confidence: trust,
      hasLowConfidence: trust < 1,
      refusedSamples: this.#refusedSamples,
    }
    this.#refusedSamples = 0
    return hasBounds(policy) ? (capToPolicy(recommendation, policy) as VerticalRecommendation) : recommendation
  }

  /** Nothing was sampled during the last memory windows (8 days). */
  isExpired(nowSeconds: number): boolean {
    this.#clock.read(nowSeconds)
    const { memoryIntervalSeconds, memoryIntervalCount } = this.#options
    if (this.#lastAnySeconds === Number.NEGATIVE_INFINITY) return false
    const age = { samples: 1, lastSampleSeconds: this.#lastAnySeconds, creationSeconds: 0 }
    return isExpired(age, memoryIntervalSeconds * memoryIntervalCount, this.#clock.steadySeconds)
  }

  /** Forgets everything. */
  reset(): void {
    this.#cpu.clear()
    this.#memory.clear()
    this.#containers.clear()
    this.#clock = new SteadyClock(this.#options.memoryIntervalSeconds)
    this.#history.samples = 0
    this.#lastAnySeconds = Number.NEGATIVE_INFINITY
  }

  /** What is known, for `load` after a restart. */
  save(): VerticalRecommenderCheckpoint {
    const usage = { cpu: this.#cpu.save(), memory: this.#memory.save() }
    return { version: CHECKPOINT_VERSION, clock: this.#clock.save(), ...this.#history, ...usage }
  }

  /**
   * Replaces what is known by a checkpoint. Weights come back to within 1/10000 of the heaviest bucket.
   * @throws {FormatError} `checkpoint_version`, `checkpoint_invalid`
   */
  load(checkpoint: VerticalRecommenderCheckpoint): void {
    if (checkpoint.version !== CHECKPOINT_VERSION) {
      throw new FormatError(
        'checkpoint_version',
        `recommender checkpoint has version ${checkpoint.version}, this code reads ${CHECKPOINT_VERSION} (start without it)`,
      )
    }
    this.reset()
    this.#cpu.load(checkpoint.cpu)
    this.#memory.load(checkpoint.memory)
    const { firstSampleSeconds, lastSampleSeconds, samples, clock } = checkpoint
    this.#clock = new SteadyClock(this.#options.memoryIntervalSeconds, clock)
    Object.assign(this.#history, { firstSampleSeconds, lastSampleSeconds, samples })
    if (samples > 0) this.#lastAnySeconds = lastSampleSeconds
  }

  /** The steady time of a sample; NaN, which counts nowhere: it is not of now. */
  #date(atSeconds: number, nowSeconds: number, maxAgeSeconds = this.#options.sampleWindowSeconds): number {
    if (nowSeconds - atSeconds <= maxAgeSeconds && atSeconds - nowSeconds <= this.#options.sampleWindowSeconds) {
      this.#clock.read(nowSeconds)
      return this.#clock.toSteady(atSeconds)
    }
    this.#refusedSamples += 1
    return Number.NaN
  }

  /** Something counted. */
  #note(steadySeconds: number): true {
    this.#lastAnySeconds = Math.max(this.#lastAnySeconds, steadySeconds)
    return true
  }

  #samplesOf(container: string): ContainerSamples {
    let samples = this.#containers.get(container)
    if (samples === undefined) {
      const { memoryIntervalSeconds: intervalSeconds, oomBumpUpRatio, oomMinBumpUpBytes } = this.#options
      const bump = { intervalSeconds, oomBumpUpRatio, oomMinBumpUpBytes }
      samples = new ContainerSamples(this.#cpu, this.#memory, bump)
      this.#containers.set(container, samples)
    }
    return samples
  }

  /** × (1 + 0.001 / confidence)^−2: with little history a pod is not made to grow. */
  #lower(amount: number, trust: number): number {
    return withConfidence(this.#math, amount, trust, 0.001, -2)
  }

  /** × (1 + 1 / confidence): with little history a pod is not made to shrink. */
  #upper(amount: number, trust: number): number {
    return withConfidence(this.#math, amount, trust, 1, 1)
  }

  #finishCpu(amount: number): number {
    const rounded = roundUpTo(withMinimum(amount, this.#minimum.cpuMilli), this.#options.roundCpuMilli)
    return this.#options.integerCpu ? toIntegerCpu(rounded) : rounded
  }

  #finishMemory(amount: number): number {
    return roundUpTo(withMinimum(amount, this.#minimum.memoryBytes), this.#options.roundMemoryBytes)
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

function hasBounds({
  minAllowed,
  maxAllowed,
  globalMaxAllowed,
}: Required<VerticalRecommenderOptions>['policy']): boolean {
  return minAllowed !== undefined || maxAllowed !== undefined || globalMaxAllowed !== undefined
}
