import type { History } from './history.js'
import type { LimitedSize } from './limits.js'
import type { ScalingPolicy, ScalingRules } from './types.js'

/** Which of the two sets of rules. */
export type Direction = 'scaleUp' | 'scaleDown'

/** Rules with nothing left out but what the controller decides. */
export interface CompleteScalingRules {
  /** `undefined`: the controller's downscale stabilization. */
  readonly stabilizationWindowSeconds: number | undefined
  readonly selectPolicy: 'Max' | 'Min' | 'Disabled'
  readonly policies: readonly ScalingPolicy[]
}

const DEFAULT_RULES: Readonly<Record<Direction, CompleteScalingRules>> = {
  scaleUp: {
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [
      { type: 'Pods', value: 4, periodSeconds: 15 },
      { type: 'Percent', value: 100, periodSeconds: 15 },
    ],
  },
  scaleDown: {
    stabilizationWindowSeconds: undefined,
    selectPolicy: 'Max',
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  },
}

/** Rules with their documented defaults filled in. */
export function completeRules(direction: Direction, rules: ScalingRules | undefined): CompleteScalingRules {
  const defaults = DEFAULT_RULES[direction]
  return {
    stabilizationWindowSeconds: rules?.stabilizationWindowSeconds ?? defaults.stabilizationWindowSeconds,
    selectPolicy: rules?.selectPolicy ?? defaults.selectPolicy,
    policies: rules?.policies ?? defaults.policies,
  }
}

/** Changes of size that have happened; all values are positive. */
export interface ScaleEvents {
  readonly up: History
  readonly down: History
}

/**
 * The furthest size that the policies of one direction allow now, before minimum and maximum.
 *
 * Each policy counts from the size at the start of its period.
 */
export function policyLimit(
  direction: Direction,
  currentReplicas: number,
  events: ScaleEvents,
  rules: CompleteScalingRules,
  nowSeconds: number,
): number {
  if (rules.selectPolicy === 'Disabled') return currentReplicas
  const isUp = direction === 'scaleUp'
  const wantsLargest = isUp === (rules.selectPolicy === 'Max')
  let limit = wantsLargest ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  for (const { type, value, periodSeconds } of rules.policies) {
    const added = events.up.sumWithin(periodSeconds, nowSeconds)
    const removed = events.down.sumWithin(periodSeconds, nowSeconds)
    const atPeriodStart = currentReplicas - added + removed
    let proposed: number
    if (type === 'Pods') proposed = isUp ? atPeriodStart + value : atPeriodStart - value
    // Rounded up, or a small size could never grow.
    else if (isUp) proposed = Math.ceil(atPeriodStart * (1 + value / 100))
    else proposed = Math.trunc(atPeriodStart * (1 - value / 100))
    limit = wantsLargest ? Math.max(limit, proposed) : Math.min(limit, proposed)
  }
  return limit
}

/** A size that is wanted, and what limits the way there. */
export interface RateInput {
  readonly currentReplicas: number
  readonly desiredReplicas: number
  readonly minReplicas: number
  readonly maxReplicas: number
  readonly scaleUp: CompleteScalingRules
  readonly scaleDown: CompleteScalingRules
}

/** Keeps a size within the policies of its direction, and within minimum or maximum. */
export function limitRate(input: RateInput, events: ScaleEvents, nowSeconds: number): LimitedSize {
  const { currentReplicas, desiredReplicas, minReplicas, maxReplicas } = input
  if (desiredReplicas > currentReplicas) {
    // Past growth may use up more than the policies allow: that stops growth, it does not shrink.
    const limit = Math.max(policyLimit('scaleUp', currentReplicas, events, input.scaleUp, nowSeconds), currentReplicas)
    if (desiredReplicas > Math.min(maxReplicas, limit)) {
      return maxReplicas > limit
        ? { replicas: limit, reason: 'ScaleUpLimit' }
        : { replicas: maxReplicas, reason: 'TooManyReplicas' }
    }
  } else if (desiredReplicas < currentReplicas) {
    const limit = Math.min(
      policyLimit('scaleDown', currentReplicas, events, input.scaleDown, nowSeconds),
      currentReplicas,
    )
    if (desiredReplicas < Math.max(minReplicas, limit)) {
      return minReplicas < limit
        ? { replicas: limit, reason: 'ScaleDownLimit' }
        : { replicas: minReplicas, reason: 'TooFewReplicas' }
    }
  }
  return { replicas: desiredReplicas, reason: 'DesiredWithinRange' }
}

/** Notes a change of size for the policies of its direction; without rules nothing needs it. */
export function noteScaleEvent(
  events: History,
  replicaChange: number,
  rules: CompleteScalingRules | undefined,
  nowSeconds: number,
): void {
  if (rules === undefined) return
  let longestPeriodSeconds = 0
  for (const { periodSeconds } of rules.policies) longestPeriodSeconds = Math.max(longestPeriodSeconds, periodSeconds)
  events.note(replicaChange, nowSeconds, longestPeriodSeconds)
}
