import type { NodeInventory } from './inventory.js'
import { checkLimits, type Limits } from './limits.js'

/** What of a node is handed out by amount. */
export const AMOUNTS = ['cpuCores', 'memoryBytes'] as const
/** An amount that a node has only so much of. */
export type Amount = (typeof AMOUNTS)[number]

/** The node as one group sees it. */
export interface Room {
  readonly inventory: NodeInventory
  /** Limits of the other groups; one without a limit takes no room. */
  readonly others: readonly Limits[]
  /** Below this a group is not worth having. */
  readonly least: Readonly<Record<Amount, number>>
}

/** Below this a group is not worth having, where nobody says otherwise. */
export const LEAST: Readonly<Record<Amount, number>> = { cpuCores: 0.01, memoryBytes: 4 * 2 ** 20 }

/** A limit that the node can keep, and what to do about the rest. */
export interface Fitted {
  readonly limits: Limits
  /** `out`: more is wanted than this node has left. `in`: less than is worth a group of its own. */
  readonly scale: 'out' | 'in' | 'none'
  /** What was moved, and why. */
  readonly reasons: readonly string[]
}

/**
 * Holds wanted limits against the node: what it has not left becomes scale-out, what is too little scale-in, and no group gets more
 * threads than there are. Where one asks for more and one for less, more wins. Taking a limit away (`Infinity`) asks for nothing.
 *
 * Source: FIRM, dissertation 3.2, the deployment module's validation.
 *
 * @throws {ConfigError} `config_invalid`: what no such node can take
 */
export function fitToNode(wanted: Limits, { inventory, others, least }: Room): Fitted {
  checkLimits(wanted, inventory)
  const capacity: Record<Amount, number> = { cpuCores: inventory.threads.length, memoryBytes: inventory.memoryBytes }
  const limits: { -readonly [K in keyof Limits]: Limits[K] } = { ...wanted }
  const reasons: string[] = []
  let [isOut, isIn] = [false, false]
  for (const amount of AMOUNTS) {
    const asked = wanted[amount]
    if (asked === undefined || asked === Number.POSITIVE_INFINITY) continue
    const granted = others.reduce((sum, { [amount]: other = 0 }) => sum + (Number.isFinite(other) ? other : 0), 0)
    const left = capacity[amount] - granted
    if (asked > left) {
      limits[amount] = Math.max(least[amount], left)
      isOut = true
      reasons.push(`${amount}: ${asked} wanted, ${left} of ${capacity[amount]} left: scale out`)
    } else if (asked < least[amount]) {
      limits[amount] = least[amount]
      isIn = true
      reasons.push(`${amount}: ${asked} wanted, less than ${least[amount]}: scale in`)
    }
  }
  return { limits, scale: isOut ? 'out' : isIn ? 'in' : 'none', reasons }
}
