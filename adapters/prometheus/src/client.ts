import { AdapterError, ConfigError } from '@trimtab/core'
import { printable } from '@trimtab/core/text'
import { type HttpAnswer, HttpClient, type HttpClientOptions } from '@trimtab/node/http'
import {
  type InstantAnswer,
  type RangeAnswer,
  readAnswer,
  readError,
  readInstant,
  readRange,
  type TimeRange,
  timesOf,
} from './answer.js'

/** Prometheus answers no range of more. */
const MOST_TIMES = 11_000

/** Of an instant query. */
export interface InstantQueryOptions {
  /** When to evaluate, unix seconds; default: the server's now, which no clock of ours can be wrong about. */
  readonly timeSeconds?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Asks Prometheus, or whoever speaks its query API (Thanos, Mimir, VictoriaMetrics). Answers are bounded in time and size; a query is
 * given up at the server too when its time is over.
 *
 * @example
 * const client = new PrometheusClient({ url: 'http://prometheus:9090' })
 * const { samples } = await client.query('sum by (pod) (rate(container_cpu_usage_seconds_total[1m]))')
 */
export class PrometheusClient {
  readonly #http: HttpClient

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: HttpClientOptions) {
    this.#http = new HttpClient(options)
  }

  /** The server as it may be said: without user and password. */
  get url(): string {
    return this.#http.url
  }

  /**
   * What `promql` is at one time.
   *
   * @throws {AdapterError} `prometheus_query_refused` (the query is wrong), `prometheus_denied` (who asks is), `prometheus_failed`,
   *   `prometheus_answer_invalid`, `http_unreachable`, `http_timeout`, `http_too_large`, `http_broken_off`; the signal's reason
   * @throws {ConfigError} `config_invalid`
   */
  async query(promql: string, { timeSeconds, signal }: InstantQueryOptions = {}): Promise<InstantAnswer> {
    if (timeSeconds !== undefined) requireTime({ timeSeconds })
    const time = timeSeconds === undefined ? {} : { time: String(timeSeconds) }
    return readAnswer(await this.#ask('/api/v1/query', promql, time, signal), readInstant)
  }

  /**
   * What `promql` is over a range, every `stepSeconds`.
   *
   * @throws as `query`; {ConfigError} `config_invalid` also for a range of more than 11,000 times
   */
  async queryRange(promql: string, range: TimeRange, signal?: AbortSignal): Promise<RangeAnswer> {
    const { startSeconds, endSeconds, stepSeconds } = range
    requireTime({ startSeconds, endSeconds, stepSeconds })
    if (!(stepSeconds >= 0.001 && startSeconds <= endSeconds && timesOf(range) <= MOST_TIMES)) {
      throw new ConfigError(
        'config_invalid',
        `a range must go forward in at most ${MOST_TIMES} steps, got ${startSeconds} to ${endSeconds} by ${stepSeconds} s (raise stepSeconds)`,
      )
    }
    const times = { start: String(startSeconds), end: String(endSeconds), step: String(stepSeconds) }
    return readAnswer(await this.#ask('/api/v1/query_range', promql, times, signal), (body) => readRange(body, range))
  }

  /** Closes the connections. May be called twice. */
  dispose(): void {
    this.#http.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  async #ask(path: string, query: string, times: Record<string, string>, signal: AbortSignal | undefined) {
    const form = new URLSearchParams({ query, timeout: `${Math.ceil(this.#http.timeoutMs)}ms`, ...times })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await this.#http.send({ method: 'POST', path, headers, body: form.toString() }, signal)
    if (answer.statusCode !== 200) throw this.#refusal(query, answer)
    return answer.body
  }

  #refusal(query: string, { statusCode, body }: HttpAnswer): AdapterError {
    const code = CODES[statusCode] ?? 'prometheus_failed'
    const said = errorOf(body) ?? body.slice(0, 200)
    return new AdapterError(
      code,
      printable(`${this.url}: HTTP ${statusCode}, ${said || 'no reason given'}, for ${query.slice(0, 500)}`),
    )
  }
}

const CODES: Readonly<Record<number, string>> = {
  400: 'prometheus_query_refused', // does not parse
  422: 'prometheus_query_refused', // cannot be executed
  401: 'prometheus_denied',
  403: 'prometheus_denied',
}

/** What the API says was wrong; `undefined`: somebody else answered, a proxy. */
function errorOf(text: string): string | undefined {
  try {
    return readAnswer(text, readError)
  } catch {
    return undefined
  }
}

function requireTime(times: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(times)) {
    if (!Number.isFinite(value))
      throw new ConfigError('config_invalid', `${name} must be a number of seconds, got ${value}`)
  }
}
