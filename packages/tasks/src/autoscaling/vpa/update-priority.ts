import type { ContainerRecommendation, ResourceAmounts } from './types.js'

const RESOURCES = ['cpuMilli', 'memoryBytes'] as const

/** A container as it runs, and what it should request; a resource without a request counts as 0. */
export interface SizedContainer {
  readonly request: ResourceAmounts
  readonly recommendation: ContainerRecommendation
}

/** How much a pod needs its new size. */
export interface UpdatePriority {
  /** A request of some container is outside its bounds, or missing. */
  readonly isOutsideRange: boolean
  /** A request of some container would grow. */
  readonly grows: boolean
  /** Σ over resources of |target − request| / request, each summed over the containers first. */
  readonly resourceDiff: number
}

/** @param containers  of one pod, those that have a recommendation; resources without a target are left alone */
export function updatePriority(containers: readonly SizedContainer[]): UpdatePriority {
  let [isOutsideRange, grows, resourceDiff] = [false, false, 0]
  for (const resource of RESOURCES) {
    const sized = containers.filter(({ recommendation }) => recommendation.target[resource] !== undefined)
    if (sized.length === 0) continue
    let [requested, wanted] = [0, 0] // thousandths
    for (const { request, recommendation } of sized) {
      const own = request[resource]
      const target = recommendation.target[resource]!
      requested += toThousandths(own ?? 0, resource)
      wanted += toThousandths(target, resource)
      if (own === undefined || target > own) grows = true
      if (own === undefined || isOutside(own, recommendation, resource)) isOutsideRange = true
    }
    const base = Math.max(requested, 1) // one thousandth stands for no request at all, as upstream
    resourceDiff += Math.abs(base - wanted) / base
  }
  return { isOutsideRange, grows, resourceDiff }
}

/** For `sort`: pods that grow first, then the larger difference first. */
export const compareUpdatePriority = (a: UpdatePriority, b: UpdatePriority): number =>
  Number(b.grows) - Number(a.grows) || b.resourceDiff - a.resourceDiff

/** When a pod is worth a restart. */
export interface UpdateRules {
  /** A pod within its bounds is updated for a difference of this much at least; default 0.1. */
  readonly minChangePriority?: number
  /** … once it is this old; default 12 hours. */
  readonly podLifetimeSeconds?: number
  /** A container killed for memory sooner than this after its start is updated at once; default 10 minutes. */
  readonly evictAfterOomSeconds?: number
}

/** One pod, for the decision. */
export interface UpdateCandidate {
  readonly priority: UpdatePriority
  /** Since its start; `undefined`: it has not started. */
  readonly ageSeconds: number | undefined
  /** The shortest run of one of its containers that ended in a kill for memory; `undefined`: none. */
  readonly oomKilledAfterSeconds?: number | undefined
}

/** Whether a pod should be updated now. */
export function wantsUpdate(
  { priority, ageSeconds, oomKilledAfterSeconds = Number.POSITIVE_INFINITY }: UpdateCandidate,
  { minChangePriority = 0.1, podLifetimeSeconds = 12 * 3600, evictAfterOomSeconds = 600 }: UpdateRules = {},
): boolean {
  const { isOutsideRange, resourceDiff } = priority
  if (oomKilledAfterSeconds < evictAfterOomSeconds) return resourceDiff !== 0 // a restart alone would help nobody
  if (isOutsideRange) return true
  return ageSeconds !== undefined && ageSeconds >= podLifetimeSeconds && resourceDiff >= minChangePriority
}

const toThousandths = (amount: number, resource: keyof ResourceAmounts): number =>
  resource === 'cpuMilli' ? amount : amount * 1000

function isOutside(own: number, bounds: ContainerRecommendation, resource: keyof ResourceAmounts): boolean {
  const { lowerBound, upperBound } = bounds
  return own < (lowerBound?.[resource] ?? own) || own > (upperBound?.[resource] ?? own)
}
