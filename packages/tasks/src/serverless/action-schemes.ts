import { ConfigError, type CoreMath, type Space } from '@trimtab/core'
import { boxSpace, discreteSpace, headsSpace } from '@trimtab/learn'
import { SHARES_STEP } from './features.js'
import { clip } from './global-state.js'
import { containersFor } from './rules/containers-for.js'
import type { TenantAllocation } from './telemetry.js'
import type { ClusterScale, TenantView } from './tenant-view.js'

/** How an agent's numbers become an allocation, and back. A: numbers of an action. */
export interface ActionScheme {
  /** [A] */
  readonly space: Space
  /**
   * Turns what is in force into what the action at `from` of `actions` asks for.
   * @returns false for an illegal action: it cannot be carried out, and `allocation` is as it was
   */
  apply(
    actions: Float32Array,
    from: number,
    view: Readonly<TenantView>,
    scale: ClusterScale,
    allocation: TenantAllocation,
  ): boolean
  /** It corrects the advice of a view rather than asks for something of its own. */
  readonly isCorrection?: true
  /** Whether one action takes back what the last one did. */
  isReversal?(action: number, last: number): boolean
  /**
   * Puts the action that comes closest to an allocation at `to` of `actions`: how rules act, and teach. Of several that come equally
   * close, the one nearest to what stands there: a rule's constant then shows as one, though containers are whole.
   */
  closest(
    allocation: Readonly<TenantAllocation>,
    view: Readonly<TenantView>,
    scale: ClusterScale,
    actions: Float32Array,
    to: number,
  ): void
}

const NOTHING = 0
const OUT = 1
const IN = 2
const UP = 3
const DOWN = 4
const OPPOSITE = [Number.NaN, IN, OUT, DOWN, UP] as const

/** The printed actions: one container more or fewer, 128 shares more or fewer, or nothing. */
export const STEP_ACTIONS: ActionScheme = {
  space: discreteSpace('scaling', 5),
  apply(actions, from, _view, { bounds }, allocation) {
    const action = actions[from]!
    const containers = allocation.containers + (action === OUT ? 1 : action === IN ? -1 : 0)
    const shares = allocation.shares + (action === UP ? SHARES_STEP : action === DOWN ? -SHARES_STEP : 0)
    const isWithin = (value: number, [low, high]: readonly [number, number]): boolean => value >= low && value <= high
    const hasWhom = allocation.containers > 0 || action === NOTHING || action === OUT
    if (!(hasWhom && isWithin(containers, bounds.containers) && isWithin(shares, bounds.shares))) return false
    allocation.containers = containers
    allocation.shares = shares
    return true
  },
  isReversal: (action, last) => OPPOSITE[action] === last,
  closest(wanted, { telemetry }, _scale, actions, to) {
    const containers = wanted.containers - telemetry.containers
    const shares = wanted.shares - telemetry.shares
    // Containers first: they decide whether requests wait.
    if (Math.abs(containers) >= 0.5) actions[to] = containers > 0 ? OUT : IN
    else if (Math.abs(shares) >= SHARES_STEP / 2) actions[to] = shares > 0 ? UP : DOWN
    else actions[to] = NOTHING
  },
}

/** Levels that heads choose between, each list from low to high. */
export interface ActionLevels {
  /** c in R + c√R containers, R the largest demand of the last `DEMAND_WINDOW` steps. */
  readonly headroom: readonly number[]
  readonly shares: readonly number[]
  /** Seconds; of one level there is no head. */
  readonly keepAliveSeconds: readonly number[]
  /** Containers to have at least, also where there was no demand; of one level there is no head. */
  readonly leastContainers: readonly number[]
}

