import type { Core } from '@trimtab/core'
import type { AutoscalingEnvironment } from '../environment.js'
import { type AutoscalingEvaluation, evaluateAutoscaling } from '../evaluate.js'
import { HorizontalAutoscaler } from '../hpa/index.js'
import type { Allocation, AllocationBounds, Telemetry } from '../telemetry.js'
import { VerticalRecommender } from '../vpa/index.js'
import { type AllocationTarget, Heuristic } from './heuristic.js'
import { pickSafe } from './oracles.js'

const MIB = 1024 * 1024

/** What an operator sets of HPA and VPA. */
export interface HpaVpaSettings {
  /** CPU request and limit of a replica, cores. */
  readonly podCores: number
  /** HPA's target, CPU use over request, percent. */
  readonly targetPercent: number
}

/** The grid that operators would try (issue of tuning: pod size × target). */
export const HPA_VPA_GRID: readonly HpaVpaSettings[] = [0.5, 1, 2, 4].flatMap((podCores) =>
  [10, 20, 30, 40, 50, 60, 70, 80, 90].map((targetPercent) => ({ podCores, targetPercent })),
)

/**
 * What Kubernetes offers without learning: HPA on CPU, VPA on memory (5.4: AWARE's rule). Both on CPU fight each other, so
 * VPA leaves CPU alone. Both start afresh with each episode: it is another moment of the load, and histories of other moments make
 * VPA hold the memory of the worst of them (measured: 5 of 200 less reward).
 */
export class HpaVpa extends Heuristic {
  readonly name = 'hpa-vpa'
  protected readonly reads: readonly (keyof Telemetry)[] = [
    'timeSeconds',
    'usedCores',
    'usedMemoryMiB',
    'readyReplicas',
    'startingReplicas',
    'coresPerReplica',
    'memoryMiBPerReplica',
    'oomKills',
  ]
  readonly settings: HpaVpaSettings
  readonly #hpa: HorizontalAutoscaler
  readonly #vpa: VerticalRecommender

  constructor(core: Core, target: AllocationTarget, bounds: AllocationBounds, settings: HpaVpaSettings) {
    super(target)
    this.settings = settings
    this.#hpa = new HorizontalAutoscaler({
      minReplicas: bounds.replicas[0],
      maxReplicas: bounds.replicas[1],
      metrics: [{ source: 'resource', resource: 'cpu', target: { utilizationPercent: settings.targetPercent } }],
    })
    this.#vpa = new VerticalRecommender(core.math, { controlled: ['memory'] })
  }

  override beginEpisode(): void {
    this.#hpa.reset()
    this.#vpa.reset()
  }

  protected allocate(t: Telemetry, out: Allocation): void {
    out.coresPerReplica = this.settings.podCores
    const requestMilli = 1000 * t.coresPerReplica
    out.replicas = this.#hpa.reconcile({
      nowSeconds: t.timeSeconds,
      specReplicas: out.replicas,
      readings: [
        {
          tally: {
            readyPods: t.readyReplicas,
            usageMilli: Math.round(1000 * t.usedCores),
            weight: Math.round(requestMilli * t.readyReplicas),
            unreadyPods: t.startingReplicas,
            unreadyWeight: Math.round(requestMilli * t.startingReplicas),
          },
        },
      ],
    }).replicas
    this.#vpa.addMemorySample(t.timeSeconds, t.usedMemoryMiB * MIB)
    this.#vpa.addCpuSample(t.timeSeconds, (1000 * t.usedCores) / t.readyReplicas) // confidence comes from CPU samples
    if (t.oomKills > 0) this.#vpa.recordOom(t.timeSeconds, t.memoryMiBPerReplica * MIB)
    // The updater leaves a request alone while it lies inside the recommendation's bounds; a kill is acted upon at once.
    const { target, lowerBound, upperBound } = this.#vpa.recommend(t.timeSeconds)
    const bytes = t.memoryMiBPerReplica * MIB
    const isOutside =
      bytes < (lowerBound.memoryBytes ?? 0) || bytes > (upperBound.memoryBytes ?? Number.POSITIVE_INFINITY)
    if (target.memoryBytes !== undefined && (isOutside || t.oomKills > 0))
      out.memoryMiBPerReplica = target.memoryBytes / MIB
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
