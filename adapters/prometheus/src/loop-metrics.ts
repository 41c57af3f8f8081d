import { CLIP_REASONS, FALLBACK_REASONS, type Source, type Stage, type Tick } from '@trimtab/control'
import type { Metric } from '@trimtab/core/text'
import { CounterMetric, HistogramMetric, ObservableMetric } from './instruments.js'

const SOURCES: readonly Source[] = ['agent', 'rule', 'hold']
const STAGES: readonly Stage[] = ['initialized', 'offline', 'online', 'serving']
const SECONDS = [1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1]

/**
 * What control loops do, for `/metrics`: who acted, why the agent was not followed, what the guard changed. All labels are closed sets: as
 * many series for a thousand loops as for one. The ticks of any number of loops may be told.
 *
 * @example
 * const loops = new LoopMetrics()
 * server.on('request', (_, response) => response.setHeader('content-type', METRICS_CONTENT_TYPE).end(renderMetrics(loops.metrics)))
 * for await (const tick of loop) loops.observe(tick)
 */
export class LoopMetrics {
  readonly #steps = new CounterMetric(
    'trimtab_loop_steps_total',
    'Steps of control loops, by whose action was applied; hold: the last safe one.',
    SOURCES.map((source) => ({ source })),
  )
  readonly #stages = new CounterMetric(
    'trimtab_loop_stage_steps_total',
    'Steps by the stage in which they were decided.',
    STAGES.map((stage) => ({ stage })),
  )
  readonly #fallbacks = new CounterMetric(
    'trimtab_loop_fallbacks_total',
    'Steps in which the agent was not followed, by reason.',
    FALLBACK_REASONS.map((reason) => ({ reason })),
  )
  readonly #clips = new CounterMetric(
    'trimtab_loop_clipped_actions_total',
    'Actions that the guard changed, by what they met.',
    CLIP_REASONS.map((reason) => ({ reason })),
  )
  readonly #failures = new CounterMetric(
    'trimtab_loop_failures_total',
    'Steps in which the pilot or the environment failed.',
    [{}],
  )
  readonly #unrewarded = new CounterMetric(
    'trimtab_loop_unrewarded_steps_total',
    'Steps whose reward was not measured.',
    [{}],
  )
  readonly #decisions = new HistogramMetric('trimtab_decision_duration_seconds', 'How long a decision took.', SECONDS)
  #reward = Number.NaN

  /** For `renderMetrics`. */
  readonly metrics: readonly Metric[] = [
    this.#steps,
    this.#stages,
    this.#fallbacks,
    this.#clips,
    this.#failures,
    this.#unrewarded,
    this.#decisions,
    new ObservableMetric('gauge', 'trimtab_loop_reward', 'The last reward that was measured.', () => this.#reward),
  ]

  /** Takes a step in. */
  observe({ source, stage, fallback, clippedBy, failure, reward, decisionMicros }: Tick): void {
    this.#steps.add(1, { source })
    this.#stages.add(1, { stage })
    if (fallback !== undefined) this.#fallbacks.add(1, { reason: fallback })
    for (const reason of clippedBy) this.#clips.add(1, { reason })
    if (failure !== undefined) this.#failures.add(1)
    if (decisionMicros > 0) this.#decisions.observe(decisionMicros / 1e6) // 0: the loop has no clock
    if (Number.isNaN(reward)) this.#unrewarded.add(1)
    else this.#reward = reward
  }
}
