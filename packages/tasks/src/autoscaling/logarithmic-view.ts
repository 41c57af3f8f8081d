import type { CoreMath, Space } from '@trimtab/core'
import { measuredPreservation } from './reward.js'
import { LOGARITHMIC_ACTION, LOGARITHMIC_OBSERVATION } from './spaces.js'
import { type Allocation, type AllocationBounds, clampAllocation, type Telemetry } from './telemetry.js'
import type { View } from './views.js'

// Slots of the view's memory: the allocation in force, the last rate, then the observation.
const CORES = 0
const MEMORY = 1
const REPLICAS = 2
const LAST_RATE = 3
const OBSERVATION = 4

/**
 * AWARE's state (5.3: limits, utilisations, SLO preservation, load change) with limits and replicas on logarithmic scales,
 * in the state and in the action: each application has its place of its own there, and none is squeezed into a corner.
 */
export class LogarithmicView implements View {
  readonly observation: Space = LOGARITHMIC_OBSERVATION
  readonly action: Space = LOGARITHMIC_ACTION
  readonly sources: View['sources'] = [
    ['coresPerReplica'],
    ['memoryMiBPerReplica'],
    ['readyReplicas', 'startingReplicas'],
    ['usedCores', 'coresPerReplica', 'readyReplicas', 'startingReplicas'],
    ['usedMemoryMiB', 'memoryMiBPerReplica'],
    ['requests', 'p99Ms', 'sloMs'],
    ['requests', 'droppedRequests'],
    ['ratePerSecond'],
  ]
  readonly #math: CoreMath
  readonly #bounds: AllocationBounds
  readonly #logRanges: { readonly [name in keyof AllocationBounds]: number }
  readonly #memory: Float64Array = new Float64Array(OBSERVATION + 8)

  constructor(math: CoreMath, bounds: AllocationBounds) {
    const logRange = ([low, high]: readonly [number, number]): number => math.log(high / low)
    this.#math = math
    this.#bounds = bounds
    this.#logRanges = {
      cores: logRange(bounds.cores),
      memoryMiB: logRange(bounds.memoryMiB),
      replicas: logRange(bounds.replicas),
    }
  }

  reset(): void {
    this.#memory[LAST_RATE] = 0
  }

  update(t: Telemetry): void {
    const m = this.#memory
    const replicas = t.readyReplicas + t.startingReplicas
    m[CORES] = t.coresPerReplica
    m[MEMORY] = t.memoryMiBPerReplica
    m[REPLICAS] = replicas
    const largest = Math.max(t.ratePerSecond, m[LAST_RATE]!)
    const v = OBSERVATION
    m[v] = this.#toUnit(t.coresPerReplica, 'cores')
    m[v + 1] = this.#toUnit(t.memoryMiBPerReplica, 'memoryMiB')
    m[v + 2] = this.#toUnit(replicas, 'replicas')
    m[v + 3] = Math.min(1, t.usedCores / (t.coresPerReplica * replicas))
    m[v + 4] = Math.min(1, t.usedMemoryMiB / t.memoryMiBPerReplica)
    m[v + 5] = measuredPreservation(t)
    m[v + 6] = t.requests > 0 ? 1 - t.droppedRequests / (t.requests + t.droppedRequests) : 1
    m[v + 7] = largest > 0 ? (t.ratePerSecond - m[LAST_RATE]!) / largest : 0
    m[LAST_RATE] = t.ratePerSecond
  }

  observe(out: Float32Array): void {
    for (let i = 0; i < 8; i++) out[i] = this.#memory[OBSERVATION + i]!
  }

  toAllocation(action: Float32Array, out: Allocation): void {
    out.coresPerReplica = this.#fromUnit(action[0]!, 'cores')
    out.memoryMiBPerReplica = this.#fromUnit(action[1]!, 'memoryMiB')
    out.replicas = this.#fromUnit(action[2]!, 'replicas')
    clampAllocation(out, this.#bounds, {
      coresPerReplica: this.#memory[CORES]!,
      memoryMiBPerReplica: this.#memory[MEMORY]!,
      replicas: this.#memory[REPLICAS]!,
    })
  }

  toAction(allocation: Readonly<Allocation>, out: Float32Array): void {
    out[0] = this.#toUnit(allocation.coresPerReplica, 'cores')
    out[1] = this.#toUnit(allocation.memoryMiBPerReplica, 'memoryMiB')
    out[2] = this.#toUnit(allocation.replicas, 'replicas')
  }

  save(): Float64Array {
    return this.#memory.slice()
  }

  /** Goes back to what `save` gave. */
  load(state: Float64Array): void {
    this.#memory.set(state)
  }

  /** [−1, 1] → the bounds, evenly in the logarithm. */
  #fromUnit(u: number, name: keyof AllocationBounds): number {
    return this.#bounds[name][0] * this.#math.exp(((u + 1) / 2) * this.#logRanges[name])
  }

  #toUnit(value: number, name: keyof AllocationBounds): number {
    const range = this.#logRanges[name]
    return range > 0 ? (2 * this.#math.log(value / this.#bounds[name][0])) / range - 1 : 0
  }
}
