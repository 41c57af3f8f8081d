import type { Clock, Core } from '@trimtab/core'
import { type ResolvedAutoscalerSpec, readAutoscaler } from '@trimtab/kubernetes'
import type { PrometheusClient } from '@trimtab/prometheus'
import { UsageError } from '../options.js'
import { type History, type HistoryQueries, readHistory, requireUsage, type SeriesName } from './history.js'
import { type Replay, replay } from './replay.js'
import type { Proposal, RecommendReport } from './report-types.js'
import type { Workload } from './target.js'

/** What is asked. */
export interface RecommendRequest {
  readonly target: {
    readonly apiVersion: string
    readonly kind: string
    readonly name: string
    readonly namespace: string
  }
  readonly workload: Workload
  readonly canResizeInPlace: boolean
  readonly queries: HistoryQueries
  readonly p99Ms: number | undefined
  readonly hours: number
  readonly stepSeconds: number
  /** Default: now, by Prometheus' clock. */
  readonly untilSeconds: number | undefined
  readonly replicas: readonly [min: number, max: number | undefined]
  readonly clock: Clock
  readonly onProgress: (label: string, done: number, total: number) => void
  readonly signal: AbortSignal
}

const STRETCHES = 60 // of a plot
const ROOM = 1.5 // times the most pods that there ever were

/** Of what is not measured, what is assumed in its place. */
const TAKEN: Readonly<Partial<Record<SeriesName, string>>> = {
  requestedCores: 'requests are taken to have always been as they are now',
  requestedBytes: 'requests are taken to have always been as they are now',
  kills: 'no pod is taken to have been killed for memory',
  ratePerSecond: 'the rule decides alone',
  p99Seconds: 'the rule decides alone',
}

/**
 * Reads a history and replays it.
 * @throws {AdapterError} `history_missing`, and as `PrometheusClient.queryRange`; {UsageError}
 */
export async function recommendFor(
  core: Core,
  prometheus: PrometheusClient,
  request: RecommendRequest,
): Promise<RecommendReport> {
  const { queries, stepSeconds, hours, p99Ms, signal, workload } = request
  const until = request.untilSeconds ?? (await nowOf(prometheus, signal))
  const endSeconds = Math.floor(until / stepSeconds) * stepSeconds
  const steps = Math.max(1, Math.round((hours * 3600) / stepSeconds))
  const range = { startSeconds: endSeconds - (steps - 1) * stepSeconds, endSeconds, stepSeconds }
  const history = await readHistory(prometheus, queries, range, skippedBy(p99Ms), signal)
  requireUsage(history, queries)
  const ruleSpec = specOf(request, history, undefined)
  const latency = p99Ms === undefined || hasNoPolicy(history) ? undefined : { query: queries.p99Seconds, p99Ms }
  const replayBy = (label: string, spec: ResolvedAutoscalerSpec): Promise<Replay> => {
    const onProgress = (done: number, total: number): void => request.onProgress(label, done, total)
    return replay(core, history, { ...request, spec, onProgress }, signal)
  }
  const byRule = await replayBy('rule', ruleSpec)
  const policySpec = latency && specOf(request, history, latency)
  const byPolicy = policySpec && (await replayBy('policy', policySpec))
  const { target, container } = { target: request.target, container: workload.container }
  return {
    target: { kind: target.kind, name: target.name, namespace: target.namespace, container },
    history: {
      ...{ fromSeconds: range.startSeconds, untilSeconds: endSeconds, stepSeconds },
      ...{ steps, gaps: byRule.gaps, measuredHours: (byRule.steps * stepSeconds) / 3600 },
    },
    currency: ruleSpec.cost.currency,
    requested: { now: workload.inForce, costPerHour: byRule.requestedCost },
    rule: proposalOf(byRule),
    policy: byPolicy && proposalOf(byPolicy),
    withoutPolicy: byPolicy ? undefined : whyNoPolicy(p99Ms, history),
    slo: byPolicy && p99Ms !== undefined && byPolicy.judged > 0 ? sloOf(byPolicy, p99Ms) : undefined,
    p99Ms: byPolicy?.p99Ms,
    bounds: boundsText(ruleSpec),
    queries: { ...queries },
    missing: [...history.missing].map(([what, why]) => ({ what, why, taken: TAKEN[what] ?? '' })),
    cores: { requested: stretches(byRule.requestedCores), wanted: stretches((byPolicy ?? byRule).wantedCores) },
  }
}

