// The rules that guards are tested with.

import { HorizontalAutoscaler } from '../../../src/autoscaling/hpa/index.js'
import type { Allocation, AllocationBounds, Allocator, Telemetry } from '../../../src/autoscaling/index.js'

/** The largest of the last numbers. */
class Highest {
  readonly #numbers: number[] = []
  readonly #count: number

  constructor(count: number) {
    this.#count = count
  }

  add(value: number): number {
    this.#numbers.push(value)
    if (this.#numbers.length > this.#count) this.#numbers.shift()
    return Math.max(...this.#numbers)
  }

  clear(): void {
    this.#numbers.length = 0
  }
}

/** HPA on pods of 2 cores at 40 %, memory 1.4 × the largest of the last 20 samples. */
export class SensibleRule implements Allocator {
  readonly name = 'sensible'
  readonly reads = ['timeSeconds', 'usedCores', 'usedMemoryMiB', 'readyReplicas', 'startingReplicas'] as const
  readonly #hpa: HorizontalAutoscaler
  readonly #memory = new Highest(20)

  constructor(bounds: AllocationBounds) {
    this.#hpa = new HorizontalAutoscaler({
      minReplicas: bounds.replicas[0],
      maxReplicas: bounds.replicas[1],
      metrics: [{ source: 'resource', resource: 'cpu', target: { utilizationPercent: 40 } }],
    })
  }

  allocate(t: Readonly<Telemetry>, out: Allocation): void {
    const requestMilli = 1000 * t.coresPerReplica
    out.replicas = this.#hpa.reconcile({
      nowSeconds: t.timeSeconds,
      specReplicas: out.replicas,
      readings: [
        {
          tally: {
            readyPods: t.readyReplicas,
            usageMilli: Math.round(1000 * t.usedCores),
            weight: Math.round(requestMilli * t.readyReplicas),
            unreadyPods: t.startingReplicas,
            unreadyWeight: Math.round(requestMilli * t.startingReplicas),
          },
        },
      ],
    }).replicas
    out.coresPerReplica = 2
    out.memoryMiBPerReplica = 1.4 * this.#memory.add(t.usedMemoryMiB)
  }

  reset(): void {
    this.#hpa.reset()
    this.#memory.clear()
  }
}

/** Cores for the most of the last minute at a target, in as few pods as can be, given back beyond 15 %. */
export class ResizeRule implements Allocator {
  readonly name = 'resize'
  readonly reads = ['usedCores', 'usedMemoryMiB'] as const
  readonly #target: number
  readonly #cores = new Highest(4)
  readonly #memory = new Highest(20)

  constructor(target: number) {
    this.#target = target
  }

  allocate(t: Readonly<Telemetry>, out: Allocation): void {
    const cores = Math.max(0.3, this.#cores.add(t.usedCores) / this.#target)
    const inForce = out.replicas * out.coresPerReplica
    if (cores > inForce || cores < 0.85 * inForce) {
      out.replicas = Math.ceil(cores / 4)
      out.coresPerReplica = cores / out.replicas
    }
    out.memoryMiBPerReplica = 1.4 * this.#memory.add(t.usedMemoryMiB)
  }

  reset(): void {
    this.#cores.clear()
    this.#memory.clear()
  }
}
