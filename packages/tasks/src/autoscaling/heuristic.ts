import type { Controller } from '@trimtab/core'
import type { Allocation, Telemetry } from './telemetry.js'
import type { View } from './views.js'

/** What a heuristic reads and speaks through: an environment in simulation, an adapter's target in production. */
export interface AllocationTarget {
  readonly telemetry: Telemetry
  readonly view: View
}

/** A heuristic that thinks in cores, MiB and replicas, standing where an agent can. */
export abstract class Heuristic implements Controller {
  abstract readonly name: string
  protected readonly target: AllocationTarget
  readonly #wanted: Allocation = { coresPerReplica: 1, memoryMiBPerReplica: 256, replicas: 1 }

  constructor(target: AllocationTarget) {
    this.target = target
  }

  /** Fills `out`, which holds the current allocation, with the wanted one. */
  protected abstract allocate(telemetry: Telemetry, out: Allocation): void

  beginEpisode(): void {}

  decide(_observation: Float32Array, out: Float32Array): void {
    const { telemetry, view } = this.target
    this.#wanted.coresPerReplica = telemetry.coresPerReplica
    this.#wanted.memoryMiBPerReplica = telemetry.memoryMiBPerReplica
    this.#wanted.replicas = telemetry.readyReplicas + telemetry.startingReplicas
    this.allocate(telemetry, this.#wanted)
    view.toAction(this.#wanted, out)
  }
}
