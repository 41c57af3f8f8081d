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

  constructor(models: CategoryModels) {
    this.#models = models
  }

  /**
   * Fills `out` [N, A] from `observations` [N, S], a call of the model for all agents of a category.
   * @returns [N], why an agent did not act as part of its team
   * @throws {ConfigError} `size_mismatch`
   */
  decide(
    agents: readonly TeamAgent[],
    state: MemberState,
    observations: Float32Array,
    out: Float32Array,
  ): (MemberFallback | undefined)[] {
    const inputs = new Rows('observations', observations, agents.length)
    const outputs = new Rows('actions', out, agents.length)
    const fallbacks: (MemberFallback | undefined)[] = Array(agents.length).fill(undefined)
    for (const [category, rows] of rowsByCategory(agents)) {
      const why = state === 'displaced' ? state : this.#follow(category, rows, inputs, outputs)
      for (const row of rows) {
        const action = outputs.at(row)
        const fallback = why ?? (action.every(Number.isFinite) ? undefined : 'action_not_finite')
        if (fallback !== undefined) fallbacks[row] = obey(agents[row]!.rule, inputs.at(row), action, fallback)
        else if (state === 'isolated') fallbacks[row] = state
      }
    }
    return fallbacks
  }

  /** Lets the category's model act for some rows; why it did not. */
  #follow(category: string, rows: readonly number[], inputs: Rows, outputs: Rows): MemberFallback | undefined {
    const model = this.#models.of(category)
    if (model === undefined) return 'no_model'
    const actions = new Float32Array(rows.length * outputs.size)
    try {
      model.decideMany(inputs.gather(rows), actions)
    } catch (failure) {
      this.#models.fail(category, failure)
      return 'agent_failed'
    }
    outputs.scatter(rows, actions)
    return undefined
  }
}

/** Lets an agent's rule act; the reason for it. */
function obey(rule: Controller, observation: Float32Array, action: Float32Array, why: MemberFallback): MemberFallback {
  try {
    rule.decide(observation, action)
    return why
  } catch {
    action.fill(Number.NaN) // one agent's rule: the others go on, and who reads the reason knows of it
    return 'rule_failed'
  }
}

function rowsByCategory(agents: readonly TeamAgent[]): ReadonlyMap<string, readonly number[]> {
  const rows = new Map<string, number[]>()
  for (const [row, { category }] of agents.entries()) {
    const others = rows.get(category)
    if (others) others.push(row)
    else rows.set(category, [row])
  }
  return rows
}

/** Rows of equal size in one array, a row for each agent. */
class Rows {
  readonly size: number
  readonly #array: Float32Array

  /** @throws {ConfigError} `size_mismatch` */
  constructor(name: string, array: Float32Array, count: number) {
    this.size = count === 0 ? array.length : array.length / count
    this.#array = array
    if (Number.isInteger(this.size) && (this.size === 0) === (count === 0)) return
    const message = `${name} must hold a row for each of ${count} agents, got ${array.length} numbers`
    throw new ConfigError('size_mismatch', message)
  }

  at(row: number): Float32Array {
    return this.#array.subarray(row * this.size, (row + 1) * this.size)
  }

  gather(rows: readonly number[]): Float32Array {
    const gathered = new Float32Array(rows.length * this.size)
    for (const [i, row] of rows.entries()) gathered.set(this.at(row), i * this.size)
    return gathered
  }

  scatter(rows: readonly number[], values: Float32Array): void {
    for (const [i, row] of rows.entries()) this.at(row).set(values.subarray(i * this.size, (i + 1) * this.size))
  }
}
