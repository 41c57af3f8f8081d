import { MetricError, requireAmount } from './metric-error.js'
import type { Pod, PodSample, PodUsage } from './types.js'

/** Pods of the workload, and the names of those that a selector found beside them. */
export interface PodOwners {
  readonly own: readonly Pod[]
  readonly foreign: ReadonlySet<string>
}

/**
 * Takes the pods of other workloads out: a selector goes by labels alone, and two workloads may carry the same.
 * A pod whose workload is not known counts as the workload's own.
 * @param workload  uid of the workload that is scaled; `undefined`: every pod counts
 */
export function separateForeign(pods: readonly Pod[], workload: string | undefined): PodOwners {
  const own: Pod[] = []
  const foreign = new Set<string>()
  for (const pod of pods) {
    if (workload === undefined || pod.workload === undefined || pod.workload === workload) own.push(pod)
    else foreign.add(pod.name)
  }
  return { own, foreign }
}

/** Which pods may be judged by their samples, by name. */
export interface PodGroups {
  readyPodCount: number
  /** Pending, or too young to be judged. */
  readonly unready: Set<string>
  /** Without a sample. */
  readonly missing: Set<string>
  /** Terminating or finished: they count for nothing. */
  readonly ignored: Set<string>
}

/** How long a young pod's CPU is not believed, in seconds; see the spec's fields. */
export interface ReadinessPeriods {
  readonly cpuInitializationSeconds: number
  readonly initialReadinessDelaySeconds: number
}

/**
 * Sorts pods into ready, unready, missing and ignored.
 *
 * Only CPU looks at readiness: start-up work would be taken for load.
 */
export function groupPods(
  pods: readonly Pod[],
  samples: ReadonlyMap<string, PodSample>,
  resource: string,
  periods: ReadinessPeriods,
  nowSeconds: number,
): PodGroups {
  const groups: PodGroups = { readyPodCount: 0, unready: new Set(), missing: new Set(), ignored: new Set() }
  for (const pod of pods) {
    const sample = samples.get(pod.name)
    if (pod.isTerminating || pod.phase === 'Failed' || pod.phase === 'Succeeded') groups.ignored.add(pod.name)
    else if (pod.phase === 'Pending') groups.unready.add(pod.name)
    else if (sample === undefined) groups.missing.add(pod.name)
    else if (resource === 'cpu' && isUnready(pod, sample, periods, nowSeconds)) groups.unready.add(pod.name)
    else groups.readyPodCount += 1
  }
  return groups
}

function isUnready(pod: Pod, sample: PodSample, periods: ReadinessPeriods, nowSeconds: number): boolean {
  if (pod.ready === undefined || pod.startSeconds === undefined) return true
  const transitionSeconds = pod.readyTransitionSeconds ?? 0
  if (pod.startSeconds + periods.cpuInitializationSeconds > nowSeconds) {
    return pod.ready === 'False' || sample.atSeconds < transitionSeconds + sample.windowSeconds
  }
  // Past the initialization period a pod that was ready once is busy, not starting.
  return pod.ready === 'False' && pod.startSeconds + periods.initialReadinessDelaySeconds > transitionSeconds
}

/** Pods that run and are ready: what a whole-object metric is shared by. */
export function countReadyPods(pods: readonly Pod[]): number {
  let count = 0
  for (const pod of pods) if (pod.phase === 'Running' && pod.ready === 'True') count += 1
  return count
}

/**
 * Each pod's usage of one resource, of all its containers or of one.
 *
 * A pod with a container that reports no such resource, or without the named container, has no sample.
 */
export function resourceSamples(
  usage: readonly PodUsage[],
  resource: string,
  container: string | undefined,
): Map<string, PodSample> {
  const samples = new Map<string, PodSample>()
  for (const { pod, atSeconds, windowSeconds, containers } of usage) {
    const chosen = container === undefined ? containers : containers.filter(({ name }) => name === container)
    let valueMilli: number | undefined = chosen.length === 0 ? undefined : 0
    for (const { usageMilli } of chosen) {
      const amount = usageMilli[resource]
      valueMilli = amount === undefined || valueMilli === undefined ? undefined : valueMilli + amount
    }
    if (valueMilli !== undefined) samples.set(pod, { pod, atSeconds, windowSeconds, valueMilli })
  }
  return samples
}

/**
 * Each pod's request of one resource, in thousandths.
 * @throws {MetricError} `missing_request`, `container_not_found`, `metric_invalid`: a utilization of nothing cannot be computed
 */
export function podRequests(
  pods: readonly Pod[],
  resource: string,
  container: string | undefined,
): Map<string, number> {
  const requests = new Map<string, number>()
  for (const pod of pods) {
    const chosen = container === undefined ? pod.containers : pod.containers.filter(({ name }) => name === container)
    if (container !== undefined && chosen.length === 0) {
      throw new MetricError('container_not_found', `pod ${pod.name} has no container ${container} (metric.container)`)
    }
    let sum = 0
    for (const { name, requestsMilli } of chosen) {
      const request = requestsMilli[resource]
      if (request === undefined) {
        throw new MetricError(
          'missing_request',
          `container ${name} of pod ${pod.name} has no ${resource} request: set one, or target an average value`,
        )
      }
      sum += requireAmount(request, `the ${resource} request of container ${name} of pod ${pod.name}`)
    }
    requests.set(pod.name, sum)
  }
  return requests
}
