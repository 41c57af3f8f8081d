import type { Actuator, Quantity } from '@trimtab/core'
import type { Allocation, AllocationBounds } from './telemetry.js'
import type { View } from './views.js'

/** A cluster, simulated or real, as its actuator needs it. */
export interface AllocatedCluster {
  /** In force now. */
  readonly allocation: Readonly<Allocation>
  readonly options: { readonly bounds: AllocationBounds }
}

/** Says what the actions of a view mean in replicas, cores and MiB, and brings an allocation into force that is none of them. */
export class AllocationActuator implements Actuator {
  readonly quantities: readonly Quantity[]
  readonly #cluster: AllocatedCluster
  readonly #view: View
  readonly #overruled: Allocation = { coresPerReplica: 1, memoryMiBPerReplica: 256, replicas: 1 }
  readonly #wanted: Allocation = { coresPerReplica: 1, memoryMiBPerReplica: 256, replicas: 1 }
  #isOverruled = false

  constructor(cluster: AllocatedCluster, view: View) {
    const { replicas, cores, memoryMiB } = cluster.options.bounds
    this.quantities = [
      { name: 'replicas', low: replicas[0], high: replicas[1], isWhole: true },
      { name: 'coresPerReplica', low: cores[0], high: cores[1], isWhole: false },
      { name: 'memoryMiBPerReplica', low: memoryMiB[0], high: memoryMiB[1], isWhole: false },
    ]
    this.#cluster = cluster
    this.#view = view
  }

  inForce(out: Float64Array): void {
    toUnits(this.#cluster.allocation, out)
  }

  toUnits(action: Float32Array, out: Float64Array): void {
    this.#isOverruled = false
    this.#view.toAllocation(action, this.#wanted)
    toUnits(this.#wanted, out)
  }

  overrule(units: Float64Array, action: Float32Array): void {
    this.#isOverruled = true
    this.#overruled.replicas = units[0]!
    this.#overruled.coresPerReplica = units[1]!
    this.#overruled.memoryMiBPerReplica = units[2]!
    this.#view.toAction(this.#overruled, action)
  }

  /** Fills `out` with what a step brings into force: what `action` asks for, unless it was overruled. */
  take(action: Float32Array, out: Allocation): void {
    if (this.#isOverruled) Object.assign(out, this.#overruled)
    else this.#view.toAllocation(action, out)
    this.#isOverruled = false
  }

  /** Withdraws what has not been carried out. */
  reset(): void {
    this.#isOverruled = false
  }
}

function toUnits(allocation: Readonly<Allocation>, out: Float64Array): void {
  out[0] = allocation.replicas
  out[1] = allocation.coresPerReplica
  out[2] = allocation.memoryMiBPerReplica
}
