import type { ActivationRecord, ActivationSummary } from '../protocol.js'
import type { Page } from './query.js'
import { notFound } from './whisk-error.js'

/** Which activations are meant: those that began from `since` up to `upto`, both included, unix milliseconds. */
export interface ActivationFilter {
  readonly name?: string | undefined
  readonly since?: number | undefined
  readonly upto?: number | undefined
}

/** The last activations of a namespace that have ended, the earliest start first. */
export class ActivationLog {
  readonly #most: number
  readonly #records: ActivationRecord[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** Keeps one; the earliest goes where there are too many. */
  add(activation: ActivationRecord): void {
    let at = this.#records.length
    while (at > 0 && this.#records[at - 1]!.start > activation.start) at--
    this.#records.splice(at, 0, activation)
    if (this.#records.length > this.#most) this.#records.shift()
  }

  /** @throws {WhiskError} 404 */
  get(activationId: string): ActivationRecord {
    const activation = this.#records.find((each) => each.activationId === activationId)
    if (activation === undefined) throw notFound()
    return activation
  }

  /** A page of those that are meant, the latest start first. */
  list(filter: ActivationFilter, { skip, limit }: Page): ActivationRecord[] {
    return this.#matching(filter)
      .reverse()
      .slice(skip, skip + limit)
  }

  /** How many are meant, after the skipped ones. */
  count(filter: ActivationFilter, skip: number): number {
    return Math.max(0, this.#matching(filter).length - skip)
  }

  #matching({ name, since = 0, upto = Number.POSITIVE_INFINITY }: ActivationFilter): ActivationRecord[] {
    return this.#records.filter(
      (each) => each.start >= since && each.start <= upto && (name === undefined || each.name === name),
    )
  }
}

/** What a list without `docs` says of it. */
export const summaryOf = ({ subject, response, logs, ...summary }: ActivationRecord): ActivationSummary => summary
