// What PodDisruptionBudgets allow at the moment.
import type { LabelSelector } from '../../../src/index.js'
import { asBudget } from '../objects.js'
import type { Registry } from '../registry.js'
import { matches } from '../selectors.js'
import { setStatus } from './controller.js'
import { isReady } from './workloads.js'

export async function reconcileBudgets(registry: Registry): Promise<void> {
  for (const budget of registry.store.list('policy/poddisruptionbudgets')) {
    const {
      selector = {},
      minAvailable,
      maxUnavailable,
    } = (asBudget(budget).spec ?? {}) as {
      selector?: LabelSelector
      minAvailable?: number | string
      maxUnavailable?: number | string
    }
    const pods = registry.store
      .list('/pods', budget.metadata.namespace)
      .filter(({ metadata }) => matches(selector, metadata.labels))
    const expected = pods.length
    const desiredHealthy =
      maxUnavailable === undefined
        ? scaled(minAvailable ?? 0, expected)
        : Math.max(0, expected - scaled(maxUnavailable, expected))
    const currentHealthy = pods.filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp).length
    await setStatus(registry, 'poddisruptionbudgets', budget, {
      expectedPods: expected,
      desiredHealthy,
      currentHealthy,
      disruptionsAllowed: Math.max(0, currentHealthy - desiredHealthy),
      observedGeneration: budget.metadata.generation,
    })
  }
}

/** A number or a share of the pods, rounded up. */
const scaled = (value: number | string, of: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseFloat(value) / 100) * of)
