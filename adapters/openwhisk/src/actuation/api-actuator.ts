import { Problems } from '@trimtab/core'
import type { TenantAllocation } from '@trimtab/tasks/serverless'
import type { WhiskClient } from '../client/whisk-client.js'
import type { NamespaceLimits, WhiskActionLimits } from '../protocol.js'
import { type InvokerShares, memoryFor, sharesOf } from './invoker-shares.js'
import { type LimitChange, LimitsActuator, type LimitsActuatorOptions, type LimitWish } from './limits-actuator.js'
import type { AllocationChange, TenantActuator } from './tenant-actuator.js'
import { type WarmUpOptions, type WarmUpReport, WarmUps } from './warm-ups.js'

/** How a stock platform is moved. */
export interface ApiActuatorOptions extends LimitsActuatorOptions {
  readonly client: Pick<WhiskClient, 'limits' | 'action' | 'changeLimits' | 'invoke'>
  /** How memory and shares hang together there; without it memory is not moved, and shares are not known. */
  readonly invoker?: InvokerShares
  /** Shares change only by more than this part of those in force; default .25. */
  readonly leastChange01?: number
  readonly warmUps?: Omit<WarmUpOptions, 'client' | 'clock'>
}

/** The cap of containers is set to so many times what is wanted, and left alone from there down to that and up to twice: changes cost cold starts. */
const HEADROOM = 2

/**
 * Mode `api`: what a stock platform lets a tenant do from outside. Shares become memory, containers a cap with room above and warm-up calls for
 * those that are new. Keep-alive is out of its reach.
 */
export class ApiActuator implements TenantActuator {
  readonly #invoker: InvokerShares | undefined
  readonly #leastChange01: number
  readonly #dryRun: boolean
  readonly #limits: LimitsActuator
  readonly #warmUps: WarmUps
  /** Containers asked for last. */
  readonly #asked = new Map<string, number>()

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: ApiActuatorOptions) {
    const { invoker, leastChange01 = 0.25, warmUps, ...limits } = options
    const problems = new Problems()
    problems.check(leastChange01 >= 0, `leastChange01 must be >= 0, got ${leastChange01}`)
    for (const [name, value] of Object.entries(invoker ?? {}))
      problems.check(value > 0, `invoker.${name} must be > 0, got ${value}`)
    problems.throwIfAny('actuation by the API')
    this.#invoker = invoker
    this.#leastChange01 = leastChange01
    this.#dryRun = limits.dryRun ?? false
    this.#limits = new LimitsActuator(limits)
    this.#warmUps = new WarmUps({ ...warmUps, client: limits.client, ...(limits.clock && { clock: limits.clock }) })
  }

  async apply(
    allocations: ReadonlyMap<string, Readonly<TenantAllocation>>,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, AllocationChange>> {
    const wishes = new Map(
      [...allocations].map(([action, wanted]) => [
        action,
        (now: Partial<WhiskActionLimits>) => this.#wish(wanted, now),
      ]),
    )
    const { changes, bounds } = await this.#limits.apply(wishes, signal)
    const outcomes = new Map<string, AllocationChange>()
    for (const [action, change] of changes) {
      const warmed = await this.#warmUp(action, allocations.get(action)!.containers, change, bounds, signal)
      outcomes.set(action, this.#outcomeOf(action, change, warmed))
    }
    return outcomes
  }

  #wish({ containers, shares }: Readonly<TenantAllocation>, inForce: Partial<WhiskActionLimits>): LimitWish {
    const invoker = this.#invoker
    const { instances = Number.NaN, memory = Number.NaN } = inForce
    const cap = HEADROOM * Math.max(1, containers)
    const isRoomy = instances >= containers && instances <= 2 * cap
    const inForceShares = invoker ? sharesOf(memory, invoker) : Number.NaN
    const isNear = Math.abs(shares - inForceShares) <= this.#leastChange01 * inForceShares
    return {
      instances: isRoomy ? instances : cap,
      memory: invoker && !isNear ? memoryFor(shares, invoker) : memory,
    }
  }

  /** A version that is new has no container; else only what is wanted more than before is new. */
  async #warmUp(
    action: string,
    containers: number,
    change: LimitChange,
    bounds: NamespaceLimits,
    signal: AbortSignal | undefined,
  ): Promise<WarmUpReport> {
    if (change.state === 'gone') this.#asked.delete(action)
    if (change.state === 'gone' || change.state === 'failed' || Number.isNaN(containers)) return NONE
    const before = change.state === 'changed' ? 0 : (this.#asked.get(action) ?? 0)
    this.#asked.set(action, containers)
    if (this.#dryRun) return NONE
    return this.#warmUps.start(action, containers - before, bounds, signal)
  }

  #outcomeOf(action: string, change: LimitChange, { activationIds, refusals }: WarmUpReport): AllocationChange {
    const invoker = this.#invoker
    const memoryMiB = ('limits' in change ? change.limits.memory : undefined) ?? Number.NaN
    return {
      state: change.state,
      inForce: {
        containers: this.#asked.get(action) ?? Number.NaN,
        shares: invoker ? sharesOf(memoryMiB, invoker) : Number.NaN,
        memoryMiB,
      },
      warmUps: activationIds,
      errors: change.state === 'failed' ? [change.error, ...refusals] : refusals,
    }
  }
}

const NONE: WarmUpReport = { activationIds: [], refusals: [] }
