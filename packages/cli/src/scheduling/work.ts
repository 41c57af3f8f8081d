// The comparison: the same requests at the same moments, served in the order of each policy.

import { percentile } from '@trimtab/core'
import type { Batching, ServeCore } from '@trimtab/serve'
import type { Host } from '../host.js'
import { createProgress } from '../progress.js'
import { type Measures, measure, type ServedTimes } from './measure.js'
import { fcfsSecondsPerRequest, isEstimating, type RequestEstimates, type ServerModel, serve } from './policies.js'
import type {
  EstimateFacts,
  PolicyCurves,
  PolicyName,
  PolicyResult,
  ScheduleReport,
  SeedSpread,
} from './report-types.js'
import type { RequestLog } from './requests.js'
import { type ArrivalPattern, atGap, drawWorkload, type LogWorkload } from './workload.js'

/** Who tells how long the requests of a run will be. */
export interface Estimator extends EstimateFacts {
  /** @param base  the run under first come, first served: when it is done with each request */
  estimate(workload: LogWorkload, base: ScheduleRun): RequestEstimates | Promise<RequestEstimates>
}

/** What is simulated: every policy × batching × load, over seeds. */
export interface ScheduleSettings extends ServerModel {
  readonly policies: readonly PolicyName[]
  readonly batchings: readonly Batching[]
  readonly loads: readonly number[]
  readonly count: number
  readonly seeds: number
  readonly seed: number
  readonly bypass: number
  readonly sloScale: number
  readonly pattern: ArrivalPattern | undefined
  readonly isInLogOrder: boolean
}

/** One run: a workload at a load, served by a policy. */
export interface ScheduleRun {
  readonly workload: LogWorkload
  readonly arrival: Float64Array
  readonly times: ServedTimes
  readonly measures: Measures
}

/**
 * Serves draws of the log under every batching, load and policy. FCFS is always served: the others are told beside it.
 * @param estimator  null where only the order of arrival and true lengths are asked for
 */
export async function compareSchedules(
  core: ServeCore,
  log: RequestLog,
  estimator: Estimator | null,
  settings: ScheduleSettings,
  host: Pick<Host, 'stderr' | 'now'>,
): Promise<ScheduleReport> {
  const { batchings, loads, seeds, seed, policies } = settings
  const progress = createProgress(host, 'replays')
  const total = batchings.length * loads.length * seeds * policies.length
  const results: PolicyResult[] = []
  const curves: PolicyCurves[] = []
  const workloads = Array.from({ length: seeds }, (_, i) => drawWorkload(core, log, { ...settings, seed: seed + i }))
  let done = 0
  for (const batching of batchings) {
    for (const load of loads) {
      const bases = workloads.map((workload) => runPolicy(core, workload, 'fcfs', null, batching, load, settings))
      const estimates: RequestEstimates[] = []
      if (estimator && policies.some(isEstimating))
        for (const base of bases) estimates.push(await estimator.estimate(base.workload, base))
      for (const policy of policies) {
        const runs: ScheduleRun[] = []
        for (const [i, workload] of workloads.entries()) {
          runs.push(
            policy === 'fcfs'
              ? bases[i]!
              : runPolicy(core, workload, policy, estimates[i] ?? null, batching, load, settings),
          )
          progress.update({ done: ++done, total, label: `${policy}, ${batching}, ρ = ${load}` })
          await undefined
        }
        results.push({ batching, load, policy, ...summarise(runs, bases) })
        if (load === Math.max(...loads)) curves.push({ batching, policy, ...curvesOf(runs) })
      }
    }
  }
  progress.finish()
  const { name, requests, models, skipped } = log
  const { pattern, isInLogOrder, ...told } = settings
  return {
    format: 'trimtab-schedule',
    version: 1,
    log: { name, requests: requests.length, models: models.length, skipped },
    estimates: estimator && {
      name: estimator.name,
      pairwiseOrder: estimator.pairwiseOrder,
      isLearning: estimator.isLearning,
    },
    settings: { ...told, arrivals: pattern ? `arrivals of ${pattern.name}, rescaled` : 'Poisson arrivals' },
    results,
    curves,
  }
}

