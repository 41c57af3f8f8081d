// What Prometheus remembers of a workload, on one grid of times; whatever it does not is NaN, never 0.
import { AdapterError } from '@trimtab/core'
import type { PrometheusClient, TimeRange } from '@trimtab/prometheus'

/** What is asked for, by name. */
export interface HistoryQueries {
  readonly cores: string
  readonly memoryBytes: string
  readonly pods: string
  readonly requestedCores: string
  readonly requestedBytes: string
  readonly kills: string
  readonly ratePerSecond: string
  readonly p99Seconds: string
}

/** A series of the history. */
export type SeriesName = keyof HistoryQueries

/** Values by name [T], and why there are none at all where there are none. */
export interface History {
  readonly timesSeconds: Float64Array
  readonly series: Readonly<Record<SeriesName, Float64Array>>
  readonly missing: ReadonlyMap<SeriesName, string>
}

/** Whose history. */
export interface HistorySubject {
  readonly namespace: string
  readonly podPattern: string
  readonly container: string
}

const WINDOW = '2m' // holds two samples where each minute has one

/** cAdvisor's and kube-state-metrics' usual names; the service's own by the names that client libraries recommend. */
export function defaultQueries({ namespace, podPattern, container }: HistorySubject): HistoryQueries {
  const pods = `namespace="${namespace}",pod=~"${podPattern}"`
  const main = `${pods},container="${container}"`
  return {
    cores: `sum(max by (pod) (rate(container_cpu_usage_seconds_total{${main}}[${WINDOW}])))`,
    memoryBytes: `max(max_over_time(container_memory_working_set_bytes{${main}}[${WINDOW}]))`,
    pods: `count(max by (pod) (container_memory_working_set_bytes{${main}}))`,
    requestedCores: `max(kube_pod_container_resource_requests{${main},resource="cpu"})`,
    requestedBytes: `max(kube_pod_container_resource_requests{${main},resource="memory"})`,
    kills: `sum(max by (pod) (container_oom_events_total{${main}}))`,
    ratePerSecond: `sum(rate(http_requests_total{${pods}}[${WINDOW}]))`,
    p99Seconds: `histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket{${pods}}[${WINDOW}])))`,
  }
}

/** Prometheus answers no range of more at once. */
const MOST_TIMES = 10_000

/**
 * Reads all queries, one after the other.
 * @param skipped  are not asked, for the reason said
 * @throws {AdapterError} `http_…`, `prometheus_…`: it could not be asked
 */
export async function readHistory(
  client: Pick<PrometheusClient, 'queryRange'>,
  queries: HistoryQueries,
  range: TimeRange,
  skipped: ReadonlyMap<SeriesName, string>,
  signal: AbortSignal,
): Promise<History> {
  const length = Math.floor((range.endSeconds - range.startSeconds) / range.stepSeconds + 1e-6) + 1
  const timesSeconds = Float64Array.from({ length }, (_, i) => range.startSeconds + i * range.stepSeconds)
  const missing = new Map(skipped)
  const series: Partial<Record<SeriesName, Float64Array>> = {}
  for (const [name, promql] of Object.entries(queries) as [SeriesName, string][]) {
    const values = new Float64Array(length).fill(Number.NaN)
    series[name] = values
    if (skipped.has(name)) continue
    const why = await readSeries(client, promql, range, values, signal)
    if (why !== undefined) missing.set(name, why)
  }
  return { timesSeconds, series: series as Record<SeriesName, Float64Array>, missing }
}

/** Fills `values` [T]. @returns why there is nothing in it */
async function readSeries(
  client: Pick<PrometheusClient, 'queryRange'>,
  promql: string,
  { startSeconds, stepSeconds }: TimeRange,
  values: Float64Array,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let from = 0; from < values.length; from += MOST_TIMES) {
    const to = Math.min(values.length, from + MOST_TIMES) - 1
    const part = {
      startSeconds: startSeconds + from * stepSeconds,
      endSeconds: startSeconds + to * stepSeconds,
      stepSeconds,
    }
    const { series, warnings } = await client.queryRange(promql, part, signal)
    if (warnings.length > 0) return refuse(values, `a part of the truth only: ${warnings.join('; ')}`)
    if (series.length > 1) return refuse(values, `${series.length} series, aggregate them: sum(…), max(…)`)
    if (series[0]) values.set(series[0].values, from)
  }
  return values.every(Number.isNaN) ? 'no series, or nothing in it that is a number' : undefined
}

function refuse(values: Float64Array, why: string): string {
  values.fill(Number.NaN)
  return why
}

/** Without these nothing can be judged. @throws {AdapterError} `history_missing` */
export function requireUsage({ missing }: History, queries: HistoryQueries): void {
  for (const name of ['cores', 'memoryBytes', 'pods'] as const) {
    const why = missing.get(name)
    if (why === undefined) continue
    throw new AdapterError(
      'history_missing',
      `nothing is known of what the pods used: ${why}, for ${queries[name]} (does Prometheus scrape cAdvisor of the kubelets?)`,
    )
  }
}
