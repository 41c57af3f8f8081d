import type { Problems } from '@trimtab/core'

/** What may run together, or start within a minute; what is left out is not limited. */
export interface Limit {
  /** Requests that run at the same time. */
  readonly concurrency?: number
  /** Tokens that running requests hold, of prompts and expected answers: what the server's KV cache has room for. */
  readonly tokenBudget?: number
  /** Requests that start within any 60 s. */
  readonly requestsPerMinute?: number
  /** Tokens of the requests that start within any 60 s; as expected at first, as reported once they have ended. */
  readonly tokensPerMinute?: number
}

const NAMES = ['concurrency', 'tokenBudget', 'requestsPerMinute', 'tokensPerMinute'] as const

/** Notes what is wrong with a limit. @param path  where it stands in the options */
export function checkLimit(problems: Problems, limit: Limit, path: string): void {
  problems.checkKeys(limit, NAMES, path)
  for (const name of NAMES) {
    const value = limit[name]
    problems.check(value === undefined || value >= 1, `${path}.${name} must be a number ≥ 1, got ${value}`)
  }
}

const MINUTE_MS = 60_000

interface Entry {
  readonly atMs: number
  amount: number
}

/** Amounts of the last minute, of which no more than `limit` may come together, wherever the minute begins. */
class LastMinute {
  readonly #limit: number
  /** Oldest first. */
  #entries: Entry[] = []
  #sum = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** How long until so much more fits, in ms; 0: now. */
  delayMs(amount: number, nowMs: number): number {
    this.#forget(nowMs)
    let free = this.#limit - this.#sum
    for (const entry of this.#entries) {
      if (amount <= free) break
      free += entry.amount
      if (amount <= free) return entry.atMs + MINUTE_MS - nowMs
    }
    return 0
  }

  add(amount: number, nowMs: number): Entry {
    const entry = { atMs: nowMs, amount }
    this.#entries.push(entry)
    this.#sum += amount
    return entry
  }

  /** It was another amount. */
  correct(entry: Entry, amount: number): void {
    const [oldest] = this.#entries
    if (oldest && entry.atMs >= oldest.atMs) this.#sum += amount - entry.amount
    entry.amount = amount
  }

  #forget(nowMs: number): void {
    const kept = this.#entries.findIndex(({ atMs }) => atMs + MINUTE_MS > nowMs)
    const gone = this.#entries.splice(0, kept < 0 ? this.#entries.length : kept)
    for (const { amount } of gone) this.#sum -= amount
    if (this.#entries.length === 0) this.#sum = 0 // no drift
  }
}

/** What a request that runs has taken of a gate. */
export interface Pass {
  readonly tokens: number
  readonly counted: Entry | undefined
}

/** Lets requests start as a limit allows. */
export class Gate {
  readonly #concurrency: number
  readonly #tokenBudget: number
  readonly #requests: LastMinute | undefined
  readonly #tokens: LastMinute | undefined
  /** The longest prompt that can ever pass, in tokens. */
  readonly mostTokens: number
  #running = 0
  #held = 0

  constructor(limit: Limit) {
    const { concurrency, tokenBudget, requestsPerMinute, tokensPerMinute } = limit
    this.#concurrency = concurrency ?? Number.POSITIVE_INFINITY
    this.#tokenBudget = tokenBudget ?? Number.POSITIVE_INFINITY
    this.#requests = requestsPerMinute === undefined ? undefined : new LastMinute(requestsPerMinute)
    this.#tokens = tokensPerMinute === undefined ? undefined : new LastMinute(tokensPerMinute)
    this.mostTokens = Math.min(this.#tokenBudget, tokensPerMinute ?? Number.POSITIVE_INFINITY)
  }

  /**
   * How long until a request of so many tokens may start, in ms: 0 now, Infinity when another one has to end first. One that is
   * expected to be larger than the limit counts as all of it: it runs alone.
   */
  delayMs(tokens: number, nowMs: number): number {
    const claim = Math.min(tokens, this.mostTokens)
    if (this.#running >= this.#concurrency || this.#held + claim > this.#tokenBudget) return Number.POSITIVE_INFINITY
    return Math.max(this.#requests?.delayMs(1, nowMs) ?? 0, this.#tokens?.delayMs(claim, nowMs) ?? 0)
  }

  enter(tokens: number, nowMs: number): Pass {
    const claim = Math.min(tokens, this.mostTokens)
    this.#running++
    this.#held += claim
    this.#requests?.add(1, nowMs)
    return { tokens: claim, counted: this.#tokens?.add(claim, nowMs) }
  }

  /** @param tokens  that it took in the end; undefined: nobody said */
  leave(pass: Pass, tokens: number | undefined): void {
    this.#running--
    this.#held = this.#running === 0 ? 0 : this.#held - pass.tokens // 0: no drift
    if (pass.counted && tokens !== undefined) this.#tokens?.correct(pass.counted, tokens)
  }
}