/** Serves one workload at one load. */
export function runPolicy(
  core: ServeCore,
  workload: LogWorkload,
  policy: PolicyName,
  estimates: RequestEstimates | null,
  batching: Batching,
  load: number,
  settings: ServerModel & Pick<ScheduleSettings, 'bypass' | 'sloScale'>,
): ScheduleRun {
  const { tokens } = workload
  const arrival = atGap(workload, fcfsSecondsPerRequest(core, tokens, batching, settings) / load)
  const times = serve(core, { arrival, ...workload }, policy, estimates, batching, settings)
  const { secondsPerRequest, secondsPerToken, sloScale } = settings
  const slo = tokens.map((count) => sloScale * (secondsPerRequest + secondsPerToken * count))
  return { workload, arrival, times, measures: measure(arrival, times, slo) }
}

function summarise(
  runs: readonly ScheduleRun[],
  bases: readonly ScheduleRun[],
): Omit<PolicyResult, 'batching' | 'load' | 'policy'> {
  const over = (read: (measures: Measures) => number, isSmallBad = false) =>
    spreadOf(
      runs.map(({ measures }) => read(measures)),
      isSmallBad,
    )
  const ratio = (read: (measures: Measures) => number) =>
    spreadOf(runs.map(({ measures }, i) => ratioOf(read(measures), read(bases[i]!.measures))))
  return {
    meanJctSeconds: over(({ meanJct }) => meanJct),
    p50JctSeconds: over(({ p50Jct }) => p50Jct),
    p99JctSeconds: over(({ p99Jct }) => p99Jct),
    meanWaitSeconds: over(({ meanWait }) => meanWait),
    maxWaitSeconds: over(({ maxWait }) => maxWait),
    throughputPerSecond: over(({ throughput }) => throughput, true),
    attainment01: over(({ attainment }) => attainment, true),
    meanJctOverFcfs: ratio(({ meanJct }) => meanJct),
    maxWaitOverFcfs: ratio(({ maxWait }) => maxWait),
  }
}

/** Nobody waited under either: they are alike. */
const ratioOf = (value: number, base: number): number => (value === base ? 1 : value / base)

/** @param isSmallBad  the worst of the values is the smallest one */
export function spreadOf(values: readonly number[], isSmallBad = false): SeedSpread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return {
    mean,
    deviation: values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0,
    worst: isSmallBad ? Math.min(...values) : Math.max(...values),
  }
}

const TENTHS = 10
const PERCENTILE_STEP = 2

function curvesOf(runs: readonly ScheduleRun[]): Pick<PolicyCurves, 'jctPercentiles' | 'meanJctByLength'> {
  const jct: number[] = []
  const tokens: number[] = []
  for (const { arrival, times, workload } of runs) {
    arrival.forEach((time, i) => {
      jct.push(times.finish[i]! - time)
      tokens.push(workload.tokens[i]!)
    })
  }
  const byLength = jct.map((_, i) => i).sort((a, b) => tokens[a]! - tokens[b]!)
  const sorted = Float64Array.from(jct).sort()
  return {
    jctPercentiles: Array.from({ length: 100 / PERCENTILE_STEP + 1 }, (_, i) =>
      percentile(sorted, i * PERCENTILE_STEP),
    ),
    meanJctByLength: Array.from({ length: TENTHS }, (_, tenth) => {
      const rows = byLength.slice(
        Math.floor((tenth * jct.length) / TENTHS),
        Math.floor(((tenth + 1) * jct.length) / TENTHS),
      )
      return rows.reduce((sum, row) => sum + jct[row]!, 0) / Math.max(1, rows.length)
    }),
  }
}
