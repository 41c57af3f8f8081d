import { AdapterError, TrimtabError } from '@trimtab/core'
import { onlyValueOf, type PrometheusClient } from '@trimtab/prometheus'
import { forEachAtMost } from '../at-most.js'

/** A number, or why there is none. */
export type Answer = number | { readonly missing: string }

/** How the queries of all workloads are asked. */
export interface QueryBatchOptions {
  /** Queries under way at once; default 16. */
  readonly concurrency?: number
  /** What is not answered by then is missing, ms; default 10,000. The whole batch has as long. */
  readonly timeoutMs?: number
  /** When to ask about, unix seconds; default: the server's now, which no clock of ours can be wrong about. */
  readonly timeSeconds?: (() => number) | undefined
}

/**
 * Asks Prometheus everything that a pass needs: each text once, so many at a time, and no longer than a part of the period: what a slow
 * server has not answered by then is missing.
 */
export class QueryBatch {
  readonly #client: Pick<PrometheusClient, 'query'> | undefined
  readonly #options: QueryBatchOptions

  /** @param client  undefined: there is no Prometheus, and every answer is missing */
  constructor(client: Pick<PrometheusClient, 'query'> | undefined, options: QueryBatchOptions = {}) {
    this.#client = client
    this.#options = options
  }

  /** @throws the signal's reason; whatever else goes wrong is a missing answer */
  async ask(texts: Iterable<string>, signal: AbortSignal): Promise<ReadonlyMap<string, Answer>> {
    const { concurrency = 16, timeoutMs = 10_000, timeSeconds } = this.#options
    const answers = new Map<string, Answer>()
    const distinct = new Set(texts)
    if (distinct.size === 0) return answers
    const overdue = new AbortController()
    const timer = setTimeout(() => overdue.abort(tooSlow(timeoutMs)), timeoutMs)
    const options = { timeSeconds: timeSeconds?.(), signal: AbortSignal.any([signal, overdue.signal]) }
    try {
      await forEachAtMost(concurrency, distinct, async (text) => {
        answers.set(text, await this.#answer(text, options))
      })
    } finally {
      clearTimeout(timer)
    }
    signal.throwIfAborted()
    return answers
  }

  async #answer(text: string, options: { timeSeconds: number | undefined; signal: AbortSignal }): Promise<Answer> {
    if (this.#client === undefined) return { missing: 'no Prometheus is configured' }
    try {
      options.signal.throwIfAborted()
      const known = onlyValueOf(await this.#client.query(text, options))
      return typeof known === 'string' ? { missing: known } : known.value
    } catch (error) {
      if (error instanceof TrimtabError || options.signal.aborted) return { missing: (error as Error).message }
      throw error
    }
  }
}

const tooSlow = (timeoutMs: number): AdapterError =>
  new AdapterError('prometheus_slow', `Prometheus did not answer all queries within ${timeoutMs} ms`)
