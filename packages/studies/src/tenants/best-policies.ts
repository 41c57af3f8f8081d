import type { Tensor } from '@trimtab/core'
import type { PlatformRecord } from '@trimtab/tasks/serverless'
import type { PolicyGroup } from './policy-groups.js'

/** The best of what policies were while they learned. */
export class BestPolicies {
  readonly #groups: readonly PolicyGroup[]
  readonly #rule: PlatformRecord | undefined
  #score: number
  #learned: readonly (readonly Tensor[])[] | undefined
  #episodes = 0

  /** @param rule  what there is without them: to be exceeded, with no more violations and no worse worst tenant */
  constructor(groups: readonly PolicyGroup[], rule?: PlatformRecord) {
    this.#groups = groups
    this.#rule = rule
    this.#score = rule?.score ?? Number.NEGATIVE_INFINITY
  }

  /** Episodes of learning behind the best; 0 before anything was better. */
  get episodes(): number {
    return this.#episodes
  }

  /** The policies as they are now came to so much. */
  offer(episodes: number, { score, violation01, worstViolation01 }: PlatformRecord): void {
    const rule = this.#rule
    const doesHarm = rule && (violation01 > rule.violation01 || worstViolation01 > rule.worstViolation01)
    if (doesHarm || score <= this.#score) return
    this.#score = score
    this.#learned = this.#groups.map(({ policy }) => policy.learned())
    this.#episodes = episodes
  }

  /** Makes the policies what the best were; they stay what they are where nothing was better. */
  restore(): void {
    for (const [i, learned] of this.#learned?.entries() ?? []) this.#groups[i]!.policy.setLearned(learned)
  }
}
