import { AdapterError, type Clock } from '@trimtab/core'
import { HttpClient, type HttpClientOptions } from '@trimtab/node/http'
import type { PrometheusClient } from '@trimtab/prometheus'
import { readExposition } from './exposition.js'
import type { CounterScrape, CounterScraper } from './user-events-source.js'

/** Reads the user-events service itself, on its port 9095. */
export class DirectScraper implements CounterScraper {
  readonly #http: HttpClient
  readonly #path: string
  readonly #clock: Clock

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: HttpClientOptions & { readonly path?: string; readonly clock?: Clock }) {
    const { path = '/metrics', clock = performance, ...http } = options
    this.#http = new HttpClient(http)
    this.#path = path
    this.#clock = clock
  }

  async scrape(signal?: AbortSignal): Promise<CounterScrape> {
    const sampledAtMs = this.#clock.now()
    const { statusCode, body } = await this.#http.send({ method: 'GET', path: this.#path }, signal)
    if (statusCode !== 200) {
      throw new AdapterError(
        'whisk_metrics_failed',
        `${this.#http.url}${this.#path}: HTTP ${statusCode} (is it the user-events service?)`,
      )
    }
    return { samples: readExposition(body), sampledAtMs }
  }

  /** Closes the connections. May be called twice. */
  dispose(): void {
    this.#http.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}

/**
 * Asks a Prometheus that scrapes the user-events service. It answers with samples of minutes ago as if they were of now: the time of the
 * latest one is asked for too, and nothing new is said before that moves.
 */
export class PrometheusScraper implements CounterScraper {
  readonly #client: Pick<PrometheusClient, 'query'>
  readonly #matchers: string

  /** @param matchers  which series, where several platforms are scraped: `cluster="east"` */
  constructor(client: Pick<PrometheusClient, 'query'>, matchers = '') {
    this.#client = client
    this.#matchers = matchers
  }

  async scrape(signal?: AbortSignal): Promise<CounterScrape> {
    const counter = `openwhisk_action_activations_total{${this.#matchers}}`
    const sampled = await this.#client.query(`max(timestamp(${counter}))`, { signal })
    const sampledAtSeconds = sampled.samples[0]?.value
    if (sampledAtSeconds === undefined) {
      const message = `Prometheus has no ${counter} (does it scrape the user-events service?)`
      throw new AdapterError('whisk_metrics_failed', message)
    }
    // As of that time: a scrape between the two queries does not mix.
    const all = `{__name__=~"openwhisk_action_.+"${this.#matchers && `,${this.#matchers}`}}`
    const { samples, warnings } = await this.#client.query(all, { signal, timeSeconds: sampledAtSeconds })
    if (warnings.length > 0)
      throw new AdapterError('whisk_metrics_failed', `a part of the truth only: ${warnings.join('; ')}`)
    return {
      samples: samples.map(({ labels, value = Number.NaN }) => ({ name: labels.__name__ ?? '', labels, value })),
      sampledAtMs: sampledAtSeconds * 1000,
    }
  }
}
