import type { CoreMath } from '@trimtab/core'
import { GRID_UTILISATION, GridPoint } from './grid.js'
import { type LatencyPrior, LOG_RATIO_RANGE } from './prior.js'

/** ln(p99 / SLO) as believed, and how sure that is. */
export interface LatencyPrediction {
  mean: number
  /** Of the law itself: it falls as more is seen near here. */
  variance: number
}

const MAX_UTILISATION = GRID_UTILISATION[GRID_UTILISATION.length - 1]!
/** Beyond the grid: what overload adds to ln(p99 / SLO) per unit of utilisation. */
const OVERLOAD_SLOPE = 3
/** Share of what the components leave over that a prediction answers for: neighbours see most of it. */
const RESIDUAL_SHARE = 0.05
/** Variance that a step adds to each coefficient: services are patched. */
const DRIFT = 1e-6
/** An observation counts at most this many deviations from what was expected. */
const OUTLIER = 3
/** Weight of one step in what the service lies above the law where it runs: kinks that components round off. */
const OFFSET_RATE = 0.02
/** Weight of one step in the two kinds of noise. */
const NOISE_RATE = 1e-3
const SAMPLING = { start: 4, low: 0.5, high: 4 } as const
const DISPERSION = { start: 0.004, low: 4e-4, high: 0.2 } as const
/** Only where the law is known this well do its residuals tell of noise. */
const KNOWN_VARIANCE = 0.05

/**
 * What a service's latency law is believed to be: Gaussian coefficients over the components of a prior, updated by each measured
 * p99 (a Kalman filter; residuals move it on line). Two kinds of noise are told apart: that of a p99 of few requests, a / N, and
 * how much the true p99 itself scatters.
 */
export class LatencyBelief {
  /** Coefficients [K]: the embedding of this service in the pool of laws that the prior was learned from. */
  readonly coefficients: Float64Array
  readonly #covariance: Float64Array // [K, K]
  readonly #table: Float64Array // [nodes, K + 2]: mean, residual and components of each node side by side
  readonly #point: GridPoint
  readonly #features: Float64Array // [K], the components at the point last asked for
  readonly #gain: Float64Array // [K]
  readonly #prediction: LatencyPrediction = { mean: 0, variance: 0 }
  #residual = 0 // what the components leave over at the point last asked for
  #offset = 0 // ln(p99 / SLO) above the law, lately
  #sampling: number = SAMPLING.start
  #dispersion: number = DISPERSION.start

  constructor(math: CoreMath, prior: LatencyPrior) {
    const size = prior.components.length
    this.#table = tableOf(prior)
    this.#point = new GridPoint(math)
    this.coefficients = new Float64Array(size)
    this.#covariance = new Float64Array(size * size)
    this.#features = new Float64Array(size)
    this.#gain = new Float64Array(size)
    this.reset()
  }

  /** Back to the prior. */
  reset(): void {
    const size = this.coefficients.length
    this.coefficients.fill(0)
    this.#offset = 0
    this.#covariance.fill(0)
    for (let k = 0; k < size; k++) this.#covariance[k * size + k] = 1
    this.#sampling = SAMPLING.start
    this.#dispersion = DISPERSION.start
  }

