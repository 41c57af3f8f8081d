import { AdapterError, type Clock, Problems } from '@trimtab/core'
import type { WhiskClient } from '../client/whisk-client.js'
import type { NamespaceLimits, WhiskActionLimits } from '../protocol.js'

/** Limits to bring into force; what is missing or NaN stays as it is. */
export type LimitWish = Partial<Pick<WhiskActionLimits, 'memory' | 'instances' | 'concurrency'>>

/** What came of a wish. */
export type LimitChange =
  | { readonly state: 'unchanged'; readonly limits: Partial<WhiskActionLimits> }
  /** `planned`: a dry run, nothing was sent. */
  | {
      readonly state: 'changed' | 'planned'
      readonly from: Partial<WhiskActionLimits>
      readonly limits: Partial<WhiskActionLimits>
    }
  /** It changed too short a time ago, or too many others do now. */
  | { readonly state: 'cooling'; readonly limits: Partial<WhiskActionLimits> }
  /** There is no such action. */
  | { readonly state: 'gone' }
  | { readonly state: 'failed'; readonly error: AdapterError }

/** What came of wishes. */
export interface LimitChanges {
  /** By action. */
  readonly changes: ReadonlyMap<string, LimitChange>
  /** What the namespace may take. */
  readonly bounds: NamespaceLimits
}

/** Whose limits, and how often they may change. */
export interface LimitsActuatorOptions {
  readonly client: Pick<WhiskClient, 'limits' | 'action' | 'changeLimits'>
  /** Between two changes of an action, each of which makes a version and costs its warm containers; default 300. */
  readonly coolDownSeconds?: number
  /** Changes of one call, so that not all functions start cold together; default 5. */
  readonly mostChanges?: number
  /** Decide and tell, but change nothing. */
  readonly dryRun?: boolean
  /** Milliseconds; default: the host's. */
  readonly clock?: Clock
}

/** An edit of somebody else, or a limit that fell meanwhile: read again and tried again so often. */
const ATTEMPTS = 3

const KEYS: readonly (keyof LimitsActuatorOptions)[] = ['client', 'coolDownSeconds', 'mostChanges', 'dryRun', 'clock']

/** Memory, instances and concurrency of actions, never outside what their namespace may take. */
export class LimitsActuator {
  readonly #client: LimitsActuatorOptions['client']
  readonly #coolDownMs: number
  readonly #mostChanges: number
  readonly #dryRun: boolean
  readonly #clock: Clock
  readonly #changedAtMs = new Map<string, number>()

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: LimitsActuatorOptions) {
    const { client, coolDownSeconds = 300, mostChanges = 5, dryRun = false, clock = performance } = options
    const problems = new Problems()
    problems.checkKeys(options, KEYS, 'options')
    problems.check(coolDownSeconds >= 0, `coolDownSeconds must be >= 0, got ${coolDownSeconds}`)
    problems.check(mostChanges >= 1, `mostChanges must be at least 1, got ${mostChanges}`)
    problems.throwIfAny('limits of actions')
    this.#client = client
    this.#coolDownMs = coolDownSeconds * 1000
    this.#mostChanges = mostChanges
    this.#dryRun = dryRun
    this.#clock = clock
  }

  /**
   * Brings wishes into force, each in one change.
   * @param wishes  by action; made of what is in force now
   * @throws {AdapterError} the limits of the namespace are not known; nothing has changed. What goes wrong with one action is its outcome
   */
  async apply(
    wishes: ReadonlyMap<string, (inForce: Partial<WhiskActionLimits>) => LimitWish>,
    signal?: AbortSignal,
  ): Promise<LimitChanges> {
    let bounds = await this.#client.limits(signal)
    const changes = new Map<string, LimitChange>()
    let left = this.#mostChanges
    for (const [name, wish] of wishes) {
      const change = await this.#try(name, async (attempt) => {
        if (attempt > 1) bounds = await this.#client.limits(signal)
        return this.#change(name, wish, bounds, left > 0, signal)
      })
      signal?.throwIfAborted()
      if (change.state === 'changed' || change.state === 'planned') left--
      changes.set(name, change)
    }
    return { changes, bounds }
  }

  async #try(name: string, change: (attempt: number) => Promise<LimitChange>): Promise<LimitChange> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await change(attempt)
      } catch (error) {
        if (!(error instanceof AdapterError)) throw error
        if (error.code === 'whisk_not_found') {
          this.#changedAtMs.delete(name)
          return { state: 'gone' }
        }
        const mayChange = error.code === 'whisk_conflict' || error.code === 'whisk_refused'
        if (!mayChange || attempt >= ATTEMPTS) return { state: 'failed', error }
      }
    }
  }

  async #change(
    name: string,
    wish: (inForce: Partial<WhiskActionLimits>) => LimitWish,
    bounds: NamespaceLimits,
    hasRoom: boolean,
    signal: AbortSignal | undefined,
  ): Promise<LimitChange> {
    const { limits: from } = await this.#client.action(name, signal)
    const wanted = withinLimits(wish(from), bounds)
    const different = Object.entries(wanted).filter(([key, value]) => from[key as keyof WhiskActionLimits] !== value)
    if (different.length === 0) return { state: 'unchanged', limits: from }
    const nowMs = this.#clock.now()
    const changedAtMs = this.#changedAtMs.get(name) ?? Number.NEGATIVE_INFINITY
    if (!hasRoom || nowMs - changedAtMs < this.#coolDownMs) return { state: 'cooling', limits: from }
    const limits = Object.fromEntries(different)
    if (!this.#dryRun) await this.#client.changeLimits(name, limits, signal)
    this.#changedAtMs.set(name, nowMs)
    return { state: this.#dryRun ? 'planned' : 'changed', from, limits: { ...from, ...limits } }
  }
}

/** A wish as far as the namespace may take it, in whole numbers; what the platform says no bound of is not moved. */
export function withinLimits(wish: LimitWish, bounds: NamespaceLimits): LimitWish {
  const { maxActionInstances, concurrentInvocations = Number.POSITIVE_INFINITY } = bounds
  const mostInstances = maxActionInstances && Math.min(maxActionInstances, concurrentInvocations)
  return {
    ...bounded('memory', wish.memory, bounds.minActionMemory, bounds.maxActionMemory),
    ...bounded('instances', wish.instances, 1, mostInstances),
    ...bounded('concurrency', wish.concurrency, bounds.minActionConcurrency, bounds.maxActionConcurrency),
  }
}

function bounded(name: keyof LimitWish, wanted = Number.NaN, low = 1, high: number | undefined): LimitWish {
  if (high === undefined || Number.isNaN(wanted) || low > high) return {}
  return { [name]: Math.min(high, Math.max(low, Math.round(wanted))) }
}
