import { MetricError } from './metric-error.js'
import { groupPods, podRequests, type ReadinessPeriods } from './pods.js'
import { divideWhole, sumWeighted } from './ratio.js'
import type { Pod, PodSample, PodTally } from './types.js'

/** A metric of the pods: which readiness rules hold, and what its usage is held against. */
export interface TallyGoal {
  /** `cpu` looks at readiness; anything else does not. */
  readonly resource: string
  readonly container: string | undefined
  readonly target: { readonly utilizationPercent: number } | { readonly averageValueMilli: number }
}

/**
 * Counts pods and samples for one metric.
 *
 * Samples of pods that the selector did not find stay in the count; a utilization target leaves them out of the sums.
 *
 * @throws {MetricError} `no_pods`, `no_samples`, `missing_request`, `container_not_found`
 */
export function tallyPods(
  pods: readonly Pod[],
  samples: ReadonlyMap<string, PodSample>,
  goal: TallyGoal,
  periods: ReadinessPeriods,
  nowSeconds: number,
): PodTally {
  if (pods.length === 0) throw new MetricError('no_pods', 'the selector finds no pods')
  const groups = groupPods(pods, samples, goal.resource, periods, nowSeconds)
  const values = new Map<string, number>()
  for (const { pod, valueMilli } of samples.values()) {
    if (!groups.ignored.has(pod) && !groups.unready.has(pod)) values.set(pod, valueMilli)
  }
  if (values.size === 0) throw new MetricError('no_samples', 'no sample of the pods that count (they may be unready)')

  const { target } = goal
  const isUtilization = 'utilizationPercent' in target
  const requests = isUtilization ? podRequests(pods, goal.resource, goal.container) : undefined
  const weightOf = (pod: string): number => (requests === undefined ? 1 : (requests.get(pod) ?? 0))
  // A missing pod is taken to use its whole request, so that losing metrics cannot shrink a target below 100 %.
  const fillPercent = isUtilization ? Math.max(100, target.utilizationPercent) : 0
  let missingWeight = 0
  let missingAtTargetMilli = 0
  for (const pod of groups.missing) {
    missingWeight += weightOf(pod)
    missingAtTargetMilli += isUtilization ? divideWhole(weightOf(pod) * fillPercent, 100) : target.averageValueMilli
  }
  let unreadyWeight = 0
  for (const pod of groups.unready) unreadyWeight += weightOf(pod)

  const { usage, weight, pods: weighted } = sumWeighted(values, requests)
  return {
    readyPods: groups.readyPodCount,
    samples: values.size,
    usageMilli: usage,
    weight,
    weighted,
    missingPods: groups.missing.size,
    missingWeight,
    missingAtTargetMilli,
    unreadyPods: groups.unready.size,
    unreadyWeight,
  }
}
