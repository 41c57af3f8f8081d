import { Problems } from '@trimtab/core'
import type { ActivationReport } from '../client/reports.js'
import type { WhiskClient } from '../client/whisk-client.js'

/** Where activations are read, and how far back. */
export interface ActivationFeedOptions {
  readonly client: Pick<WhiskClient, 'activations'>
  /**
   * How much later than its start a record may appear: the longest timeout of an action and the time it takes to be stored. Default
   * 70,000: a minute, and ten seconds.
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
 * the last stretch is listed again each time and what was seen is left out. Platforms' own times only, no clock of ours.
 */
export class ActivationFeed {
  readonly #client: Pick<WhiskClient, 'activations'>
  readonly #lookbackMs: number
  readonly #mostPages: number
  /** Start of the latest activation that was listed, unix ms; undefined: nothing was read yet. */
  #latestMs: number | undefined
  /** Those of the last stretch, by their starts. */
  #seen = new Map<string, number>()

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: ActivationFeedOptions) {
    const { client, lookbackMs = 70_000, mostPages = 25 } = options
    const problems = new Problems()
    problems.checkKeys(options, ['client', 'lookbackMs', 'mostPages'], 'options')
    problems.check(lookbackMs > 0, `lookbackMs must be > 0, got ${lookbackMs}`)
    problems.check(mostPages >= 1, `mostPages must be at least 1, got ${mostPages}`)
    problems.throwIfAny('activations')
    this.#client = client
    this.#lookbackMs = lookbackMs
    this.#mostPages = mostPages
  }

  /** @throws {AdapterError} as the client; nothing is lost: the next read has it */
  async read(signal?: AbortSignal): Promise<ActivationBatch> {
    const before = this.#latestMs ?? (await this.#latest(signal))
    const { listed, isWhole } = await this.#list(Math.max(0, before - this.#lookbackMs), signal)
    const isFirst = this.#latestMs === undefined
    const isNew = (each: ActivationReport): boolean => !isFirst && !this.#seen.has(each.activationId)
    const activations = [...listed.values()].filter(isNew)
    for (const { activationId, startMs } of listed.values()) this.#seen.set(activationId, startMs)
    const latest = Math.max(before, ...[...listed.values()].map(({ startMs }) => startMs))
    this.#latestMs = latest
    this.#seen = new Map([...this.#seen].filter(([, startMs]) => startMs >= latest - this.#lookbackMs))
    return { activations, isComplete: isWhole && !isFirst }
  }

  /** Leaves an activation out that is still to come. */
  ignore(activationId: string): void {
    this.#seen.set(activationId, Number.POSITIVE_INFINITY)
  }

  async #latest(signal: AbortSignal | undefined): Promise<number> {
    const { activations } = await this.#client.activations({ limit: 1 }, signal)
    return activations[0]?.startMs ?? 0
  }

  /** All from `since` on, the latest first: each page begins where the last one ended, whatever comes in between. */
  async #list(since: number, signal: AbortSignal | undefined): Promise<Listing> {
    const listed = new Map<string, ActivationReport>()
    let upto: number | undefined
    let skip = 0
    for (let page = 0; page < this.#mostPages; page++) {
      const { length, activations } = await this.#client.activations({ since, upto, skip }, signal)
      for (const each of activations) listed.set(each.activationId, each)
      if (length < PAGE) return { listed, isWhole: true }
      const earliest = Math.min(...activations.map(({ startMs }) => startMs))
      // A page of one millisecond only does not move the bound: what it held is skipped.
      if (earliest < (upto ?? Number.POSITIVE_INFINITY)) {
        upto = earliest
        skip = 0
      } else skip += length
    }
    return { listed, isWhole: false }
  }
}

interface Listing {
  readonly listed: ReadonlyMap<string, ActivationReport>
  readonly isWhole: boolean
}

/** What the client asks for at once. */
const PAGE = 200
