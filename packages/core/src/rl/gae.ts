import { requireFinite, requireLength } from '../checks.js'
import type { Core } from '../core.js'
import { ConfigError } from '../errors.js'
import { Arena } from '../memory/arena.js'

/** Steps of one stream of episodes in the order of time; T numbers each. */
export interface Steps {
  readonly rewards: ArrayLike<number>
  /** V(state), what the state was thought to be worth. */
  readonly values: ArrayLike<number>
  /** V of what followed, also behind the last step. */
  readonly nextValues: ArrayLike<number>
  /** The step led to an end state: nothing follows and V(next) counts as 0. */
  readonly terminated: ArrayLike<boolean>
  /** The episode was cut there: V(next) counts, what is stored behind it does not. */
  readonly truncated: ArrayLike<boolean>
}

/** What T steps of a rollout were worth. */
export interface Estimates {
  /** How much better each step was than V(state) said, [T]. */
  readonly advantages: Float64Array
  /** What V(state) should have been, [T]. */
  readonly returns: Float64Array
}

/**
 * Generalised advantage estimation in f64: advantage = δ + γλ · the next one, δ = r + γ V(next) − V; return = advantage + V.
 *
 * λ 1 is the discounted return with a bootstrap where an episode was cut, λ 0 the one-step error.
 * Source: Schulman et al. 2016.
 *
 * @param discount  γ
 * @throws {ConfigError} `size_mismatch`, `not_finite`, `config_invalid`
 */
export function generalisedAdvantages(core: Core, steps: Steps, discount: number, lambda: number): Estimates {
  requireShare('discount', discount)
  requireShare('lambda', lambda)
  return run(core, steps, (at) =>
    core.exports.gae_estimate(
      ...[steps.rewards.length, 1, at.rewards, at.values, at.nextValues, at.ends, at.partitions, at.carry],
      ...[discount, lambda, at.advantages, at.returns],
    ),
  )
}

/**
 * Plain discounted returns of each episode, nothing beyond where it ends or is cut; advantage = return − V.
 * What SIMPPO's and AWARE's released code learns from; `nextValues` does not matter.
 *
 * @throws {ConfigError} `size_mismatch`, `not_finite`, `config_invalid`
 */
export function monteCarloReturns(core: Core, steps: Steps, discount: number): Estimates {
  requireShare('discount', discount)
  return run(core, steps, (at) =>
    core.exports.gae_monte_carlo(
      ...[steps.rewards.length, 1, at.rewards, at.values, at.ends, at.partitions, at.carry, discount],
      ...[at.advantages, at.returns],
    ),
  )
}

type Places = Record<
  'rewards' | 'values' | 'nextValues' | 'advantages' | 'returns' | 'carry' | 'ends' | 'partitions',
  number
>

function run(core: Core, steps: Steps, call: (at: Places) => void): Estimates {
  const { rewards, values, nextValues, terminated, truncated } = steps
  const count = rewards.length
  for (const [name, column] of Object.entries({ values, nextValues, terminated, truncated })) {
    requireLength(name, column, count)
  }
  for (const [name, column] of Object.entries({ rewards, values, nextValues })) requireFinite(name, column)
  const column = 8 * count
  const arena = new Arena(core, 5 * column + 8 + 8 * count, 'generalisedAdvantages', { steps: count })
  try {
    const { pointer, doubles } = arena
    doubles.set(rewards, 0)
    doubles.set(values, count)
    doubles.set(nextValues, 2 * count)
    const carry = pointer + 5 * column
    const ends = new Int32Array(core.memory.buffer, carry + 8, count)
    for (let i = 0; i < count; i++) ends[i] = terminated[i] ? 1 : truncated[i] ? 2 : 0
    call({
      rewards: pointer,
      values: pointer + column,
      nextValues: pointer + 2 * column,
      advantages: pointer + 3 * column,
      returns: pointer + 4 * column,
      carry,
      ends: carry + 8,
      partitions: carry + 8 + 4 * count,
    })
    return { advantages: doubles.slice(3 * count, 4 * count), returns: doubles.slice(4 * count, 5 * count) }
  } finally {
    arena.dispose()
  }
}

function requireShare(name: string, value: number): void {
  if (!(value >= 0 && value <= 1)) throw new ConfigError('config_invalid', `${name} must be in [0, 1], got ${value}`)
}
