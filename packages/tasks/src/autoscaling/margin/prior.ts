import { type Core, Random } from '@trimtab/core'
import { GRID_CORES, GRID_NODES, GRID_UTILISATION } from './grid.js'
import { LAW_KINDS, type LatencyLaw, rollLaw } from './laws.js'
import { PRIOR_WEIGHTS } from './prior-weights.js'

/** ln(p99 / SLO) is cut to this range: how far below does not matter, nor how far above. */
export const LOG_RATIO_RANGE: readonly [low: number, high: number] = [-1.6, 1]

/**
 * What is known of a service before anything of it was measured: ln(p99 / SLO) over pod size and utilisation is `mean` + a
 * combination of `components` whose coefficients are standard normal. Learned over a pool of laws, as FLASH learns from a pool of
 * tasks (5.2): the coefficients are the embedding of a service.
 */
export interface LatencyPrior {
  /** [nodes] */
  readonly mean: Float64Array
  /** Each [nodes], scaled by its standard deviation, the largest first. */
  readonly components: readonly Float64Array[]
  /** Standard deviation of what the components leave over [nodes]. */
  readonly residual: Float64Array
}

/** How a prior is learned. */
export interface PriorOptions {
  /** Laws in the pool. Default 2,000, 2 of 6 of them throttled queues. */
  readonly laws?: number
  /** Components kept. Default 10. */
  readonly components?: number
  /** Default 1. */
  readonly seed?: number
}

const FIRST_LAW = 10_000 // far from the applications that people judge on
const SLO_FACTORS = [1.15, 3.2] as const
const POWER_ITERATIONS = 200

/** The prior learned over a pool of rolled laws under rolled SLOs: mean, principal components, what they leave over. */
export function learnPrior(core: Core, { laws = 2000, components = 10, seed = 1 }: PriorOptions = {}): LatencyPrior {
  const random = new Random(core, seed, 110)
  const { exp, log } = core.math
  const samples = Array.from({ length: laws }, (_, i) => {
    const kind = LAW_KINDS[Math.max(0, (i % (LAW_KINDS.length + 1)) - 1)]!
    const law = rollLaw(core, kind, FIRST_LAW + i)
    return logRatios(core, law, exp(log(SLO_FACTORS[0]) + random.uniform() * log(SLO_FACTORS[1] / SLO_FACTORS[0])))
  })
  const mean = new Float64Array(GRID_NODES)
  for (const sample of samples) for (let d = 0; d < GRID_NODES; d++) mean[d]! += sample[d]! / laws
  const covariance = covarianceOf(samples, mean)
  const kept = Array.from({ length: components }, () => takeComponent(covariance, random))
  random.dispose()
  const residual = Float64Array.from({ length: GRID_NODES }, (_, d) =>
    Math.sqrt(Math.max(0, covariance[d * GRID_NODES + d]!)),
  )
  return { mean, components: kept, residual }
}

/** ln(p99 / SLO) of a law at the nodes, for an SLO of `factor` times the p99 with resources to spare. */
export function logRatios(core: Core, law: LatencyLaw, factor: number): Float64Array {
  const [low, high] = LOG_RATIO_RANGE
  const out = new Float64Array(GRID_NODES)
  let node = 0
  for (const cores of GRID_CORES) {
    for (const utilisation of GRID_UTILISATION) {
      const ratio = core.math.log(law(cores, utilisation) / factor)
      out[node++] = Math.max(low, Math.min(high, ratio))
    }
  }
  return out
}

function covarianceOf(samples: readonly Float64Array[], mean: Float64Array): Float64Array {
  const out = new Float64Array(GRID_NODES * GRID_NODES)
  for (const sample of samples) {
    for (let a = 0; a < GRID_NODES; a++) {
      const difference = (sample[a]! - mean[a]!) / samples.length
      for (let b = 0; b < GRID_NODES; b++) out[a * GRID_NODES + b]! += difference * (sample[b]! - mean[b]!)
    }
  }
  return out
}

/** The strongest direction by power iteration, scaled by its deviation; the covariance is left without it. */
function takeComponent(covariance: Float64Array, random: Random): Float64Array {
  let direction = Float64Array.from({ length: GRID_NODES }, () => random.normal())
  let variance = 0
  for (let i = 0; i < POWER_ITERATIONS; i++) {
    const next = new Float64Array(GRID_NODES)
    let norm = 0
    for (let a = 0; a < GRID_NODES; a++) {
      let sum = 0
      for (let b = 0; b < GRID_NODES; b++) sum += covariance[a * GRID_NODES + b]! * direction[b]!
      next[a] = sum
      norm += sum * sum
    }
    variance = Math.sqrt(norm)
    direction = next.map((value) => value / variance)
  }
  for (let a = 0; a < GRID_NODES; a++) {
    for (let b = 0; b < GRID_NODES; b++) covariance[a * GRID_NODES + b]! -= variance * direction[a]! * direction[b]!
  }
  return direction.map((value) => value * Math.sqrt(variance))
}

/** The numbers of a prior, one after the other: mean, residual, components. */
export const flattenPrior = ({ mean, residual, components }: LatencyPrior): Float32Array =>
  Float32Array.from([mean, residual, ...components].flatMap((values) => Array.from(values)))

let shipped: LatencyPrior | undefined

/** The prior that this package ships, learned by `scripts/learn-latency-prior.mjs` over laws that are rolled there. */
export function shippedPrior(): LatencyPrior {
  shipped ??= unflattenPrior()
  return shipped
}

function unflattenPrior(): LatencyPrior {
  const bytes = Uint8Array.from(atob(PRIOR_WEIGHTS), (letter) => letter.charCodeAt(0))
  const numbers = new Float32Array(bytes.buffer)
  const rows = Array.from({ length: numbers.length / GRID_NODES }, (_, i) =>
    Float64Array.from(numbers.subarray(i * GRID_NODES, (i + 1) * GRID_NODES)),
  )
  const [mean, residual, ...components] = rows
  return { mean: mean!, residual: residual!, components }
}
