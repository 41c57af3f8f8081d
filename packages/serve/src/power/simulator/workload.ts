import { Problems, Random } from '@trimtab/core'
import type { ServeCore } from '@trimtab/core/serve'
import type { ServedModel } from './served-model.js'

/**
 * Output tokens over 512, cut at 1, of the Azure LLM inference trace 2023, conversations (CC-BY-4.0): its quantiles 0, 5, 25, 50, 75,
 * 90, 95, 98 and 100 %, straight between them.
 */
const LENGTH_QUANTILES: readonly (readonly [probability: number, share: number])[] = [
  [0, 0.02],
  [0.05, 0.08],
  [0.25, 0.16],
  [0.5, 0.23],
  [0.75, 0.77],
  [0.9, 0.82],
  [0.95, 0.87],
  [0.98, 1],
  [1, 1],
]

/** Which requests of a log come, in which order and when. */
export interface WorkloadOptions {
  /** Combined, of all models. */
  readonly ratePerSecond: number
  readonly durationSeconds: number
  readonly seed: number
  /** Coefficient of variation of the time between a model's requests: 1 is Poisson, the default; more is bursty. */
  readonly burstiness?: number
  /** Multiplies the rate at a moment, in seconds; 1 when absent. For Fig. 6.13's changing load. */
  readonly rateAt?: (seconds: number) => number
  /** Error of the length prediction: standard deviation of ln(predicted / true); 0.5 by default. */
  readonly predictionError?: number
}

/** Requests in order of arrival, one a row. */
export interface Workload {
  /** Seconds. */
  readonly arrival: Float64Array
  /** Index of the model. */
  readonly model: Int32Array
  /** Length of the request, of the model's full length: 0…1. */
  readonly share: Float64Array
  /** The same as predicted. */
  readonly predictedShare: Float64Array
  readonly durationSeconds: number
}

/**
 * Independent arrivals for each model (6.4.1). Every model gets the same share of GPU time: short models are asked more often. All
 * but models of images have requests of varying length.
 *
 * @throws {ConfigError} `config_invalid`
 */
export function createWorkload(core: ServeCore, models: readonly ServedModel[], options: WorkloadOptions): Workload {
  const { ratePerSecond, durationSeconds, seed, burstiness = 1, rateAt = () => 1, predictionError = 0.5 } = options
  const problems = new Problems()
  problems.check(models.length > 0, 'at least one model is needed')
  problems.check(ratePerSecond > 0 && ratePerSecond < Infinity, `ratePerSecond must be > 0, got ${ratePerSecond}`)
  problems.check(
    durationSeconds > 0 && durationSeconds < Infinity,
    `durationSeconds must be > 0, got ${durationSeconds}`,
  )
  problems.check(burstiness > 0 && burstiness < Infinity, `burstiness must be > 0, got ${burstiness}`)
  problems.check(
    predictionError >= 0 && predictionError < Infinity,
    `predictionError must be ≥ 0, got ${predictionError}`,
  )
  problems.throwIfAny('workload')
  const pace = models.reduce((sum, { latencyMs }) => sum + 1 / latencyMs, 0)
  const rows: { arrival: number; model: number; share: number; predictedShare: number }[] = []
  for (const [model, { latencyMs, hasLength }] of models.entries()) {
    const random = new Random(core, seed, model)
    const shape = 1 / burstiness ** 2 // gamma: variance / mean² of the gaps is 1 / shape
    const meanGap = (pace * latencyMs) / ratePerSecond
    let arrival = meanGap * random.uniform()
    while (arrival < durationSeconds) {
      const share = hasLength ? lengthShare(random.uniform()) : 1
      const predictedShare = share * core.math.exp(predictionError * random.normal())
      rows.push({ arrival, model, share, predictedShare })
      arrival += (meanGap * random.gamma(shape)) / shape / Math.max(rateAt(arrival), 1e-3)
    }
    random.dispose()
  }
  rows.sort((a, b) => a.arrival - b.arrival || a.model - b.model)
  return {
    arrival: Float64Array.from(rows, (row) => row.arrival),
    model: Int32Array.from(rows, (row) => row.model),
    share: Float64Array.from(rows, (row) => row.share),
    predictedShare: Float64Array.from(rows, (row) => row.predictedShare),
    durationSeconds,
  }
}

function lengthShare(probability: number): number {
  const above = LENGTH_QUANTILES.findIndex(([quantile]) => quantile > probability)
  const [p1, s1] = LENGTH_QUANTILES[above]!
  const [p0, s0] = LENGTH_QUANTILES[above - 1]!
  return s0 + ((probability - p0) / (p1 - p0)) * (s1 - s0)
}
