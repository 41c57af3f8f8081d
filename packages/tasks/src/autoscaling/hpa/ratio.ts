import { MetricError } from './metric-error.js'

/** `⌊a / b⌋` towards zero for whole numbers, exact also where `a` exceeds 2^53. */
export function divideWhole(a: number, b: number): number {
  if (Math.abs(a) <= Number.MAX_SAFE_INTEGER || !Number.isInteger(a) || !Number.isInteger(b)) return Math.trunc(a / b)
  return Number(BigInt(a) / BigInt(b))
}

/** Sums over the samples whose weight is known. */
export interface WeightedSum {
  readonly usage: number
  readonly weight: number
  readonly pods: number
}

/** Adds up the values of the pods in `weights`; without weights every pod weighs 1. */
export function sumWeighted(values: ReadonlyMap<string, number>, weights?: ReadonlyMap<string, number>): WeightedSum {
  let usage = 0
  let weight = 0
  let pods = 0
  for (const [pod, value] of values) {
    const podWeight = weights === undefined ? 1 : weights.get(pod)
    if (podWeight === undefined) continue
    usage += value
    weight += podWeight
    pods += 1
  }
  return { usage, weight, pods }
}

/**
 * Utilization, `⌊100 Σ usage / Σ request⌋`, of the pods whose request is known, against its target.
 * `averageValue` is `⌊Σ usage / pods⌋` in the unit of the values.
 * @throws {MetricError} `no_metric_matches_known_pods`
 */
export function utilizationRatio(
  values: ReadonlyMap<string, number>,
  requests: ReadonlyMap<string, number>,
  targetUtilizationPercent: number,
): { readonly ratio: number; readonly utilizationPercent: number; readonly averageValue: number } {
  const { usage, weight, pods } = sumWeighted(values, requests)
  requireWeight(weight)
  const utilizationPercent = divideWhole(100 * usage, weight)
  const ratio = utilizationPercent / targetUtilizationPercent
  return { ratio, utilizationPercent, averageValue: divideWhole(usage, pods) }
}

/** @throws {MetricError} `no_metric_matches_known_pods` */
export function requireWeight(weight: number): void {
  if (weight === 0) {
    throw new MetricError('no_metric_matches_known_pods', 'no sample belongs to a pod with a known request above 0')
  }
}

/** Average value of the samples, `⌊Σ / n⌋`, against its target. */
export function usageRatio(
  values: ReadonlyMap<string, number>,
  targetValue: number,
): { readonly ratio: number; readonly averageValue: number } {
  const { usage, pods } = sumWeighted(values)
  const averageValue = divideWhole(usage, pods)
  return { ratio: averageValue / targetValue, averageValue }
}
