import { numbersOf, RESOURCE_COUNT, type ResourceVector, vectorOf } from '../resources.js'
import type { InstanceTelemetry } from '../telemetry.js'

/** How raised limits come back down. */
export interface ReleaseOptions {
  /** Nothing is released so long after an instance was named last. Default 3. */
  readonly holdSeconds?: number
  /** What is left of a factor in each window after that, until it is 1. Default 0.7. */
  readonly release?: number
}

interface Raise {
  readonly instance: string
  readonly service: string
  /** [R] of what it was deployed with. */
  readonly factors: Float64Array
  atSecond: number
}

/** Instances whose limits are not those they were deployed with: changed at once, released slowly. */
export class RaisedLimits {
  readonly #deployed: ReadonlyMap<string, ResourceVector>
  readonly #options: Required<ReleaseOptions>
  readonly #raises = new Map<string, Raise>()

  /** @param deployed  grants by service */
  constructor(deployed: ReadonlyMap<string, ResourceVector>, { holdSeconds = 3, release = 0.7 }: ReleaseOptions = {}) {
    this.#deployed = deployed
    this.#options = { holdSeconds, release }
  }

  /** [R] what an instance has, in multiples of what it was deployed with. */
  factors(instance: string): Float64Array {
    return this.#raises.get(instance)?.factors ?? new Float64Array(RESOURCE_COUNT).fill(1)
  }

  /** @returns its limits from now on. @param factors  [R] */
  set({ name, service }: InstanceTelemetry, factors: ArrayLike<number>, atSecond: number): ResourceVector {
    const raise = { instance: name, service, factors: Float64Array.from(factors), atSecond }
    this.#raises.set(name, raise)
    return this.#grantOf(raise)
  }

  /** The limits of those that come down a step now. */
  release(second: number): { readonly instance: string; readonly grant: ResourceVector }[] {
    const { holdSeconds, release } = this.#options
    return [...this.#raises.values()].flatMap((raise) => {
      if (second - raise.atSecond < holdSeconds) return []
      const { factors, instance } = raise
      for (const [r, factor] of factors.entries())
        factors[r] = factor > 1 ? Math.max(1, factor * release) : Math.min(1, factor / release)
      if (factors.every((factor) => factor === 1)) this.#raises.delete(instance)
      return [{ instance, grant: this.#grantOf(raise) }]
    })
  }

  /** Of those that are gone nothing is left to release. @param serving  by name */
  forget(serving: ReadonlyMap<string, unknown>): void {
    for (const instance of this.#raises.keys()) if (!serving.has(instance)) this.#raises.delete(instance)
  }

  #grantOf({ service, factors }: Raise): ResourceVector {
    return vectorOf(numbersOf(this.#deployed.get(service)!).map((amount, r) => amount * factors[r]!))
  }
}
