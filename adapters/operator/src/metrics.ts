import type { Informer, MultidimPodAutoscaler } from '@trimtab/kubernetes'
import { PAUSE_ANNOTATION } from '@trimtab/kubernetes'
import { CounterMetric, HistogramMetric, LoopMetrics, type Metric, ObservableMetric } from '@trimtab/prometheus'
import { OPERATOR_PARTS, type OperatorPart } from './names.js'

/** What is carried out on a workload. */
export const CHANGE_KINDS = ['replicas', 'resize', 'evict'] as const
/** What is carried out on a workload. */
export type ChangeKind = (typeof CHANGE_KINDS)[number]

const OUTCOMES = ['done', 'failed'] as const
const MODES = ['recommend', 'act', 'paused'] as const
const SECONDS = [0.001, 0.01, 0.1, 0.3, 1, 3, 10, 30, 60]
/** Codes are the server's words: whatever lies before it may have more of them than a database of series can hold. */
const MOST_CODES = 30

/**
 * What the operator does, for `/metrics`. No series for a workload: as many for ten thousand as for one.
 *
 * @example
 * const metrics = new OperatorMetrics(autoscalers)
 * metrics.passed('updater', 0.2, 'done')
 * response.setHeader('content-type', METRICS_CONTENT_TYPE).end(renderMetrics(metrics.all))
 */
export class OperatorMetrics {
  /** What control loops do; for whoever runs them. */
  readonly loops: LoopMetrics = new LoopMetrics()
  readonly #passes = new CounterMetric(
    'trimtab_operator_passes_total',
    'Passes of a part over all autoscalers; failed: given up as a whole.',
    OPERATOR_PARTS.flatMap((part) => OUTCOMES.map((outcome) => ({ part, outcome }))),
  )
  readonly #durations = new HistogramMetric(
    'trimtab_operator_pass_duration_seconds',
    'How long a pass took.',
    SECONDS,
    OPERATOR_PARTS.map((part) => ({ part })),
  )
  readonly #changes = new CounterMetric(
    'trimtab_operator_changes_total',
    'Changes that were carried out: replicas of a workload, pods resized in place, pods evicted.',
    CHANGE_KINDS.map((kind) => ({ kind })),
  )
  readonly #refusals = new CounterMetric(
    'trimtab_operator_refusals_total',
    'Changes that were wanted and not carried out, by the reason that the condition Acting gives.',
  )
  readonly #apiFailures = new CounterMetric(
    'trimtab_operator_api_failures_total',
    'Requests to the API server that failed, by the code of the error; each try counts.',
  )
  readonly #codes = new Set<string>()
  readonly #leads = new Map<OperatorPart, boolean>()

  /** For `renderMetrics`. */
  readonly all: readonly Metric[]

  /** @param autoscalers  those that are looked after */
  constructor(autoscalers: Pick<Informer<MultidimPodAutoscaler>, 'values'>) {
    this.all = [
      this.#passes,
      this.#durations,
      new ObservableMetric(
        'gauge',
        'trimtab_operator_autoscalers',
        'Autoscalers that are looked after, by mode.',
        () => {
          const modes = [...autoscalers.values()].map(modeOf)
          return MODES.map((mode) => ({ labels: { mode }, value: modes.filter((one) => one === mode).length }))
        },
      ),
      this.#changes,
      this.#refusals,
      new ObservableMetric(
        'gauge',
        'trimtab_operator_leader',
        'Whether this replica leads a part that it runs: 1, or 0.',
        () => [...this.#leads].map(([part, leads]) => ({ labels: { part }, value: leads ? 1 : 0 })),
      ),
      this.#apiFailures,
      ...this.loops.metrics,
    ]
  }

  /** A pass ended. */
  passed(part: OperatorPart, seconds: number, outcome: (typeof OUTCOMES)[number]): void {
    this.#passes.add(1, { part, outcome })
    this.#durations.observe(seconds, { part })
  }

  /** A change was carried out. */
  changed(kind: ChangeKind): void {
    this.#changes.add(1, { kind })
  }

  /** A change was wanted and not carried out. @param reason  of the condition `Acting`: a closed set */
  refused(reason: string): void {
    this.#refusals.add(1, { reason })
  }

  /** This replica leads a part from now on, or no longer. */
  led(part: OperatorPart, leads: boolean): void {
    this.#leads.set(part, leads)
  }

  /** A request to the API server failed. */
  apiFailed(code: string): void {
    if (this.#codes.size < MOST_CODES) this.#codes.add(code)
    this.#apiFailures.add(1, { code: this.#codes.has(code) ? code : 'other' })
  }
}

function modeOf({ metadata, spec }: MultidimPodAutoscaler): (typeof MODES)[number] {
  if (metadata?.annotations?.[PAUSE_ANNOTATION] !== undefined) return 'paused'
  return spec.mode === 'act' ? 'act' : 'recommend'
}
