import { AdapterError, type Clock, Problems } from '@trimtab/core'
import type { WhiskClient } from '../client/whisk-client.js'
import type { JsonObject, NamespaceLimits } from '../protocol.js'

/** How containers are started ahead of requests. */
export interface WarmUpOptions {
  readonly client: Pick<WhiskClient, 'invoke'>
  /** Calls at once, of one action; default 8. The client must have as many connections (`mostConnections`). */
  readonly most?: number
  /** Of what the namespace may call in a minute and at once, the share that may go into warm-ups; default .25. */
  readonly share01?: number
  /** The longest that one is waited for; default 8,000. */
  readonly waitMs?: number
  /** What actions are called with, so that they can tell: default `{ warmUp: true }`. */
  readonly parameters?: JsonObject
  /** Milliseconds; default: the host's. */
  readonly clock?: Clock
}

/** What came of warm-ups. */
export interface WarmUpReport {
  /** Calls that the platform took; they are none of the load. */
  readonly activationIds: readonly string[]
  /** Why others were not taken. */
  readonly refusals: readonly AdapterError[]
}

const MINUTE_MS = 60_000
const KEYS: readonly (keyof WarmUpOptions)[] = ['client', 'most', 'share01', 'waitMs', 'parameters', 'clock']

/** Starts containers as a stock platform lets one: k calls at once need k of them. They run the function, and count as calls. */
export class WarmUps {
  readonly #client: Pick<WhiskClient, 'invoke'>
  readonly #most: number
  readonly #share01: number
  readonly #waitMs: number
  readonly #parameters: JsonObject
  readonly #clock: Clock
  /** When each of the last minute's was sent. */
  #sentAtMs: number[] = []

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: WarmUpOptions) {
    const {
      client,
      most = 8,
      share01 = 0.25,
      waitMs = 8000,
      parameters = { warmUp: true },
      clock = performance,
    } = options
    const problems = new Problems()
    problems.checkKeys(options, KEYS, 'warmUps')
    problems.check(most >= 0, `most must be >= 0, got ${most}`)
    problems.check(share01 >= 0 && share01 <= 1, `share01 must lie in [0, 1], got ${share01}`)
    problems.check(waitMs >= 1 && waitMs <= 60_000, `waitMs must lie in [1, 60000], got ${waitMs}`)
    problems.throwIfAny('warm-ups')
    this.#client = client
    this.#most = most
    this.#share01 = share01
    this.#waitMs = Math.round(waitMs)
    this.#parameters = parameters
    this.#clock = clock
  }

  /** Calls an action so often at once, or as often as the bounds allow. @throws the signal's reason */
  async start(
    action: string,
    containers: number,
    limits: NamespaceLimits,
    signal?: AbortSignal,
  ): Promise<WarmUpReport> {
    const nowMs = this.#clock.now()
    this.#sentAtMs = this.#sentAtMs.filter((time) => time > nowMs - MINUTE_MS)
    const allowed = (limit = Number.POSITIVE_INFINITY): number => Math.floor(this.#share01 * limit)
    const count = Math.min(
      containers,
      this.#most,
      allowed(limits.concurrentInvocations),
      allowed(limits.invocationsPerMinute) - this.#sentAtMs.length,
    )
    const calls = Array.from({ length: Math.max(0, count) }, () =>
      this.#client.invoke(action, this.#parameters, this.#waitMs, signal),
    )
    this.#sentAtMs.push(...calls.map(() => nowMs))
    const ended = await Promise.allSettled(calls)
    signal?.throwIfAborted()
    return {
      activationIds: ended.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
      refusals: ended.flatMap((each) => (each.status === 'rejected' ? [asAdapterError(each.reason)] : [])),
    }
  }
}

function asAdapterError(error: unknown): AdapterError {
  if (error instanceof AdapterError) return error
  throw error
}
