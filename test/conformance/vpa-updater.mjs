// Handlers for the vertical autoscaler's vectors, the updater's.
import { compareUpdatePriority, EvictionLimit, updatePriority, wantsUpdate } from '@trimtab/tasks/vpa'
import { compare } from './compare.mjs'
import { compareNumbers, present, toAmounts, toRecommendation } from './kubernetes.mjs'

const toPriority = ({ outsideRecommendedRange, resourceDiff, scaleUp }) => ({
  isOutsideRange: outsideRecommendedRange,
  resourceDiff,
  grows: scaleUp,
})

export const handlers = {
  'update-priority'({ inputs, expected }) {
    const containers = inputs.containers.map(({ request, ...recommendation }) => ({
      request: toAmounts(request),
      recommendation: toRecommendation(recommendation),
    }))
    const { isOutsideRange, resourceDiff, grows } = updatePriority(containers)
    return compareNumbers({ outsideRecommendedRange: isOutsideRange, resourceDiff, scaleUp: grows }, expected)
  },

  'update-order'({ inputs, expected }) {
    const order = inputs.pods
      .map((pod) => ({ name: pod.name, priority: toPriority(pod) }))
      .toSorted((a, b) => compareUpdatePriority(a.priority, b.priority))
      .map(({ name }) => name)
    return compare(order, expected.order, undefined, 'expected.order')
  },

  'update-decision'({ inputs, expected }) {
    const { minChangePriority, podLifetimeThresholdSeconds, evictAfterOomSeconds, podAgeSeconds } = inputs
    const rules = { minChangePriority, podLifetimeSeconds: podLifetimeThresholdSeconds, evictAfterOomSeconds }
    const update = inputs.pods.map((pod) => {
      const oomKilledAfterSeconds = present(pod.oomKilledAfterRunningSeconds)
      const candidate = { priority: toPriority(pod), ageSeconds: present(podAgeSeconds), oomKilledAfterSeconds }
      return wantsUpdate(candidate, rules)
    })
    return compareNumbers({ update }, expected)
  },

  eviction({ inputs, expected }) {
    const { configuredReplicas, evictionTolerance, minReplicas, pods } = inputs
    const isPending = pods.map((phase) => phase === 'Pending')
    const limit = new EvictionLimit({
      configuredReplicas,
      evictionTolerance,
      minReplicas,
      livePods: pods.length,
      pendingPods: isPending.filter(Boolean).length,
    })
    const canEvict = isPending.map((pending) => limit.canEvict(pending))
    const evictedInOrder = isPending.map((pending) => {
      const evicted = limit.canEvict(pending)
      if (evicted) limit.noteEviction(pending)
      return evicted
    })
    return compareNumbers({ canEvict, evictedInOrder }, expected)
  },
}
