// Latency from Prometheus: the answer of its query API, or the text that a server exposes itself.
import { isLatency, type LatencyReading, type LatencySource, SILENCE_MS, silence } from './latency-source.js'

const TIMEOUT_MS = 5000
const QUANTILE = 0.99
const MOST_BYTES = 64 * 2 ** 20

export interface PrometheusOptions {
  readonly url: string
  /** Name of the metric in a server's own `/metrics`; the query API needs none. */
  readonly metric: string | undefined
  /** Of one unit of the metric. */
  readonly toMs: number
  readonly fetch: (url: string, init: { readonly signal: AbortSignal }) => Promise<Response>
}

/**
 * Asks `url` each time. A gauge or a summary gives its largest series; a histogram the 99th percentile of what was added since it
 * was read last (before: of all), or unknown when nothing was for 10 s. A server that does not answer, or not in 5 s, is a latency that is not known.
 */
export function prometheusSource({ url, metric, toMs, fetch }: PrometheusOptions): LatencySource {
  let before: Histogram | undefined
  let last: { readonly value: number; readonly atMs: number } | undefined
  const unknown = (problem: string): LatencyReading => ({ latencyMs: undefined, problem: `${url}: ${problem}` })
  const known = (value: number | undefined, what: string): LatencyReading => {
    const latencyMs = (value ?? Number.NaN) * toMs
    return isLatency(latencyMs) ? { latencyMs } : unknown(`no value of ${what}`)
  }
  return {
    async read(nowMs, signal) {
      let text: string
      try {
        const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) })
        if (!answer.ok) return unknown(`HTTP ${answer.status}`)
        text = await textOf(answer)
      } catch (error) {
        return unknown((error as Error).message)
      }
      if (text.trimStart().startsWith('{')) return known(queryValue(text), 'the query')
      if (metric === undefined) return unknown('this is no answer to a query: name a metric of it with --metric')
      const histogram = readHistogram(text, metric)
      if (histogram.size === 0) return known(largest(text, metric), metric)
      const added = before && difference(histogram, before)
      before = histogram
      const fresh = quantile(added ?? histogram, QUANTILE)
      if (fresh !== undefined) last = { value: fresh, atMs: nowMs }
      // Nothing finished since: what finished last still tells, for a while.
      if (last && nowMs - last.atMs >= SILENCE_MS) return unknown(silence(last.atMs, nowMs))
      return known(last?.value, metric)
    },
  }
}

/** @throws {Error} when there is more of it than any server exposes */
async function textOf(answer: Response): Promise<string> {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength
    if (bytes > MOST_BYTES) throw new Error(`an answer of more than ${MOST_BYTES / 2 ** 20} MiB is not read`)
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

/** Of the query API: seconds, and the value as text. */
interface Sample {
  readonly value: readonly [number, string]
}

/** The largest value of an instant query's answer. */
function queryValue(text: string): number | undefined {
  try {
    const { resultType, result } = JSON.parse(text).data as { readonly resultType: string; readonly result: unknown[] }
    const values = resultType === 'scalar' ? [result[1]] : (result as readonly Sample[]).map(({ value }) => value[1])
    return maximum(values.map(Number))
  } catch {
    return undefined // not what the query API answers
  }
}

/** Behind the name: labels, whose texts may hold braces and escaped quotes, and the value. What follows is time or exemplar. */
const SAMPLE = /^(?:\{((?:[^"}]|"(?:\\.|[^"\\])*")*)\})?[ \t]+(\S+)/

/** `name{labels} value`, of all lines with this name. */
function* samples(text: string, name: string): Generator<{ readonly labels: string; readonly value: number }> {
  for (const line of text.split('\n')) {
    if (!line.startsWith(name)) continue
    const [, labels = '', value] = SAMPLE.exec(line.slice(name.length)) ?? []
    if (value !== undefined) yield { labels, value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value) }
  }
}

const largest = (text: string, metric: string): number | undefined =>
  maximum([...samples(text, metric)].map(({ value }) => value))

const maximum = (values: readonly number[]): number | undefined => {
  const known = values.filter((value) => !Number.isNaN(value))
  return known.length > 0 ? known.reduce((a, b) => Math.max(a, b)) : undefined
}

/** Upper bound → requests at or below it, over all series. */
type Histogram = ReadonlyMap<number, number>

function readHistogram(text: string, metric: string): Histogram {
  const counts = new Map<number, number>()
  for (const { labels, value } of samples(text, `${metric}_bucket`)) {
    const bound = /(?:^|,)\s*le="([^"]*)"/.exec(labels)?.[1]
    if (bound === undefined) continue
    const at = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound)
    counts.set(at, (counts.get(at) ?? 0) + value)
  }
  return counts
}

/** What was added; a server that began anew counts from zero. */
function difference(now: Histogram, before: Histogram): Histogram {
  const total = (histogram: Histogram) => histogram.get(Number.POSITIVE_INFINITY) ?? 0
  if (total(now) < total(before)) return now
  return new Map([...now].map(([bound, count]) => [bound, count - (before.get(bound) ?? 0)]))
}

/** As Prometheus' `histogram_quantile`: linear within a bucket, the last finite bound beyond. */
function quantile(histogram: Histogram, share: number): number | undefined {
  const buckets = [...histogram].sort(([a], [b]) => a - b)
  const total = buckets.at(-1)?.[1] ?? 0
  if (total <= 0) return undefined
  const rank = share * total
  let [low, below] = [0, 0]
  for (const [bound, count] of buckets) {
    if (count >= rank) return Number.isFinite(bound) ? low + (bound - low) * ((rank - below) / (count - below)) : low
    ;[low, below] = [bound, count]
  }
  return undefined
}
