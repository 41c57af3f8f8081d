import type { TenantPlatform } from '@trimtab/openwhisk'
import { createTenantTelemetry, type TenantAllocation, type TenantTelemetry } from '@trimtab/tasks/serverless'
import type { FunctionPool } from './function-pool.js'

/** The functions of a local platform for `runTenants`; what is in force is what came of an allocation. */
export class PoolTenants implements TenantPlatform<Readonly<TenantAllocation>> {
  readonly #pools: ReadonlyMap<string, FunctionPool>
  readonly #sloMsOf: (name: string) => number
  readonly #telemetry = new Map<string, TenantTelemetry>()

  /**
   * @param pools  as they are in each step; a new version of a function goes on where the last one was
   * @param sloMsOf  by a pool's name
   */
  constructor(pools: ReadonlyMap<string, FunctionPool>, sloMsOf: (name: string) => number) {
    this.#pools = pools
    this.#sloMsOf = sloMsOf
  }

  /** Telemetry of the time since the last call. */
  async observe(): Promise<ReadonlyMap<string, TenantTelemetry>> {
    for (const name of this.#telemetry.keys()) if (!this.#pools.has(name)) this.#telemetry.delete(name)
    for (const [name, pool] of this.#pools) {
      const telemetry = this.#telemetry.get(name) ?? { ...createTenantTelemetry(), sloMs: this.#sloMsOf(name) }
      pool.step(telemetry)
      this.#telemetry.set(name, telemetry)
    }
    return new Map([...this.#telemetry].map(([name, telemetry]) => [name, { ...telemetry }]))
  }

  /** Brings allocations into force; of a function that is gone, nothing. */
  async apply(
    allocations: ReadonlyMap<string, Readonly<TenantAllocation>>,
  ): Promise<ReadonlyMap<string, Readonly<TenantAllocation>>> {
    const inForce = new Map<string, Readonly<TenantAllocation>>()
    for (const [name, allocation] of allocations) {
      const pool = this.#pools.get(name)
      if (!pool) continue
      pool.allocation = allocation
      inForce.set(name, pool.allocation)
    }
    return inForce
  }
}