  /** Variance of ln p99 as measured over `requests`, around the true one. */
  samplingVariance(requests: number): number {
    return Math.max(SAMPLING.low, Math.min(SAMPLING.high, this.#sampling)) / Math.max(1, requests)
  }

  /** Variance of the true ln p99 around the law. */
  get dispersion(): number {
    return Math.max(DISPERSION.low, Math.min(DISPERSION.high, this.#dispersion))
  }

  /**
   * ln(p99 / SLO) of pods of a size at a utilisation; the answer is reused by the next call.
   * @param cores        CPU limit of a pod
   * @param utilisation  work that arrives per second over the limit
   */
  predict(cores: number, utilisation: number): Readonly<LatencyPrediction> {
    const out = this.#prediction
    out.mean = this.predictMean(cores, utilisation)
    out.variance = this.variance()
    return out
  }

  /** The variance of `predict` at the point last asked for. */
  variance(): number {
    const size = this.coefficients.length
    let variance = RESIDUAL_SHARE * this.#residual * this.#residual
    for (let k = 0; k < size; k++) {
      let sum = 0
      for (let l = 0; l < size; l++) sum += this.#covariance[k * size + l]! * this.#features[l]!
      this.#gain[k] = sum
      variance += this.#features[k]! * sum
    }
    return variance
  }

  /** The mean of `predict` alone, for searches. */
  predictMean(cores: number, utilisation: number): number {
    const { coefficients } = this
    const [features, table, point] = [this.#features, this.#table, this.#point]
    point.moveTo(cores, utilisation)
    const columns = features.length + 2
    const a = point.node * columns
    const b = a + columns
    const c = a + point.stride * columns
    const d = c + columns
    const [wa, wb, wc, wd] = point.weights as unknown as readonly [number, number, number, number]
    const at = (column: number): number =>
      wa * table[a + column]! + wb * table[b + column]! + wc * table[c + column]! + wd * table[d + column]!
    let value = Math.max(0, this.#offset) + OVERLOAD_SLOPE * Math.max(0, utilisation - MAX_UTILISATION)
    value = value + wa * table[a]! + wb * table[b]! + wc * table[c]! + wd * table[d]!
    this.#residual = at(1)
    for (let k = 0; k < features.length; k++) {
      features[k] = at(2 + k)
      value += coefficients[k]! * features[k]!
    }
    return value
  }

  /**
   * Takes in the p99 of a step that ran at `cores` and `utilisation`, without a queue of the step before.
   * @param logRatio  ln(p99 / SLO) as measured
   * @param requests  that it was measured over
   */
  learn(cores: number, utilisation: number, logRatio: number, requests: number): void {
    const seen = Math.max(LOG_RATIO_RANGE[0], Math.min(LOG_RATIO_RANGE[1], logRatio))
    const { mean, variance } = this.predict(cores, utilisation)
    if (variance < KNOWN_VARIANCE) this.#learnNoise(seen - mean, requests)
    const size = this.coefficients.length
    // The gain's direction is covariance × features: `predict` left it there.
    const law = variance - RESIDUAL_SHARE * this.#residual * this.#residual
    const total = law + this.dispersion + this.samplingVariance(requests)
    const limit = OUTLIER * Math.sqrt(total)
    const surprise = Math.max(-limit, Math.min(limit, seen - mean))
    const trust = requests / (requests + 100)
    this.#offset += OFFSET_RATE * trust * (surprise + Math.max(0, this.#offset) - this.#offset)
    for (let k = 0; k < size; k++) {
      this.coefficients[k]! += (this.#gain[k]! / total) * surprise
      for (let l = 0; l < size; l++) this.#covariance[k * size + l]! -= (this.#gain[k]! * this.#gain[l]!) / total
    }
    for (let k = 0; k < size; k++) this.#covariance[k * size + k]! += DRIFT
  }

  /** Sampling is blamed first; what it cannot explain is the service's own scatter. */
  #learnNoise(residual: number, requests: number): void {
    const square = Math.min(1, residual * residual)
    this.#sampling += NOISE_RATE * (Math.min(square * requests, 10 * SAMPLING.high) - this.#sampling)
    this.#dispersion += NOISE_RATE * (square - this.samplingVariance(requests) - this.#dispersion)
  }

  /** Its state as numbers. */
  save(): Float64Array {
    return Float64Array.of(...this.coefficients, ...this.#covariance, this.#sampling, this.#dispersion, this.#offset)
  }

  /** How many numbers `save` gives. */
  get stateSize(): number {
    return this.coefficients.length + this.#covariance.length + 3
  }

  /** Goes on from the numbers that `save` gave. */
  load(state: Float64Array): void {
    const size = this.coefficients.length
    this.coefficients.set(state.subarray(0, size))
    this.#covariance.set(state.subarray(size, size + size * size))
    this.#sampling = state[size + size * size]!
    this.#dispersion = state[size + size * size + 1]!
    this.#offset = state[size + size * size + 2]!
  }
}

function tableOf({ mean, residual, components }: LatencyPrior): Float64Array {
  const columns = components.length + 2
  const table = new Float64Array(mean.length * columns)
  for (let node = 0; node < mean.length; node++) {
    table[node * columns] = mean[node]!
    table[node * columns + 1] = residual[node]!
    components.forEach((component, k) => {
      table[node * columns + 2 + k] = component[node]!
    })
  }
  return table
}