/** A head for headroom, one for shares, and for the others where there is a choice: absolute, so that no step has to make up for another. */
export function levelActions(levels: ActionLevels): ActionScheme {
  const { headroom, shares, keepAliveSeconds, leastContainers } = levels
  const hasKeepAlive = keepAliveSeconds.length > 1
  const hasLeast = leastContainers.length > 1
  const leastAt = hasKeepAlive ? 3 : 2
  return {
    space: headsSpace({
      headroom: headroom.length,
      shares: shares.length,
      ...(hasKeepAlive && { keepAlive: keepAliveSeconds.length }),
      ...(hasLeast && { leastContainers: leastContainers.length }),
    }),
    apply(actions, from, { largestDemand }, _scale, allocation) {
      const least = leastContainers[hasLeast ? actions[from + leastAt]! : 0]!
      allocation.containers = Math.max(least, containersFor(largestDemand, headroom[actions[from]!]!))
      allocation.shares = shares[actions[from + 1]!]!
      allocation.keepAliveSeconds = keepAliveSeconds[hasKeepAlive ? actions[from + 2]! : 0]!
      return true
    },
    closest(wanted, { largestDemand }, { math }, actions, to) {
      const missing = (level: number): number => Math.abs(containersFor(largestDemand, level) - wanted.containers)
      const fewest = Math.min(...headroom.map(missing))
      const asGood = headroom.flatMap((level, i) => (missing(level) === fewest ? [i] : []))
      actions[to] = asGood[nearest(asGood, actions[to]!)]!
      actions[to + 1] = nearestRatio(math, shares, wanted.shares)
      if (hasKeepAlive) actions[to + 2] = nearestRatio(math, keepAliveSeconds, wanted.keepAliveSeconds)
      if (!hasLeast) return
      const isNeeded = largestDemand === 0 || leastContainers[actions[to + leastAt]!]! > wanted.containers
      if (isNeeded) actions[to + leastAt] = nearest(leastContainers, wanted.containers)
    },
  }
}

/** The same without steps between: headroom and shares as a box of [−1, 1], for agents that act on one. */
export function continuousActions(headroom: readonly [number, number], keepAliveSeconds: number): ActionScheme {
  const [low, high] = headroom
  return {
    space: boxSpace(['headroom', 'shares']),
    apply(actions, from, { largestDemand }, { math, bounds }, allocation) {
      const share01 = (clip(actions[from + 1]!, UNIT) + 1) / 2
      allocation.containers = containersFor(largestDemand, low + ((high - low) * (clip(actions[from]!, UNIT) + 1)) / 2)
      allocation.shares = bounds.shares[0] * math.pow(bounds.shares[1] / bounds.shares[0], share01)
      allocation.keepAliveSeconds = keepAliveSeconds
      return true
    },
    closest(wanted, { largestDemand }, { math, bounds }, actions, to) {
      const sharesRange = math.log(bounds.shares[1] / bounds.shares[0])
      const share01 = sharesRange > 0 ? math.log(wanted.shares / bounds.shares[0]) / sharesRange : 0
      if (largestDemand > 0) {
        // The headrooms that ask for so many containers, less a little on both sides for rounding.
        const most = (wanted.containers - largestDemand) / Math.sqrt(largestDemand)
        const range = { low: most - 0.99 / Math.sqrt(largestDemand), high: most - 0.01 / Math.sqrt(largestDemand) }
        const standing = low + ((high - low) * (actions[to]! + 1)) / 2
        actions[to] = clip((2 * (clip(standing, range) - low)) / (high - low) - 1, UNIT)
      }
      actions[to + 1] = clip(2 * share01 - 1, UNIT)
    },
  }
}

/**
 * What is asked of all agents' actions before anything moves.
 * @throws {ConfigError} `size_mismatch`, `not_finite`, `action_unknown`
 */
export function checkActions(actions: Float32Array, { names, high, kind }: Space, agents: number): void {
  const size = names.length
  if (actions.length !== agents * size) {
    throw new ConfigError('size_mismatch', `${agents} agents act with ${agents * size} numbers, got ${actions.length}`)
  }
  for (let i = 0; i < actions.length; i++) {
    const action = actions[i]!
    const path = `actions of agent ${Math.floor(i / size)}, ${names[i % size]}`
    if (!Number.isFinite(action)) {
      throw new ConfigError('not_finite', `${path} must be a finite number, got ${action} (hold the last action)`)
    }
    const last = high[i % size]!
    if (kind === 'discrete' && !(Number.isInteger(action) && action >= 0 && action <= last)) {
      throw new ConfigError('action_unknown', `${path} must be one of 0 … ${last}, got ${action}`)
    }
  }
}

const UNIT = { low: -1, high: 1 } as const

function nearest(levels: readonly number[], value: number): number {
  let best = 0
  for (let i = 1; i < levels.length; i++) if (Math.abs(levels[i]! - value) < Math.abs(levels[best]! - value)) best = i
  return best
}

const nearestRatio = (math: CoreMath, levels: readonly number[], value: number): number =>
  nearest(
    levels.map((level) => math.log(1 + level)),
    math.log(1 + value),
  )
