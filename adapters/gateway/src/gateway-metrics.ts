import { type Metric, type MetricSample, renderMetrics } from '@trimtab/core/text'
import {
  CounterMetric,
  type CounterSeries,
  HistogramMetric,
  type HistogramSeries,
  ObservableMetric,
} from '@trimtab/prometheus/metrics'
import { NameTable, type SchedulerStats } from '@trimtab/serve'
import type { Upstream } from './upstream.js'

/** What the gateway tells of itself besides what it counts. */
export interface Readings {
  stats(): SchedulerStats
  concurrency(): number
  bufferedBytes(): number
  isDraining(): boolean
  upstreams(): readonly Upstream[]
}

/** Models with series of their own; a name is one from its eighth request on. */
const MOST_MODELS = 64
const OTHER = 'other'
const RATIOS = [0.125, 0.25, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 4, 8]
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

/** What is told of a model's answers. */
export interface ModelSeries {
  /** By how they were counted. */
  readonly outputTokens: { readonly usage: CounterSeries; readonly text: CounterSeries }
  readonly predictedTokens: CounterSeries
  readonly predictionRatios: HistogramSeries
  readonly waits: HistogramSeries
  readonly firstTokens: HistogramSeries
  readonly services: HistogramSeries
}

/** Everything behind `/metrics`. */
export class GatewayMetrics {
  readonly requests: CounterMetric = new CounterMetric(
    'trimtab_gateway_requests_total',
    'Requests answered, by route and status.',
  )
  readonly failures: CounterMetric = new CounterMetric(
    'trimtab_gateway_failures_total',
    'Requests that were refused or broke off, by reason.',
  )
  readonly refusals: CounterMetric = new CounterMetric(
    'trimtab_gateway_upstream_refusals_total',
    'Times that an upstream did not take a request, which was held then, by reason.',
    [{ reason: 'unreachable' }, { reason: 'retry_after' }],
  )
  readonly #outputTokens: CounterMetric = new CounterMetric(
    'trimtab_gateway_output_tokens_total',
    'Output tokens of whole answers, by model and how they were counted.',
  )
  readonly #predictedTokens: CounterMetric = new CounterMetric(
    'trimtab_gateway_predicted_tokens_total',
    'What was predicted for the answers whose tokens were counted, by model.',
  )
  readonly uncounted: CounterMetric = new CounterMetric(
    'trimtab_gateway_uncounted_answers_total',
    'Answers that taught nothing: cut or failed, compressed though asked for plain, silent about their length.',
    [{ reason: 'cut' }, { reason: 'compressed' }, { reason: 'silent' }],
  )
  readonly #predictionRatios: HistogramMetric = new HistogramMetric(
    'trimtab_gateway_prediction_ratio',
    'Predicted by actual length of an answer, by model.',
    RATIOS,
    [],
  )
  readonly #waits: HistogramMetric = new HistogramMetric(
    'trimtab_gateway_wait_seconds',
    'From the whole request to its place at an upstream, by model.',
    SECONDS,
    [],
  )
  readonly #firstTokens: HistogramMetric = new HistogramMetric(
    'trimtab_gateway_time_to_first_token_seconds',
    'From the whole request to the first text of its stream, by model.',
    SECONDS,
    [],
  )
  readonly services: HistogramMetric = new HistogramMetric(
    'trimtab_gateway_service_seconds',
    'From the place at an upstream to the end of the answer, by model.',
    SECONDS,
    [],
  )
  readonly #byModel = [
    this.#outputTokens,
    this.#predictedTokens,
    this.#predictionRatios,
    this.#waits,
    this.#firstTokens,
    this.services,
  ]
  readonly #models = new NameTable<{ series?: ModelSeries }>(
    MOST_MODELS,
    () => ({}),
    ({ name, value }) => {
      if (value.series) for (const metric of this.#byModel) metric.forget('model', name)
    },
  )
  readonly #other = this.#seriesOf(OTHER)
  readonly #all: readonly Metric[]

  constructor(readings: Readings) {
    let stats = readings.stats()
    const gauge = (name: string, help: string, read: () => number): Metric =>
      new ObservableMetric('gauge', `trimtab_gateway_${name}`, help, read)
    const counter = (name: string, help: string, read: () => number): Metric =>
      new ObservableMetric('counter', `trimtab_gateway_${name}_total`, help, read)
    this.#all = [
      gauge('waiting_requests', 'Requests in the queue.', () => {
        stats = readings.stats() // once a page, for all that follow
        return stats.waiting
      }),
      gauge('running_requests', 'Requests at the upstream, of those that are queued.', () => stats.running),
      gauge('concurrency', 'Requests that may be at the upstream together.', () => readings.concurrency()),
      gauge(
        'oldest_wait_seconds',
        'How long the oldest request in the queue has waited.',
        () => stats.oldestWaitMs / 1000,
      ),
      gauge('buffered_bytes', 'Bodies of requests that wait or run.', () => readings.bufferedBytes()),
      gauge('draining', '1 when no new requests are taken.', () => Number(readings.isDraining())),
      counter('bypasses', 'How often the oldest waiting request was passed by a later one.', () => stats.all.bypasses),
      counter('estimator_errors', 'Lengths that could not be predicted or learned.', () => stats.estimatorErrors),
      new ObservableMetric(
        'summary',
        'trimtab_gateway_class_wait_seconds',
        'Waits by predicted class of length, 0 the shortest: the latest 1,024 of each.',
        () => classWaits(stats),
      ),
      new ObservableMetric('gauge', 'trimtab_gateway_upstream_up', '1 for an upstream that is well.', () =>
        readings.upstreams().map(({ host, failure }) => ({ labels: { upstream: host }, value: Number(!failure) })),
      ),
      new ObservableMetric(
        'gauge',
        'trimtab_gateway_upstream_running_requests',
        'Queued requests at each upstream.',
        () => readings.upstreams().map(({ host, running }) => ({ labels: { upstream: host }, value: running })),
      ),
      this.requests,
      this.failures,
      this.refusals,
      this.uncounted,
      ...this.#byModel,
    ]
  }

  /** What is told of a model; names come from clients, and those that are seldom asked for share their series. */
  of(model: string): ModelSeries {
    const { isEstablished, name, value } = this.#models.see(model)
    if (!isEstablished || name === OTHER) return this.#other
    value.series ??= this.#seriesOf(name)
    return value.series
  }

  render(): string {
    return renderMetrics(this.#all)
  }

  #seriesOf(model: string): ModelSeries {
    return {
      outputTokens: {
        usage: this.#outputTokens.series({ model, source: 'usage' }),
        text: this.#outputTokens.series({ model, source: 'text' }),
      },
      predictedTokens: this.#predictedTokens.series({ model }),
      predictionRatios: this.#predictionRatios.series({ model }),
      waits: this.#waits.series({ model }),
      firstTokens: this.#firstTokens.series({ model }),
      services: this.services.series({ model }),
    }
  }
}

function* classWaits(stats: SchedulerStats): Iterable<MetricSample> {
  for (const [index, waits] of stats.classes.entries()) {
    const labels = { class: String(index) }
    yield { labels: { ...labels, quantile: '0.5' }, value: waits.waitP50Ms / 1000 }
    yield { labels: { ...labels, quantile: '0.99' }, value: waits.waitP99Ms / 1000 }
    yield { suffix: '_sum', labels, value: waits.waitSumMs / 1000 }
    yield { suffix: '_count', labels, value: waits.started }
  }
}
