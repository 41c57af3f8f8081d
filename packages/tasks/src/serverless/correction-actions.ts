import { headsSpace } from '@trimtab/learn'
import type { ActionScheme } from './action-schemes.js'

/** What may be changed of a rule's advice; each list, from low to high, holds what leaves it as it is. */
export interface CorrectionLevels {
  /** So many square roots of the containers advised, of one at least; 0 changes nothing. */
  readonly containers: readonly number[]
  /** Factors on its shares; 1 changes nothing. */
  readonly shares: readonly number[]
  /** Factors on how long idle containers are kept, those above 1 on a step at least; 1 changes nothing. */
  readonly keepAlive: readonly number[]
}

/**
 * Actions that correct what the tenant's rule would do: a head for containers, one for shares, one for keep-alive. A policy that knows
 * nothing better leaves the rule as it is.
 */
export function correctionActions(levels: CorrectionLevels): ActionScheme {
  const { containers, shares, keepAlive } = levels
  return {
    space: headsSpace({ containers: containers.length, shares: shares.length, keepAlive: keepAlive.length }),
    isCorrection: true,
    apply(actions, from, { advice, telemetry }, _scale, allocation) {
      allocation.containers = correctedContainers(advice.containers, containers[actions[from]!]!)
      allocation.shares = advice.shares * shares[actions[from + 1]!]!
      const factor = keepAlive[actions[from + 2]!]!
      allocation.keepAliveSeconds = correctedSeconds(advice.keepAliveSeconds, factor, telemetry.stepSeconds)
      return true
    },
    closest(wanted, { advice, telemetry }, _scale, actions, to) {
      const inContainers = (level: number): number => correctedContainers(advice.containers, level)
      const inSeconds = (factor: number): number =>
        correctedSeconds(advice.keepAliveSeconds, factor, telemetry.stepSeconds)
      actions[to] = closestLevel(containers, 0, inContainers, wanted.containers)
      actions[to + 1] = closestLevel(shares, 1, (factor) => factor * advice.shares, wanted.shares)
      actions[to + 2] = closestLevel(keepAlive, 1, inSeconds, wanted.keepAliveSeconds)
    },
  }
}

const correctedContainers = (advised: number, level: number): number =>
  Math.max(0, advised + Math.sign(level) * Math.ceil(Math.abs(level) * Math.sqrt(Math.max(1, advised))))

const correctedSeconds = (advised: number, factor: number, stepSeconds: number): number =>
  factor * (factor > 1 ? Math.max(advised, stepSeconds) : advised)

/** The place of the level that comes closest to `wanted`; of several, the one that changes least. */
function closestLevel(
  levels: readonly number[],
  unchanged: number,
  of: (level: number) => number,
  wanted: number,
): number {
  const places = [...levels.keys()].sort((a, b) => Math.abs(levels[a]! - unchanged) - Math.abs(levels[b]! - unchanged))
  const missing = (place: number): number => Math.abs(of(levels[place]!) - wanted)
  return places.reduce((best, place) => (missing(place) < missing(best) ? place : best))
}
