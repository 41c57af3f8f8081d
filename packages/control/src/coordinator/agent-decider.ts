import { ConfigError, type Controller } from '@trimtab/core'
import type { CategoryModels } from './category-models.js'
import type { MemberState } from './presence.js'

/**
 * Why an agent did not act as part of its team. With `isolated` the last model acted, with `rule_failed` nobody: NaN, hold what is in
 * force; with the others its rule.
 */
export type MemberFallback =
  | 'no_model'
  | 'agent_failed'
  | 'action_not_finite'
  | 'rule_failed'
  | 'displaced'
  | 'isolated'

/** One agent of a member: what it manages is of a category, and has a rule of its own. */
export interface TeamAgent {
  readonly name: string
  readonly category: string
  readonly rule: Controller
}

/** Decides for the agents of a member, each by the model of its category or by its rule. N: agents, S: observation, A: action. */
export class AgentDecider {
  readonly #models: CategoryModels
  #observation: Float32Array = new Float32Array(0) // [S]
  #action: Float32Array = new Float32Array(0) // [A]
  #fallbacks: (MemberFallback | undefined)[] = [] // [N]

  constructor(models: CategoryModels) {
    this.#models = models
  }

  /**
   * Fills `out` [N, A] from `observations` [N, S].
   * @returns [N], overwritten by the next call
   * @throws {ConfigError} `size_mismatch`
   */
  decide(
    agents: readonly TeamAgent[],
    state: MemberState,
    observations: Float32Array,
    out: Float32Array,
  ): readonly (MemberFallback | undefined)[] {
    this.#observation = rowOf('observations', observations, agents.length, this.#observation)
    this.#action = rowOf('actions', out, agents.length, this.#action)
    const [S, A] = [this.#observation.length, this.#action.length]
    this.#fallbacks.length = agents.length
    for (const [row, agent] of agents.entries()) {
      for (let i = 0; i < S; i++) this.#observation[i] = observations[row * S + i]!
      this.#fallbacks[row] = this.#decide(agent, state)
      for (let i = 0; i < A; i++) out[row * A + i] = this.#action[i]!
    }
    return this.#fallbacks
  }

  #decide({ category, rule }: TeamAgent, state: MemberState): MemberFallback | undefined {
    const fallback = state === 'displaced' ? state : this.#follow(category)
    if (fallback === undefined) return state === 'isolated' ? state : undefined
    try {
      rule.decide(this.#observation, this.#action)
      return fallback
    } catch {
      this.#action.fill(Number.NaN) // one agent's rule: the others go on, and who reads the reason knows of it
      return 'rule_failed'
    }
  }

  /** Lets the category's model act; why it did not. */
  #follow(category: string): MemberFallback | undefined {
    const model = this.#models.of(category)
    if (model === undefined) return 'no_model'
    try {
      model.decide(this.#observation, this.#action)
    } catch (failure) {
      this.#models.fail(category, failure)
      return 'agent_failed'
    }
    return this.#action.every(Number.isFinite) ? undefined : 'action_not_finite'
  }
}

/** Room for one of `count` equal rows of `array`: `row`, where it fits. @throws {ConfigError} `size_mismatch` */
function rowOf(name: string, array: Float32Array, count: number, row: Float32Array): Float32Array {
  const size = count === 0 ? array.length : array.length / count
  if (!Number.isInteger(size) || (size === 0) !== (count === 0)) {
    const message = `${name} must hold a row for each of ${count} agents, got ${array.length} numbers`
    throw new ConfigError('size_mismatch', message)
  }
  return row.length === size ? row : new Float32Array(size)
}
