import { type AdapterError, Problems, TrimtabError } from '@trimtab/core'
import type { InstantAnswer } from './answer.js'
import type { InstantQueryOptions, PrometheusClient } from './client.js'

/** Where one number comes from. */
export interface MetricQuery {
  /** PromQL that gives one series. */
  readonly value: string
  /**
   * PromQL that gives the unix time of the sample behind it: `max(timestamp(queue_length))`. A bare selector answers with a sample of up
   * to five minutes ago as if it were of now; a range (`rate(…[1m])`, `last_over_time(…[30s])`) bounds its age by itself.
   */
  readonly sampledAt?: string
}

/** What is measured, by name, and how old it may be. */
export interface PrometheusSourceOptions<Name extends string> {
  readonly client: Pick<PrometheusClient, 'query' | 'url'>
  /** A text is the `value` of a query. */
  readonly queries: Readonly<Record<Name, string | MetricQuery>>
  /** A number whose `sampledAt` is longer ago than this is missing; default 60. */
  readonly maxAgeSeconds?: number
}

/** One look at everything. */
export interface MetricReading<Name extends string> {
  /** `undefined`: not measured, which is never 0. */
  readonly values: Readonly<Record<Name, number | undefined>>
  /** Why, for each that was not. */
  readonly missing: ReadonlyMap<Name, string>
  /** The oldest time behind a value, unix milliseconds by the server's clock: an environment's `info.observedAtMs`. `undefined`: no value. */
  readonly observedAtMs: number | undefined
}

/** One number, and when it was evaluated, unix seconds. */
export interface KnownValue {
  readonly value: number
  readonly atSeconds: number
}

/**
 * Telemetry by PromQL: a number for each name, or why there is none. Missing is what has no series or several, NaN, ±∞, stale, what may be
 * a part of the truth only, what Prometheus refused, and everything while it is down: a loop that gets it as NaN falls back or holds.
 *
 * @example
 * const source = new PrometheusSource({ client, queries: { ratePerSecond: 'sum(rate(http_requests_total{app="shop"}[1m]))' } })
 * const { values, missing, observedAtMs } = await source.read()
 * const observation = Float32Array.of(values.ratePerSecond ?? NaN)
 */
export class PrometheusSource<Name extends string> {
  readonly #client: Pick<PrometheusClient, 'query' | 'url'>
  readonly #queries: readonly (readonly [Name, MetricQuery])[]
  readonly #maxAgeSeconds: number

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: PrometheusSourceOptions<Name>) {
    const { client, queries, maxAgeSeconds = 60 } = options
    const problems = new Problems()
    problems.checkKeys(options, ['client', 'queries', 'maxAgeSeconds'], 'options')
    problems.check(maxAgeSeconds > 0, `maxAgeSeconds must be > 0, got ${maxAgeSeconds}`)
    const entries = Object.entries(queries) as [Name, string | MetricQuery][]
    this.#queries = entries.map(([name, query]) => [name, typeof query === 'string' ? { value: query } : query])
    for (const [name, query] of this.#queries) {
      problems.checkKeys(query, ['value', 'sampledAt'], `queries.${name}`)
      problems.check(query.value?.trim() !== '', `queries.${name} must be PromQL, got nothing`)
    }
    problems.throwIfAny('Prometheus source')
    this.#client = client
    this.#maxAgeSeconds = maxAgeSeconds
  }

  /**
   * Looks at everything once, each query once.
   * @throws the signal's reason; whatever else goes wrong is a reason in `missing`
   */
  async read(options: InstantQueryOptions = {}): Promise<MetricReading<Name>> {
    const asked = new Map<string, Promise<InstantAnswer>>()
    const ask = (promql: string): Promise<InstantAnswer> => {
      const answer = asked.get(promql) ?? this.#client.query(promql, options)
      asked.set(promql, answer)
      return answer
    }
    const found = await Promise.all(this.#queries.map(([, query]) => this.#measure(query, ask)))
    options.signal?.throwIfAborted()
    const known = found.filter((one) => typeof one !== 'string')
    return {
      values: Object.fromEntries(
        this.#queries.map(([name], i) => [name, typeof found[i] === 'string' ? undefined : found[i]!.value]),
      ) as Record<Name, number | undefined>,
      missing: new Map(this.#queries.flatMap(([name], i) => (typeof found[i] === 'string' ? [[name, found[i]]] : []))),
      observedAtMs: known.length > 0 ? 1000 * Math.min(...known.map(({ atSeconds }) => atSeconds)) : undefined,
    }
  }

  /** The number, or why there is none. */
  async #measure(
    { value, sampledAt }: MetricQuery,
    ask: (promql: string) => Promise<InstantAnswer>,
  ): Promise<KnownValue | string> {
    try {
      const [answer, time] = await Promise.all([ask(value), sampledAt === undefined ? undefined : ask(sampledAt)])
      const known = onlyValueOf(answer)
      if (time === undefined || typeof known === 'string') return known
      const sampled = onlyValueOf(time)
      if (typeof sampled === 'string') return `when it was sampled: ${sampled}`
      const ageSeconds = known.atSeconds - sampled.value
      if (ageSeconds > this.#maxAgeSeconds)
        return `stale: sampled ${ageSeconds.toFixed(0)} s ago, at most ${this.#maxAgeSeconds} s`
      return { value: known.value, atSeconds: sampled.value }
    } catch (error) {
      if (!(error instanceof TrimtabError)) throw error
      return (error as AdapterError).message
    }
  }
}

/** The one value of an answer, or why it has none. */
export function onlyValueOf({ samples, warnings }: InstantAnswer): KnownValue | string {
  if (warnings.length > 0) return `a part of the truth only: ${warnings.join('; ')}`
  if (samples.length !== 1)
    return samples.length === 0 ? 'no series' : `${samples.length} series, aggregate them: sum(…), max(…)`
  const { value, timeSeconds } = samples[0]!
  return value === undefined ? 'not a finite number' : { value, atSeconds: timeSeconds }
}