async function nowOf(prometheus: PrometheusClient, signal: AbortSignal): Promise<number> {
  const { samples } = await prometheus.query('time()', { signal })
  return samples[0]!.timeSeconds
}

/** Without a p99 to keep, neither latency nor load is of use. */
function skippedBy(p99Ms: number | undefined): ReadonlyMap<SeriesName, string> {
  const why = 'not asked: there is no --p99-ms to keep'
  return new Map<SeriesName, string>(
    p99Ms === undefined
      ? [
          ['ratePerSecond', why],
          ['p99Seconds', why],
        ]
      : [],
  )
}

const hasNoPolicy = ({ missing }: History): boolean => missing.has('ratePerSecond') || missing.has('p99Seconds')

function whyNoPolicy(p99Ms: number | undefined, { missing }: History): string {
  if (p99Ms === undefined) return 'a policy needs a latency to keep: give --p99-ms'
  const what = missing.has('ratePerSecond') ? 'the load, by --load-query' : 'the latency, by --slo-query'
  return `a policy needs to know ${what}`
}

/** The object that an operator would be given, with bounds that hold what there is. */
function specOf(
  { target, queries, replicas: [min, max], workload }: RecommendRequest,
  { series }: History,
  latency: { readonly query: string; readonly p99Ms: number } | undefined,
): ResolvedAutoscalerSpec {
  const { apiVersion, kind, name, namespace } = target
  let most = workload.inForce.replicas
  for (const pods of series.pods) if (pods > most) most = pods
  const bounds = { replicas: { min, max: max ?? Math.max(10, min, Math.ceil(ROOM * most)) } }
  if (bounds.replicas.max < min) throw new UsageError(`--max-replicas ${max} is below --min-replicas ${min}`)
  const objectives = latency && { slo: { latency }, load: { query: queries.ratePerSecond } }
  const spec = { scaleTargetRef: { apiVersion, kind, name }, bounds, ...objectives }
  return readAutoscaler({ metadata: { namespace, name }, spec })
}

const boundsText = ({ bounds: { replicas, cpu, memory } }: ResolvedAutoscalerSpec): RecommendReport['bounds'] => ({
  replicas: [replicas.min, replicas.max],
  cpu: `${cpu.min} to ${cpu.max}`,
  memory: `${memory.min} to ${memory.max}`,
})

const proposalOf = ({ verdict, wanted, wantedCost, requestedCost }: Replay): Proposal => ({
  by: verdict.by,
  because: verdict.message,
  now: wanted,
  costPerHour: wantedCost,
  saving01: 1 - wantedCost / requestedCost,
})

const sloOf = ({ judged, broken }: Replay, p99Ms: number): NonNullable<RecommendReport['slo']> => ({
  p99Ms,
  judgedSteps: judged,
  brokenSteps: broken,
  brokenPercent: (100 * broken) / judged,
})

/** Means of stretches of equal length; null: nothing is known. */
function stretches(values: Float64Array): (number | null)[] {
  const count = Math.min(STRETCHES, values.length)
  return Array.from({ length: count }, (_, i) => {
    const part = values
      .subarray(Math.floor((i * values.length) / count), Math.floor(((i + 1) * values.length) / count))
      .filter((value) => value >= 0)
    return part.length === 0 ? null : part.reduce((sum, value) => sum + value, 0) / part.length
  })
}
