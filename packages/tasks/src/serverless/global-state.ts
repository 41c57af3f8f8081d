import type { Space } from '@trimtab/core'
import { AgentSums, writeOthers } from '@trimtab/learn'
import type { GlobalFeature } from './features.js'
import type { ClusterScale, TenantView } from './tenant-view.js'

/** What critics see of the others. */
export interface GlobalView {
  readonly features: readonly GlobalFeature[]
  /** Behind them, how each deviates between the others. */
  readonly hasDeviations: boolean
}

/** The space of a view; names may be none. */
export function globalSpace({ features, hasDeviations }: GlobalView): Space {
  const deviations = hasDeviations ? features : []
  return {
    names: [...features.map(({ name }) => name), ...deviations.map(({ name }) => `${name}Deviation`)],
    low: Float64Array.of(...features.map(({ low }) => low), ...deviations.map(() => 0)),
    high: Float64Array.of(...features.map(({ high }) => high), ...deviations.map(({ low, high }) => high - low)),
    kind: 'box',
  }
}

/**
 * The global state of every agent: what the others come to. Sums over all, less the agent's own: linear in agents, and no list of them.
 * N: agents, K: features.
 */
export class GlobalState {
  readonly #view: GlobalView
  readonly #sums: AgentSums | undefined
  readonly #values: Float64Array // [N, K]

  constructor(view: GlobalView, agents: number) {
    this.#view = view
    this.#sums = view.features.length > 0 ? new AgentSums(view.features.length) : undefined
    this.#values = new Float64Array(agents * view.features.length)
  }

  /**
   * Fills `out` [N, G]; zeros of agents that are not there, and of one that is alone.
   * @param isPresent  whether an agent is there
   */
  fill(
    views: readonly Readonly<TenantView>[],
    isPresent: (agent: number) => boolean,
    scale: ClusterScale,
    out: Float32Array,
  ): void {
    const sums = this.#sums
    out.fill(0)
    if (sums === undefined) return
    const { features } = this.#view
    const count = features.length
    sums.clear()
    for (const [agent, view] of views.entries()) {
      if (!isPresent(agent)) continue
      for (const [k, feature] of features.entries())
        this.#values[agent * count + k] = clip(feature.of(view, scale), feature)
      sums.add(this.#values, agent * count)
    }
    const size = out.length / views.length
    for (const agent of views.keys()) {
      if (!isPresent(agent)) continue
      const own = this.#values.subarray(agent * count, (agent + 1) * count)
      writeOthers(sums, features, own, out.subarray(agent * size, (agent + 1) * size))
    }
  }
}

/** A number forced into a feature's range. */
export const clip = (value: number, { low, high }: { readonly low: number; readonly high: number }): number =>
  Math.min(high, Math.max(low, value))
