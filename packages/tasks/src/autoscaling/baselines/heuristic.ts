import type { Controller } from '@trimtab/core'
import { type Allocation, isMeasured, type Telemetry } from '../telemetry.js'
import type { View } from '../views.js'

/** What a heuristic reads and speaks through: an environment in simulation, an adapter's target in production. */
export interface AllocationTarget {
  readonly telemetry: Telemetry
  readonly view: View
}

/**
 * A heuristic that thinks in cores, MiB and replicas, standing where an agent can.
 *
 * It sees believed telemetry only. The observation that it is handed says what is believed: NaN stands wherever a number must not
 * be, everywhere when the whole of it is stale. When anything that the heuristic reads is not believed, or was not measured, it
 * answers NaN: hold what is in force.
 */
export abstract class Heuristic implements Controller {
  abstract readonly name: string
  /** The telemetry that `allocate` decides from; without all of it there is no decision. */
  protected abstract readonly reads: readonly (keyof Telemetry)[]
  protected readonly target: AllocationTarget
  readonly #wanted: Allocation = { coresPerReplica: 1, memoryMiBPerReplica: 256, replicas: 1 }

  constructor(target: AllocationTarget) {
    this.target = target
  }

  /** Fills `out`, which holds the current allocation, with the wanted one. */
  protected abstract allocate(telemetry: Telemetry, out: Allocation): void

  beginEpisode(): void {}

  decide(observation: Float32Array, out: Float32Array): void {
    const { telemetry, view } = this.target
    for (let i = 0; i < this.reads.length; i++) {
      if (isBelieved(this.reads[i]!, observation, telemetry, view)) continue
      out.fill(Number.NaN)
      return
    }
    this.#wanted.coresPerReplica = telemetry.coresPerReplica
    this.#wanted.memoryMiBPerReplica = telemetry.memoryMiBPerReplica
    this.#wanted.replicas = telemetry.readyReplicas + telemetry.startingReplicas
    this.allocate(telemetry, this.#wanted)
    view.toAction(this.#wanted, out)
  }
}

/** Whether a reading was measured, can be, and went into no number of the observation that is not believed. */
function isBelieved(name: keyof Telemetry, observation: Float32Array, telemetry: Telemetry, view: View): boolean {
  if (!isMeasured(name, telemetry)) return false
  let isAnyBelieved = false
  let isBlamed = false
  for (let i = 0; i < observation.length; i++) {
    if (!Number.isNaN(observation[i])) isAnyBelieved = true
    else if (!isBlamed) {
      const sources = view.sources[i] ?? []
      // Where another source was not measured, that one is to blame.
      isBlamed = sources.includes(name) && sources.every((source) => isMeasured(source, telemetry))
    }
  }
  return isAnyBelieved && !isBlamed
}
