import type { ContainerRecommendation, ResourceAmounts } from './types.js'

const MAX_INT64 = 9223372036854775807n

/** `a · b / c` for whole amounts, exact, rounded down (`floor`) or up (`ceil`), at most 2^63 − 1. */
function mulDiv(a: number, b: number, c: number, rounding: 'floor' | 'ceil'): number {
  const product = a * b
  if (product <= Number.MAX_SAFE_INTEGER) return Math[rounding](product / c)
  const divisor = BigInt(c)
  const quotient = (BigInt(a) * BigInt(b) + (rounding === 'ceil' ? divisor - 1n : 0n)) / divisor
  return Number(quotient > MAX_INT64 ? MAX_INT64 : quotient)
}

/** A container's own amount of one resource, in whole millicores or bytes; `undefined` or 0: not set. */
export interface ContainerAmounts {
  readonly request: number | undefined
  readonly limit: number | undefined
}

/**
 * The limit that keeps the container's limit : request ratio for a new request; `undefined`: leave it unset.
 * @param defaultLimit  of the namespace's LimitRange, for containers without a limit
 */
export function proportionalLimit(
  { request, limit: ownLimit }: ContainerAmounts,
  recommendedRequest: number | undefined,
  defaultLimit: number | undefined,
): number | undefined {
  const limit = ownLimit || defaultLimit
  if (!limit || !recommendedRequest) return undefined
  // A limit without a request means that the request equals it.
  if (!request || request === limit) return recommendedRequest
  return mulDiv(limit, recommendedRequest, request, 'floor')
}

const FIELDS = ['target', 'lowerBound', 'upperBound'] as const

type CapAmount = (amount: number, resource: keyof ResourceAmounts) => number

/** Applies `cap` to target and bounds; the uncapped target stays as it is. */
function mapRecommendation(recommendation: ContainerRecommendation, cap: CapAmount): ContainerRecommendation {
  const capped: Record<string, ResourceAmounts> = {}
  for (const field of FIELDS) {
    const amounts = recommendation[field]
    if (amounts === undefined) continue
    const { cpuMilli, memoryBytes } = amounts
    capped[field] = {
      ...(cpuMilli === undefined ? {} : { cpuMilli: cap(cpuMilli, 'cpuMilli') }),
      ...(memoryBytes === undefined ? {} : { memoryBytes: cap(memoryBytes, 'memoryBytes') }),
    }
  }
  return { ...recommendation, ...capped }
}

/** Bounds that an operator sets; 0 or nothing: no bound. */
export interface CappingPolicy {
  readonly minAllowed?: ResourceAmounts | undefined
  readonly maxAllowed?: ResourceAmounts | undefined
  /** Of the whole recommender; fills what `maxAllowed` leaves out. */
  readonly globalMaxAllowed?: ResourceAmounts | undefined
}

/** Keeps target and bounds within the policy. Where minimum and maximum contradict, the maximum wins. */
export function capToPolicy(recommendation: ContainerRecommendation, policy: CappingPolicy): ContainerRecommendation {
  const { minAllowed, maxAllowed, globalMaxAllowed } = policy
  return mapRecommendation(recommendation, (amount, resource) => {
    const min = minAllowed?.[resource] || 0
    const max = (maxAllowed?.[resource] ?? globalMaxAllowed?.[resource]) || Number.POSITIVE_INFINITY
    return Math.min(Math.max(amount, min), max)
  })
}

/** Whether limits move along with requests. */
export type ControlledValues = 'RequestsAndLimits' | 'RequestsOnly'

/** Keeps requests at or below the container's limits where those stay as they are. */
export function capToLimits(
  recommendation: ContainerRecommendation,
  limits: ResourceAmounts,
  controlledValues: ControlledValues = 'RequestsAndLimits',
): ContainerRecommendation {
  if (controlledValues !== 'RequestsOnly') return recommendation
  return mapRecommendation(recommendation, (amount, resource) => Math.min(amount, limits[resource] ?? amount))
}

/** One container of a pod, for the pod's LimitRange. */
export interface PodLimitRangeContainer extends ContainerAmounts {
  /** Recommended request; `undefined`: none, the container stays as it is. */
  readonly target: number | undefined
}

/**
 * Scales the requests of a pod so that the sums of its requests and limits fit the namespace's LimitRange: down to the
 * maximum rounds down, up to the minimum rounds up, or the pod would still be refused.
 * @param range  0: no bound
 * @returns one request per container, `undefined` where there was none
 */
export function capToPodLimitRange(
  containers: readonly PodLimitRangeContainer[],
  range: { readonly min: number; readonly max: number; readonly defaultLimit?: number | undefined },
): (number | undefined)[] {
  let sumLimit = 0
  let sumTarget = 0
  for (const container of containers) {
    const target = container.target ?? container.request ?? 0
    sumLimit += proportionalLimit(container, target, range.defaultLimit) ?? 0
    sumTarget += target
  }
  const targets = containers.map(({ target }) => target)
  const fits = range.min <= sumLimit && range.min <= sumTarget && (range.max === 0 || range.max >= sumLimit)
  if (fits || sumTarget === 0) return targets
  const scaleBy = (to: number, from: number): (number | undefined)[] =>
    targets.map((target) => (target === undefined ? undefined : mulDiv(target, to, from, to < from ? 'floor' : 'ceil')))
  if (range.min > sumTarget) return scaleBy(range.min, sumTarget)
  if (sumLimit === 0) return targets
  return scaleBy(range.max !== 0 && range.max < sumLimit ? range.max : range.min, sumLimit)
}

/** CPU rounded up to whole cores, for containers on exclusive cores. */
export function toIntegerCpu(cpuMilli: number): number {
  return Math.ceil(cpuMilli / 1000) * 1000
}
