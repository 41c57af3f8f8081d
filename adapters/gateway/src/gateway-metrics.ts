import type { SchedulerStats } from '@trimtab/serve'
import { Counter, Histogram, type Metric, Reading, renderMetrics, type Sample } from './prometheus-text.js'

/** What the gateway tells of itself besides what it counts. */
export interface Readings {
  stats(): SchedulerStats
  concurrency(): number
  bufferedBytes(): number
  isDraining(): boolean
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

/** Everything behind `/metrics`. */
export class GatewayMetrics {
  readonly requests: Counter = new Counter('trimtab_gateway_requests_total', 'Requests answered, by route and status.')
  readonly failures: Counter = new Counter(
    'trimtab_gateway_failures_total',
    'Requests that were refused or broke off, by reason.',
  )
  readonly outputTokens: Counter = new Counter(
    'trimtab_gateway_output_tokens_total',
    'Output tokens of whole answers, by how they were counted.',
    [{ source: 'usage' }, { source: 'events' }],
  )
  readonly waits: Histogram = new Histogram(
    'trimtab_gateway_wait_seconds',
    'From the whole request to its start at the upstream.',
    SECONDS,
  )
  readonly services: Histogram = new Histogram(
    'trimtab_gateway_service_seconds',
    'From the start at the upstream to the end of the answer.',
    SECONDS,
  )
  readonly #all: readonly Metric[]

  constructor(readings: Readings) {
    let stats = readings.stats()
    const gauge = (name: string, help: string, read: () => number): Metric =>
      new Reading('gauge', `trimtab_gateway_${name}`, help, read)
    const counter = (name: string, help: string, read: () => number): Metric =>
      new Reading('counter', `trimtab_gateway_${name}_total`, help, read)
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
      new Reading(
        'summary',
        'trimtab_gateway_class_wait_seconds',
        'Waits by predicted class of length, 0 the shortest: the latest 1,024 of each.',
        () => classWaits(stats),
      ),
      this.requests,
      this.failures,
      this.outputTokens,
      this.waits,
      this.services,
    ]
  }

  render(): string {
    return renderMetrics(this.#all)
  }
}

function* classWaits(stats: SchedulerStats): Iterable<Sample> {
  for (const [index, waits] of stats.classes.entries()) {
    const labels = { class: String(index) }
    yield { labels: { ...labels, quantile: '0.5' }, value: waits.waitP50Ms / 1000 }
    yield { labels: { ...labels, quantile: '0.99' }, value: waits.waitP99Ms / 1000 }
    yield { suffix: '_sum', labels, value: waits.waitSumMs / 1000 }
    yield { suffix: '_count', labels, value: waits.started }
  }
}
