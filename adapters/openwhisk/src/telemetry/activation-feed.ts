import { Problems } from '@trimtab/core'
import type { ActivationReport } from '../client/reports.js'
import type { WhiskClient } from '../client/whisk-client.js'

/** Where activations are read, and how far back. */
export interface ActivationFeedOptions {
  readonly client: Pick<WhiskClient, 'activations' | 'actions'>
  /**
   * How much later than its start a record may appear. Default: the longest timeout that an action has or had, and ten seconds to be
   * stored; the actions are asked for at every read then.
   */
  readonly lookbackMs?: number
  /** Pages of 200 records that a read may ask for; default 25. */
  readonly mostPages?: number
}

/** New activations. */
export interface ActivationBatch {
  readonly activations: readonly ActivationReport[]
  /** Whether these are all since the last read. Not so at the first one, which begins the count, and where there were too many. */
  readonly isComplete: boolean
}

/**
 * Every activation once, however it is paged, and though a record appears only after its end: platforms list them by their start, so that
 * the last stretch is listed again each time and what was seen is left out. The platform's own times only, no clock of ours.
 */
export class ActivationFeed {
  readonly #client: ActivationFeedOptions['client']
  readonly #lookbackMs: number | undefined
  readonly #mostPages: number
  /** The longest lookback so far, where none is given. */
  #longestMs = 0
  /** Start of the latest activation that was listed, unix ms; undefined: nothing was read yet. */
  #latestMs: number | undefined
  /** What began before is not listed any more: which of it was seen is forgotten. */
  #sinceMs = 0
  /** Those of the last stretch, by their starts. */
  #seen = new Map<string, number>()

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: ActivationFeedOptions) {
    const { client, lookbackMs, mostPages = 25 } = options
    const problems = new Problems()
    problems.checkKeys(options, ['client', 'lookbackMs', 'mostPages'], 'options')
    problems.check(lookbackMs === undefined || lookbackMs > 0, `lookbackMs must be > 0, got ${lookbackMs}`)
    problems.check(mostPages >= 1, `mostPages must be at least 1, got ${mostPages}`)
    problems.throwIfAny('activations')
    this.#client = client
    this.#lookbackMs = lookbackMs
    this.#mostPages = mostPages
  }

  /** How many activations are kept in mind: those of the last stretch. */
  get remembered(): number {
    return this.#seen.size
  }

  /** @throws {AdapterError} as the client; nothing is lost: the next read has it */
  async read(signal?: AbortSignal): Promise<ActivationBatch> {
    const before = this.#latestMs ?? (await this.#latest(signal))
    const lookbackMs = await this.#lookback(signal)
    const { listed, isWhole, timeMs } = await this.#list(Math.max(this.#sinceMs, before - lookbackMs), signal)
    const isFirst = this.#latestMs === undefined
    const isNew = (each: ActivationReport): boolean => !isFirst && !this.#seen.has(each.activationId)
    const activations = [...listed.values()].filter(isNew)
    for (const { activationId, startMs } of listed.values()) this.#seen.set(activationId, startMs)
    // An invoker whose clock is ahead must not hide what others begin meanwhile.
    const latest = Math.max(before, ...[...listed.values()].map(({ startMs }) => Math.min(startMs, timeMs)))
    this.#latestMs = latest
    this.#sinceMs = Math.max(this.#sinceMs, latest - lookbackMs)
    this.#seen = new Map([...this.#seen].filter(([, startMs]) => startMs >= this.#sinceMs))
    return { activations, isComplete: isWhole && !isFirst }
  }

  /** Leaves an activation out that is still to come. */
  ignore(activationId: string): void {
    this.#seen.set(activationId, Number.POSITIVE_INFINITY)
  }

  /** It never shrinks: what an action with a longer timeout began may still end. */
  async #lookback(signal: AbortSignal | undefined): Promise<number> {
    if (this.#lookbackMs !== undefined) return this.#lookbackMs
    const actions = await this.#client.actions(signal)
    this.#longestMs = Math.max(this.#longestMs, ...actions.map(({ limits }) => (limits.timeout ?? 0) + STORING_MS))
    return this.#longestMs
  }

  async #latest(signal: AbortSignal | undefined): Promise<number> {
    const { activations, timeMs = Number.POSITIVE_INFINITY } = await this.#client.activations({ limit: 1 }, signal)
    return Math.min(timeMs, activations[0]?.startMs ?? 0)
  }

  /** All from `since` on, the latest first: each page begins where the last one ended, whatever comes in between. */
  async #list(since: number, signal: AbortSignal | undefined): Promise<Listing> {
    const listed = new Map<string, ActivationReport>()
    let upto: number | undefined
    let skip = 0
    let timeMs = Number.POSITIVE_INFINITY
    for (let page = 0; page < this.#mostPages; page++) {
      const { length, activations, ...told } = await this.#client.activations({ since, upto, skip }, signal)
      timeMs = Math.min(timeMs, told.timeMs ?? timeMs)
      for (const each of activations) listed.set(each.activationId, each)
      if (length < PAGE) return { listed, isWhole: true, timeMs }
      const earliest = Math.min(...activations.map(({ startMs }) => startMs))
      // A page of one millisecond only does not move the bound: what it held is skipped.
      if (earliest < (upto ?? Number.POSITIVE_INFINITY)) {
        upto = earliest
        skip = 0
      } else skip += length
    }
    return { listed, isWhole: false, timeMs }
  }
}

interface Listing {
  readonly listed: ReadonlyMap<string, ActivationReport>
  readonly isWhole: boolean
  /** The platform's clock; ∞: it does not say. */
  readonly timeMs: number
}

/** What the client asks for at once. */
const PAGE = 200
/** From the end of an activation until it is listed. */
const STORING_MS = 10_000
