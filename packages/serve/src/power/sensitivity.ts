import { ConfigError } from '@trimtab/core'

/** One measurement of one operator: its mean time over many runs at one clock. */
export interface OperatorProfile {
  readonly operator: string
  /** Tells the tensor shapes of one operator apart: times of the same shape are compared. */
  readonly shape?: string
  readonly clockMhz: number
  readonly latencyMs: number
  /** How much this shape counts where an operator was profiled with several; 1 when absent. */
  readonly weight?: number
}

/** The score of an operator whose time is inversely proportional to the clock. */
export const PROPORTIONAL_SCORE = 2

/**
 * Δlatency / Δfrequency, both relative to the default clock (6.3.1): 0 for an operator that does not notice the clock, 2 for one
 * that takes twice as long at half of it. The paper calls operators below 1 insensitive.
 *
 * @throws {ConfigError} `config_invalid`
 */
export function sensitivityScore(
  measured: Readonly<Record<'defaultMhz' | 'defaultMs' | 'reducedMhz' | 'reducedMs', number>>,
): number {
  const { defaultMhz, defaultMs, reducedMhz, reducedMs } = measured
  if (!(defaultMs > 0 && reducedMs > 0 && reducedMs < Infinity && reducedMhz > 0 && reducedMhz < defaultMhz)) {
    throw new ConfigError(
      'config_invalid',
      `a sensitivity score needs two times > 0 and a reduced clock below the default one, got ${defaultMs} ms at ` +
        `${defaultMhz} MHz and ${reducedMs} ms at ${reducedMhz} MHz`,
    )
  }
  return (reducedMs / defaultMs - 1) / (1 - reducedMhz / defaultMhz)
}

/**
 * The database D of Algorithms 6.1 and 6.2, operator → sensitivity score, from profiles at two or more clocks.
 *
 * The default clock of a shape is the highest it was measured at. Its time at half of that is read between the two nearest clocks,
 * straight in 1/f. An operator's score is the weighted mean over its shapes.
 *
 * @throws {ConfigError} `profile_incomplete` when a shape was measured at no clock ≤ half of its highest; `config_invalid`
 */
export function sensitivityDatabase(profiles: readonly OperatorProfile[]): ReadonlyMap<string, number> {
  const shapes = new Map<string, OperatorProfile[]>()
  for (const profile of profiles) {
    const key = `${profile.operator}\n${profile.shape ?? ''}`
    const measured = shapes.get(key)
    if (measured) measured.push(profile)
    else shapes.set(key, [profile])
  }
  const sums = new Map<string, { score: number; weight: number }>()
  for (const measured of shapes.values()) {
    const { operator, weight = 1 } = measured[0]!
    const sum = sums.get(operator) ?? { score: 0, weight: 0 }
    sum.score += weight * scoreOf(measured)
    sum.weight += weight
    sums.set(operator, sum)
  }
  return new Map([...sums].map(([operator, { score, weight }]) => [operator, score / weight]))
}

function scoreOf(measured: readonly OperatorProfile[]): number {
  const ascending = measured.toSorted((a, b) => a.clockMhz - b.clockMhz)
  const highest = ascending.at(-1)!
  const reducedMhz = highest.clockMhz / 2
  const above = ascending.findIndex(({ clockMhz }) => clockMhz >= reducedMhz)
  const upper = ascending[above]!
  const lower = upper.clockMhz === reducedMhz ? upper : ascending[above - 1]
  if (!lower) {
    throw new ConfigError(
      'profile_incomplete',
      `operator ${highest.operator} was measured at ${ascending.map(({ clockMhz }) => clockMhz).join(', ')} MHz: ` +
        `its sensitivity needs a clock at or below half of the highest (${reducedMhz} MHz)`,
    )
  }
  const span = 1 / lower.clockMhz - 1 / upper.clockMhz
  const share = span === 0 ? 0 : (1 / reducedMhz - 1 / upper.clockMhz) / span
  const reducedMs = upper.latencyMs + share * (lower.latencyMs - upper.latencyMs)
  return sensitivityScore({ defaultMhz: highest.clockMhz, defaultMs: highest.latencyMs, reducedMhz, reducedMs })
}
