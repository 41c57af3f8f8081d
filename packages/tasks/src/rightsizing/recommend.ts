import { type Core, Problems } from '@trimtab/core'
import { heldOut } from './held-out.js'
import type { FitPredictor, Sample } from './predictor.js'
import type { Configuration, MeasuredWorkload, RuntimeTable } from './runtime-table.js'

/** What a recommendation has to keep, and how sure it has to be. */
export interface RecommendOptions {
  /** The longest runtime that will do, seconds. Default: any. */
  readonly maxSeconds?: number
  /** Share of true runtimes that intervals should hold, in (0, 1). Default 0.9. */
  readonly confidence?: number
  /** Default 1. */
  readonly seed?: number
}

/** One configuration for a workload: seconds and US dollars of a run. */
export interface RuntimeForecast {
  /** Index in the table's configurations. */
  readonly index: number
  readonly configuration: Configuration
  readonly isMeasured: boolean
  readonly seconds: number
  /** Interval around `seconds`; the measured runtime itself where there is one. */
  readonly low: number
  readonly high: number
  /** Cost of a run; NaN where the configuration has no price. */
  readonly usd: number
  /** Whether the runtime is within `maxSeconds`: with the whole interval, as predicted, or not. */
  readonly fit: 'sure' | 'likely' | 'no'
}

/** What a workload should run on, and what is known of all configurations. */
export interface Recommendation {
  /** Which predictor spoke. */
  readonly predictor: string
  /** By cost of a run, then by runtime; what has no price comes last. */
  readonly forecasts: readonly RuntimeForecast[]
  /** The cheapest (without prices: the fastest) of those that surely fit, else of those that likely do. */
  readonly best: RuntimeForecast | undefined
  /** Workloads that the predictor learnt from. */
  readonly pool: number
  /** `high / seconds − 1` of the configuration that is known worst, Infinity where the pool is too small to tell. */
  readonly widest: number
}

/**
 * Predicts a workload's runtime on every configuration of a table from a few measured ones, with an interval, and names the
 * cheapest configuration that is fast enough.
 *
 * Intervals come from held-out workloads of the pool with as many labels (conformal: ± the share `confidence` of their errors,
 * in units of the predictor's own deviation), so they hold for workloads that are like those of the pool.
 *
 * @param pool     workloads to learn from; the new one is not among them
 * @param samples  what was measured of the new workload
 * @throws {ConfigError} `config_invalid`, `samples_invalid`, `table_invalid`
 */
export function recommend(
  core: Core,
  pool: RuntimeTable,
  fit: FitPredictor,
  samples: readonly Sample[],
  options: RecommendOptions = {},
): Recommendation {
  const { maxSeconds = Number.POSITIVE_INFINITY, confidence = 0.9, seed = 1 } = options
  const problems = new Problems()
  problems.check(maxSeconds > 0, `maxSeconds must be > 0, got ${maxSeconds}`)
  problems.check(confidence > 0 && confidence < 1, `confidence must be in (0, 1), got ${confidence}`)
  problems.throwIfAny('recommendation')
  const predictor = fit(core, pool, seed)
  try {
    const { seconds, deviation, by } = predictor.predict(samples)
    const width = intervalWidth(core, pool, fit, samples, confidence, seed)
    const measured = new Map(samples.map((sample) => [sample.configuration, sample.seconds]))
    const forecasts = pool.configurations.map((configuration, index): RuntimeForecast => {
      const known = measured.get(index)
      const factor = known === undefined ? core.math.exp(width * deviation[index]!) : 1
      const value = known ?? seconds[index]!
      const [low, high] = [value / factor, value * factor]
      const fit = high <= maxSeconds ? 'sure' : value <= maxSeconds ? 'likely' : 'no'
      const usd = value * configuration.usdPerSecond
      return { index, configuration, isMeasured: known !== undefined, seconds: value, low, high, usd, fit }
    })
    forecasts.sort((a, b) => rank(a.usd) - rank(b.usd) || a.seconds - b.seconds)
    return {
      predictor: by ?? '',
      forecasts,
      best: forecasts.find(({ fit }) => fit === 'sure') ?? forecasts.find(({ fit }) => fit === 'likely'),
      pool: pool.workloads.length,
      widest: Math.max(...forecasts.map((one) => one.high / one.seconds - 1)),
    }
  } finally {
    predictor.dispose()
  }
}

/** Everything without a price ranks alike, so that runtime decides. */
const rank = (usd: number): number => (Number.isNaN(usd) ? Number.MAX_VALUE : usd)

/**
 * The share `confidence` of |ln predicted − ln true| / deviation over held-out workloads given the same configurations, or
 * where hardly any was measured on them, given as many others.
 * @returns Infinity when the pool cannot tell
 */
function intervalWidth(
  core: Core,
  pool: RuntimeTable,
  fit: FitPredictor,
  samples: readonly Sample[],
  confidence: number,
  seed: number,
): number {
  if (new Set(pool.workloads.map(({ group }) => group)).size < 2) return Number.POSITIVE_INFINITY
  const configurations = samples.map(({ configuration }) => configuration)
  const isMeasured = ({ seconds }: MeasuredWorkload) => configurations.every((c) => !Number.isNaN(seconds[c]!))
  const likes = pool.workloads.filter(isMeasured).length
  const scores: number[] = []
  const options = { labels: [samples.length], seed, ...(2 * likes >= pool.workloads.length && { configurations }) }
  for (const fold of heldOut(core, pool, fit, options)) {
    for (const { workload, prediction, judged } of fold) {
      for (const c of judged) {
        const gap = Math.abs(core.math.log(prediction.seconds[c]!) - core.math.log(workload.seconds[c]!))
        scores.push(gap / prediction.deviation[c]!)
      }
    }
  }
  scores.sort((a, b) => a - b)
  return scores[Math.ceil(confidence * (scores.length + 1)) - 1] ?? Number.POSITIVE_INFINITY
}
