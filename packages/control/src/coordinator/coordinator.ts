import { type Clock, type Logger, Problems } from '@trimtab/core'
import { isTeamName } from './team-member-options.js'
import type { BaseModel, ModelExchange, ModelOffer } from './transport.js'

const MAX_OFFERS = 64 // a category: some megabytes

/** What a policy file is worth in its category, higher is better: the same measure for all of them. */
export type Judge = (category: string, bytes: Uint8Array) => number | Promise<number>

/** What a coordinator keeps, and how it judges. */
export interface CoordinatorOptions {
  /** `models` of the team's transport. */
  readonly models: ModelExchange
  /** Whose base models it refreshes, e.g. `['cpu', 'memory', 'io']`. */
  readonly categories: readonly string[]
  /** E.g. the mean reward of the same seeded episodes. What it throws at, or gives no number for, is refused. */
  readonly judge: Judge
  readonly clock: Clock
  /** The least time between two refreshes. */
  readonly refreshMs: number
  /** By how much an offer must be judged better. Default 0. */
  readonly minGain?: number
  readonly logger?: Logger
}

/** A base model was replaced. */
export interface ModelRefresh {
  readonly category: string
  /** Who learned it. */
  readonly member: string
  readonly version: number
  readonly value: number
  /** What the last one was worth to the same judge; `undefined`: there was none, or none that can be judged. */
  readonly lastValue: number | undefined
}

const OPTIONS: readonly (keyof CoordinatorOptions)[] = [
  'models',
  'categories',
  'judge',
  'clock',
  'refreshMs',
  'minGain',
  'logger',
]

/**
 * Refreshes the base models of a team, slowly and in the background, by what its members have learned. Nobody waits for it: models lie
 * with the transport, so members and newcomers go on without it, and several coordinators do no harm.
 *
 * The best judged offer takes the place of a base model that the same judge likes less. Not an average: weights of networks that were
 * trained apart do not average to a policy, and what was judged cannot make the base worse than it was.
 *
 * Source: dissertation 4.7.2, network parameter sharing.
 *
 * @example
 * const coordinator = new Coordinator({ models: transport.models, categories: ['cpu', 'memory', 'io'], judge, clock, refreshMs: 600_000 })
 * for (const { category, version } of await coordinator.step()) console.log(`${category}: version ${version}`)
 */
export class Coordinator {
  readonly #options: CoordinatorOptions
  readonly #offers: ReadonlyMap<string, Map<string, ModelOffer>>
  readonly #stopListening: () => void
  #lastMs: number | undefined
  #isJudging = false
  #refused = 0

  /** @throws {ConfigError} `config_invalid` with every problem found */
  constructor(options: CoordinatorOptions) {
    check(options)
    this.#options = options
    this.#offers = new Map(options.categories.map((category) => [category, new Map()]))
    this.#stopListening = options.models.onOffer((offer) => this.#take(offer))
  }

  /** Offers that nobody could use: of an unknown category, or ones that the judge refused. */
  get refused(): number {
    return this.#refused
  }

  /**
   * Refreshes what is due; call it as often as you like. A category that cannot be refreshed now keeps its offers.
   * @returns which base models were replaced
   */
  async step(): Promise<readonly ModelRefresh[]> {
    const { clock, refreshMs, categories } = this.#options
    const now = clock.now()
    const isDue = this.#lastMs === undefined || Math.abs(now - this.#lastMs) >= refreshMs // a clock set back starts anew
    if (this.#isJudging || !isDue) return []
    this.#lastMs = now
    this.#isJudging = true
    const refreshes: ModelRefresh[] = []
    for (const category of categories) {
      try {
        const refresh = await this.#refresh(category)
        if (refresh !== undefined) refreshes.push(refresh)
      } catch (failure) {
        this.#options.logger?.warn('a base model was not refreshed', { category, failure })
      }
    }
    this.#isJudging = false
    return refreshes
  }

  /** Takes no more offers. May be called twice. */
  dispose(): void {
    this.#stopListening()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** The last offer of each member; beyond the bound the oldest goes. */
  #take(offer: ModelOffer): void {
    const offers = this.#offers.get(offer.category)
    if (offers === undefined) {
      this.#refused++
      return
    }
    offers.delete(offer.member)
    offers.set(offer.member, offer)
    if (offers.size > MAX_OFFERS) offers.delete(offers.keys().next().value!)
  }

  async #refresh(category: string): Promise<ModelRefresh | undefined> {
    const offers = this.#offers.get(category)!
    if (offers.size === 0) return undefined
    const { models, minGain = 0 } = this.#options
    const base = await models.get(category)
    const candidates = [...offers.values()]
    offers.clear()
    const lastValue = base && (await this.#judge(category, base))
    let best: { readonly offer: ModelOffer; readonly value: number } | undefined
    let least = lastValue === undefined ? Number.NEGATIVE_INFINITY : lastValue + minGain
    for (const offer of candidates) {
      const value = await this.#judge(category, offer)
      if (value === undefined) this.#refused++
      else if (value > least) {
        best = { offer, value }
        least = value
      }
    }
    if (best === undefined) return undefined
    const version = await models.replace(category, best.offer.bytes, base?.version ?? 0)
    if (version === undefined) return undefined // another coordinator was faster; what is learned next is judged against its choice
    return { category, member: best.offer.member, version, value: best.value, lastValue }
  }

  /** `undefined` for what cannot be judged. */
  async #judge(category: string, { bytes }: BaseModel | ModelOffer): Promise<number | undefined> {
    try {
      const value = await this.#options.judge(category, bytes)
      return Number.isFinite(value) ? value : undefined
    } catch (failure) {
      this.#options.logger?.warn('a policy cannot be judged', { category, failure })
      return undefined
    }
  }
}

function check(options: CoordinatorOptions): void {
  const { categories, refreshMs, minGain = 0 } = options
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  problems.check(categories.length > 0, 'categories must name at least one')
  for (const category of categories) problems.check(isTeamName(category), `categories: "${category}" is no name`)
  problems.check(refreshMs >= 0, `refreshMs must be >= 0, got ${refreshMs}`)
  problems.check(Number.isFinite(minGain) && minGain >= 0, `minGain must be a number >= 0, got ${minGain}`)
  problems.throwIfAny('coordinator')
}
