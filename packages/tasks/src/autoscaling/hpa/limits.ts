/** Why a size was cut, in Kubernetes' words. */
export type LimitReason =
  | 'DesiredWithinRange'
  | 'TooFewReplicas'
  | 'TooManyReplicas'
  | 'ScaleUpLimit'
  | 'ScaleDownLimit'

/** A size after a limit, and which limit it was. */
export interface LimitedSize {
  readonly replicas: number
  readonly reason: LimitReason
}

/** Bounds without `behavior`: minimum, maximum, and how much one pass may grow. */
export interface LegacyLimits {
  readonly minReplicas: number
  readonly maxReplicas: number
  readonly scaleUpLimitFactor: number
  readonly scaleUpLimitMinimum: number
}

/** Keeps a size within `[min, min(max, max(factor · current, minimum))]`. */
export function applyLegacyLimits(
  currentReplicas: number,
  desiredReplicas: number,
  { minReplicas, maxReplicas, scaleUpLimitFactor, scaleUpLimitMinimum }: LegacyLimits,
): LimitedSize {
  const scaleUpLimit = Math.trunc(Math.max(scaleUpLimitFactor * currentReplicas, scaleUpLimitMinimum))
  if (desiredReplicas < minReplicas) return { replicas: minReplicas, reason: 'TooFewReplicas' }
  if (desiredReplicas > Math.min(maxReplicas, scaleUpLimit)) {
    return maxReplicas > scaleUpLimit
      ? { replicas: scaleUpLimit, reason: 'ScaleUpLimit' }
      : { replicas: maxReplicas, reason: 'TooManyReplicas' }
  }
  return { replicas: desiredReplicas, reason: 'DesiredWithinRange' }
}
