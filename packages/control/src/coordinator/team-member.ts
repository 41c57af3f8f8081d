import { ConfigError } from '@trimtab/core'
import { requireLength } from '@trimtab/core/internal'
import { AgentSums, writeOthers } from '@trimtab/learn'
import { AgentDecider, type MemberFallback, type TeamAgent } from './agent-decider.js'
import { CategoryModels } from './category-models.js'
import { type MemberState, Presence } from './presence.js'
import { checkMemberOptions, requireTeamName, type TeamMemberOptions } from './team-member-options.js'

/** What a member could not use so far. */
export interface MemberFailures {
  /** Summaries of others that could not be counted: of another size, or not finite. */
  readonly summaries: number
  /** Base models that did not come, could not be loaded, or failed at work. */
  readonly models: number
}

/**
 * The agents of one process as part of a team that may span many. In every step it tells the team what its agents come to, as sums,
 * and knows from the others' sums the global state of each agent: that of all but itself. Its agents act with the base model of their
 * category; with the last one and their rules they go on when team, coordinator or transport are gone.
 *
 *     add agents → each step: step(values) → globals(out) → decide(observations, out)
 *
 * Rows are agents in the order of `agents`. N: agents here, K: numbers of an agent, S: observation, A: action.
 *
 * @example
 * const member = new TeamMember({ name: 'host-1', transport, variables: PAPER_GLOBALS, clock, heartbeatMs: 10_000, load, rule })
 * member.add('resize', 'cpu')
 * await member.settled() // its base model has come, if there is one
 * member.step(values)
 * member.decide(observations, actions)
 */
export class TeamMember {
  readonly #options: TeamMemberOptions
  readonly #agents: TeamAgent[] = []
  readonly #presence: Presence
  readonly #models: CategoryModels
  readonly #decider: AgentDecider
  readonly #own: AgentSums
  readonly #total: AgentSums
  #values = new Float64Array(0) // [N, K] of the last step
  #isCounted: readonly boolean[] = [] // [N]

  /** @throws {ConfigError} `config_invalid` with every problem found */
  constructor(options: TeamMemberOptions) {
    checkMemberOptions(options)
    const { variables, transport, load, logger } = options
    this.#options = options
    this.#presence = new Presence(options, variables.length)
    this.#models = new CategoryModels(transport.models, load, logger)
    this.#decider = new AgentDecider(this.#models)
    this.#own = new AgentSums(variables.length)
    this.#total = new AgentSums(variables.length)
  }

  /** [N], the order of all rows. */
  get agents(): readonly string[] {
    return this.#agents.map(({ name }) => name)
  }

  /** As of the last step. */
  get state(): MemberState {
    return this.#presence.state
  }

  /** Names of this member and of all that were heard of late. */
  get members(): readonly string[] {
    return this.#presence.members
  }

  /** Sums over all agents everywhere, as of the last step: those of other members as they were last heard. */
  get total(): AgentSums {
    return this.#total
  }

  /** Since the beginning. */
  get failures(): MemberFailures {
    return { summaries: this.#presence.refused, models: this.#models.failures }
  }

  /** Version of the category's model here; `undefined`: none has come. */
  modelVersion(category: string): number | undefined {
    return this.#models.versionOf(category)
  }

  /**
   * An agent joins; its row is the last.
   * @throws {ConfigError} `config_invalid` (the category's name), `agent_known`
   */
  add(agent: string, category: string): void {
    requireTeamName('category', category)
    if (this.#agents.some(({ name }) => name === agent))
      throw new ConfigError('agent_known', `agent "${agent}" has already joined: remove it first`)
    this.#agents.push({ name: agent, category, rule: this.#options.rule(agent, category) })
    this.#models.want(category)
  }

  /**
   * An agent leaves; the rows behind it move up.
   * @throws {ConfigError} `agent_unknown`
   */
  remove(agent: string): void {
    const row = this.#agents.findIndex(({ name }) => name === agent)
    if (row < 0) throw new ConfigError('agent_unknown', `no agent "${agent}" has joined`)
    this.#agents.splice(row, 1)
  }

  /**
   * Tells the team what the agents report now; once a heartbeat or more often. Neither waits nor fails when nobody hears it.
   * @param values [N, K]; an agent with a number that is not finite is left out of all sums
   * @throws {ConfigError} `size_mismatch`; nothing changed
   */
  step(values: ArrayLike<number>): void {
    const { length } = this.#options.variables
    requireLength('values', values, this.#agents.length * length)
    this.#values = Float64Array.from(values)
    this.#own.clear()
    this.#isCounted = this.#agents.map((_, row) => this.#own.add(this.#values, row * length))
    this.#models.step()
    this.#presence.step(this.#own, this.#total)
  }

  /**
   * Fills `out` [N, 2 K] with what all others come to, seen from each agent of the last step: sums or means, then deviations.
   * @throws {ConfigError} `size_mismatch`
   */
  globals(out: Float32Array): void {
    const { variables } = this.#options
    requireLength('globals', out, 2 * this.#values.length)
    const { length } = variables
    for (const [row, isCounted] of this.#isCounted.entries()) {
      const own = isCounted ? this.#values.subarray(row * length, (row + 1) * length) : undefined
      writeOthers(this.#total, variables, own, out.subarray(2 * row * length, 2 * (row + 1) * length))
    }
  }

  /**
   * Fills `out` [N, A] from `observations` [N, S].
   * @returns [N], why an agent did not act as part of the team, where it did not
   * @throws {ConfigError} `size_mismatch`
   */
  decide(observations: Float32Array, out: Float32Array): readonly (MemberFallback | undefined)[] {
    return this.#decider.decide(this.#agents, this.state, observations, out)
  }

  /** Asks for all base models anew: the coordinator may have replaced them. Until they come, those that are here go on. */
  refreshModels(): void {
    this.#models.refresh()
  }

  /**
   * Gives a policy that was learned here to whoever refreshes the base model of its category.
   * @throws {ConfigError} `config_invalid` (the category's name)
   */
  offerModel(category: string, bytes: Uint8Array): void {
    requireTeamName('category', category)
    this.#options.transport.models.offer({ category, member: this.#options.name, bytes })
  }

  /** Resolves when all that was asked of the team has been answered, or has failed. */
  async settled(): Promise<void> {
    await this.#presence.settled()
    await this.#models.settled()
  }

  /** Leaves the team with all agents; a member that just dies is missed after three heartbeats. May be called twice. */
  dispose(): void {
    this.#presence.leave()
    this.#models.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}
