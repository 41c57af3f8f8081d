import { AdapterError } from '@trimtab/core'
import type { TenantAllocation } from '@trimtab/tasks/serverless'
import { matchContainers } from './container-names.js'
import type { ContainerShares, HostContainer } from './container-shares.js'
import type { AllocationChange, TenantActuator } from './tenant-actuator.js'

/** Whose containers are moved. */
export interface HostActuatorOptions {
  readonly shares: ContainerShares
  /** The namespace's own name. */
  readonly namespace: string
  /** Decide and tell, but change nothing. */
  readonly dryRun?: boolean
}

/** What Linux has. */
const LEAST_SHARES = 2
const MOST_SHARES = 262_144

/**
 * Mode `host`: beside an invoker, the shares of containers that run. At once and without a cold start; on this host only, and not those that
 * were made ahead of an action (they keep a name without one).
 */
export class HostActuator implements TenantActuator {
  readonly #shares: ContainerShares
  readonly #namespace: string
  readonly #dryRun: boolean

  constructor({ shares, namespace, dryRun = false }: HostActuatorOptions) {
    this.#shares = shares
    this.#namespace = namespace
    this.#dryRun = dryRun
  }

  async apply(
    allocations: ReadonlyMap<string, Readonly<TenantAllocation>>,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, AllocationChange>> {
    const matched = matchContainers(await this.#shares.list(signal), this.#namespace, [...allocations.keys()])
    const changes = new Map<string, AllocationChange>()
    for (const [action, { shares }] of allocations) {
      const containers = matched.get(action)
      changes.set(action, containers ? await this.#move(containers, shares, signal) : AMBIGUOUS)
    }
    return changes
  }

  async #move(
    all: readonly HostContainer[],
    wanted: number,
    signal: AbortSignal | undefined,
  ): Promise<AllocationChange> {
    const shares = Math.min(MOST_SHARES, Math.max(LEAST_SHARES, Math.round(wanted)))
    const errors: Error[] = []
    const others = Number.isNaN(shares) ? [] : all.filter(({ cpuShares }) => cpuShares !== shares)
    let gone = 0
    for (const { id } of this.#dryRun ? [] : others) {
      try {
        await this.#shares.set(id, shares, signal)
      } catch (error) {
        signal?.throwIfAborted()
        if (!(error instanceof AdapterError)) throw error
        if (error.code === 'container_gone') gone++
        else errors.push(error)
      }
    }
    const state =
      others.length === 0 ? 'unchanged' : this.#dryRun ? 'planned' : errors.length > 0 ? 'failed' : 'changed'
    const isInForce = state === 'changed' || (state === 'unchanged' && all.length > 0)
    return {
      state,
      inForce: {
        containers: all.length - gone,
        shares: isInForce ? shares : Number.NaN,
        memoryMiB: Number.NaN,
      },
      warmUps: [],
      errors,
    }
  }
}

const AMBIGUOUS: AllocationChange = {
  state: 'ambiguous',
  inForce: { containers: Number.NaN, shares: Number.NaN, memoryMiB: Number.NaN },
  warmUps: [],
  errors: [],
}
