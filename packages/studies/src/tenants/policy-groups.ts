import type { ParallelEnvironment } from '@trimtab/core'
import type { ManyTransition, Ppo } from '@trimtab/learn'

/** A policy and the agents that follow it, by their rows. */
export interface PolicyGroup {
  readonly policy: Ppo
  readonly members: readonly number[]
}

/** Numbers of an observation, an action and a critic's view of the others. */
interface Widths {
  readonly observation: number
  readonly action: number
  readonly global: number
}

/** The rows of a group, gathered. n: members, S: observation, A: action, G: global. */
interface Rows {
  readonly observations: Float32Array // [n, S]
  readonly actions: Float32Array // [n, A]
  readonly rewards: Float32Array // [n]
  readonly nextObservations: Float32Array // [n, S]
  readonly globals: Float32Array // [n, G]
  readonly nextGlobals: Float32Array // [n, G]
}

/** Policies of groups of agents, as one that learns for all of them: between one policy for all and one for each. */
export class PolicyGroups {
  readonly name: string
  readonly #groups: readonly (PolicyGroup & { readonly rows: Rows })[]
  readonly #widths: Widths
  /** Whose group an agent is in, and at which place of it, [N]. */
  readonly #placeOf: readonly { readonly group: number; readonly place: number }[]

  /** @param groups  each agent is in one of them */
  constructor(
    name: string,
    groups: readonly PolicyGroup[],
    { observation, action, global }: Pick<ParallelEnvironment, 'observation' | 'action' | 'global'>,
  ) {
    const widths = { observation: observation.names.length, action: action.names.length, global: global.names.length }
    this.name = name
    this.#widths = widths
    this.#groups = groups.map((group) => ({ ...group, rows: rowsFor(group.members.length, widths) }))
    const places: { group: number; place: number }[] = []
    for (const [group, { members }] of groups.entries())
      for (const [place, agent] of members.entries()) places[agent] = { group, place }
    this.#placeOf = places
  }

  /** Fills `out` [N, A] with what the policies do from `observations` [N, S]. */
  decideMany(observations: Float32Array, out: Float32Array): void {
    this.#answer(observations, out, (policy, rows) => policy.decideMany(rows.observations, rows.actions))
  }

  /** The same while learning. */
  exploreMany(observations: Float32Array, out: Float32Array): void {
    this.#answer(observations, out, (policy, rows) => policy.exploreMany(rows.observations, rows.actions))
  }

  /** Gives each policy its agents' rows; says how many could be used. */
  observeMany(step: ManyTransition): number {
    const { observation, action, global } = this.#widths
    let taken = 0
    for (const { policy, members, rows } of this.#groups) {
      gather(step.observations, members, observation, rows.observations)
      gather(step.actions, members, action, rows.actions)
      gather(step.rewards, members, 1, rows.rewards)
      gather(step.nextObservations, members, observation, rows.nextObservations)
      if (global > 0) {
        gather(step.globals!, members, global, rows.globals)
        gather(step.nextGlobals!, members, global, rows.nextGlobals)
      }
      const { globals, nextGlobals, ...own } = rows
      taken += policy.observeMany(global > 0 ? rows : own)
    }
    return taken
  }

  /** Policies whose rollouts are complete learn. */
  update(): void {
    for (const { policy } of this.#groups) policy.update()
  }

  /** Whether some policy has an imitation to learn from. */
  get isDue(): boolean {
    return this.#groups.some(({ policy }) => policy.isDue)
  }

  /** Each learns from its rollout what was done there. */
  imitate(): void {
    for (const { policy } of this.#groups) policy.imitate()
  }

  /** An agent's episode is over. */
  endEpisode(agent: number): void {
    const { group, place } = this.#placeOf[agent]!
    this.#groups[group]!.policy.endEpisode(place)
  }

  /** May be called twice. */
  dispose(): void {
    for (const { policy } of this.#groups) policy.dispose()
  }

  #answer(observations: Float32Array, out: Float32Array, ask: (policy: Ppo, rows: Rows) => void): void {
    const { observation, action } = this.#widths
    for (const { policy, members, rows } of this.#groups) {
      gather(observations, members, observation, rows.observations)
      ask(policy, rows)
      for (const [place, agent] of members.entries())
        for (let a = 0; a < action; a++) out[agent * action + a] = rows.actions[place * action + a]!
    }
  }
}

const rowsFor = (n: number, { observation, action, global }: Widths): Rows => ({
  observations: new Float32Array(n * observation),
  actions: new Float32Array(n * action),
  rewards: new Float32Array(n),
  nextObservations: new Float32Array(n * observation),
  globals: new Float32Array(n * global),
  nextGlobals: new Float32Array(n * global),
})

function gather(from: Float32Array, members: readonly number[], width: number, into: Float32Array): void {
  for (const [place, agent] of members.entries())
    into.set(from.subarray(agent * width, (agent + 1) * width), place * width)
}
