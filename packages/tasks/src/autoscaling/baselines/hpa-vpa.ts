import type { Core } from '@trimtab/core'
import type { AutoscalingEnvironment } from '../environment.js'
import { type AutoscalingEvaluation, evaluateAutoscaling, pickSafe } from '../evaluate.js'
import { HPA_VPA_READS, HpaVpaRule, type HpaVpaSettings } from '../rules/hpa-vpa-rule.js'
import type { Allocation, AllocationBounds, Telemetry } from '../telemetry.js'
import { type AllocationTarget, Heuristic } from './heuristic.js'

/** The grid that operators would try (issue of tuning: pod size × target). */
export const HPA_VPA_GRID: readonly HpaVpaSettings[] = [0.5, 1, 2, 4].flatMap((podCores) =>
  [10, 20, 30, 40, 50, 60, 70, 80, 90].map((targetPercent) => ({ podCores, targetPercent })),
)

/**
 * `HpaVpaRule` standing where an agent can. HPA and VPA start afresh with each episode: it is another moment of the load, and
 * histories of other moments make VPA hold the memory of the worst of them (measured: 5 of 200 less reward).
 */
export class HpaVpa extends Heuristic {
  readonly name = 'hpa-vpa'
  protected readonly reads: readonly (keyof Telemetry)[] = HPA_VPA_READS
  readonly settings: HpaVpaSettings
  readonly #rule: HpaVpaRule

  constructor(core: Core, target: AllocationTarget, bounds: AllocationBounds, settings: HpaVpaSettings) {
    super(target)
    this.settings = settings
    this.#rule = new HpaVpaRule(core, { bounds }, settings, false)
  }

  override beginEpisode(): void {
    this.#rule.reset()
  }

  protected allocate(telemetry: Telemetry, out: Allocation): void {
    this.#rule.allocate(telemetry, out)
  }
}

/**
 * HPA+VPA with the pod size and target that earn most on the given episodes among those with at most 1 % violations
 * (when there is none: within half a point of the fewest). A fifth of the episodes screens the grid: what breaks the SLO in
 * over 2 % of their steps (and two points more than the best) is not looked at again.
 */
export function tuneHpaVpa(core: Core, environment: AutoscalingEnvironment, seeds: readonly number[]): HpaVpaSettings {
  const { bounds } = environment.simulator.options
  const judged = (
    settings: HpaVpaSettings,
    episodes: readonly number[],
  ): { settings: HpaVpaSettings; result: AutoscalingEvaluation } => ({
    settings,
    result: evaluateAutoscaling(environment, new HpaVpa(core, environment, bounds, settings), episodes),
  })
  const screened = HPA_VPA_GRID.map((settings) => judged(settings, seeds.slice(0, Math.ceil(seeds.length / 5))))
  const limit = Math.max(2, 2 + Math.min(...screened.map(({ result }) => result.violationPercent)))
  const left = screened.filter(({ result }) => result.violationPercent <= limit)
  return pickSafe(
    left.map(({ settings }) => judged(settings, seeds)),
    ({ result }) => result,
    1,
  ).settings
}
