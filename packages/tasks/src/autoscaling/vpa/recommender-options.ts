import { Problems } from '@trimtab/core'
import type { CappingPolicy } from './capping.js'
import type { ControlledResource } from './types.js'

const DAY_SECONDS = 86400

/** Percentiles of usage behind target and bounds. */
export interface Percentiles {
  readonly target: number
  readonly lowerBound: number
  readonly upperBound: number
}

/** Settings of a vertical recommender; the defaults are Kubernetes'. */
export interface VerticalRecommenderOptions {
  /** What is recommended. Default both. */
  readonly controlled?: readonly ControlledResource[]
  /** Default 0.9, 0.5 and 0.95. */
  readonly cpuPercentiles?: Percentiles
  /** Of the memory peaks. Default 0.9, 0.5 and 0.95. */
  readonly memoryPercentiles?: Percentiles
  /** Added to every percentile. Default 0.15. */
  readonly marginFraction?: number
  /** History after which a lower and an upper bound are trusted to a factor of 2. Default one day. */
  readonly confidenceIntervalSeconds?: number
  /** Default one day. */
  readonly cpuHalfLifeSeconds?: number
  /** Default one day. */
  readonly memoryHalfLifeSeconds?: number
  /** Window that has one memory peak. Default one day. */
  readonly memoryIntervalSeconds?: number
  /** Samples dated further from now than this, before or after, are refused; kills may be as old as a memory window. Default 600. */
  readonly sampleWindowSeconds?: number
  /** Windows after which a silent history is forgotten. Default 8. */
  readonly memoryIntervalCount?: number
  /** Default 1.2. */
  readonly oomBumpUpRatio?: number
  /** Default 100 MiB. */
  readonly oomMinBumpUpBytes?: number
  /** Containers that share the pod's minimum. Default 1. */
  readonly containersPerPod?: number
  /** Default 25. */
  readonly podMinCpuMilli?: number
  /** Default 250. */
  readonly podMinMemoryMiB?: number
  /** CPU is rounded up to a multiple. Default 1. */
  readonly roundCpuMilli?: number
  /** Memory is rounded up to a multiple. Default 1. */
  readonly roundMemoryBytes?: number
  /** CPU is rounded up to whole cores. Default false. */
  readonly integerCpu?: boolean
  /** Applied last. Default none. */
  readonly policy?: CappingPolicy
}

const PERCENTILES: Percentiles = { target: 0.9, lowerBound: 0.5, upperBound: 0.95 }

const DEFAULTS: Required<VerticalRecommenderOptions> = {
  controlled: ['cpu', 'memory'],
  cpuPercentiles: PERCENTILES,
  memoryPercentiles: PERCENTILES,
  marginFraction: 0.15,
  confidenceIntervalSeconds: DAY_SECONDS,
  cpuHalfLifeSeconds: DAY_SECONDS,
  memoryHalfLifeSeconds: DAY_SECONDS,
  memoryIntervalSeconds: DAY_SECONDS,
  sampleWindowSeconds: 600,
  memoryIntervalCount: 8,
  oomBumpUpRatio: 1.2,
  oomMinBumpUpBytes: 100 * 1024 * 1024,
  containersPerPod: 1,
  podMinCpuMilli: 25,
  podMinMemoryMiB: 250,
  roundCpuMilli: 1,
  roundMemoryBytes: 1,
  integerCpu: false,
  policy: {},
}

/**
 * Fills in the defaults.
 * @throws {ConfigError} `config_invalid` with every problem at once
 */
export function completeOptions(options: VerticalRecommenderOptions): Required<VerticalRecommenderOptions> {
  const complete = { ...DEFAULTS, ...options }
  const problems = new Problems()
  for (const name of [
    'confidenceIntervalSeconds',
    'cpuHalfLifeSeconds',
    'memoryHalfLifeSeconds',
    'memoryIntervalSeconds',
    'sampleWindowSeconds',
    'memoryIntervalCount',
    'containersPerPod',
    'roundCpuMilli',
    'roundMemoryBytes',
  ] as const) {
    problems.check(complete[name] > 0, `${name} must be > 0, got ${complete[name]}`)
  }
  for (const name of [
    'marginFraction',
    'oomBumpUpRatio',
    'oomMinBumpUpBytes',
    'podMinCpuMilli',
    'podMinMemoryMiB',
  ] as const) {
    problems.check(complete[name] >= 0, `${name} must be >= 0, got ${complete[name]}`)
  }
  for (const name of ['cpuPercentiles', 'memoryPercentiles'] as const) {
    for (const [field, share] of Object.entries(complete[name])) {
      problems.check(share >= 0 && share <= 1, `${name}.${field} must be within 0…1, got ${share}`)
    }
  }
  problems.throwIfAny('vertical recommender')
  return complete
}
