import type { Core } from '@trimtab/core'
import { Z99 } from '../../normal.js'
import { createLatencyModel } from '../latency/cluster-law.js'
import type { LatencyModel } from '../latency/latency-model.js'
import type { ClusterSimulator } from '../simulator.js'

/** A pod's size and what it carries. */
export interface SafeLoad {
  /** CPU limit. */
  readonly cores: number
  /** The largest rate at which the true p99 stays within the SLO. */
  readonly ratePerSecond: number
}

const SIZES = 80
const BISECTIONS = 30

/** How much a pod of each size can carry under the simulator's own law; for bounds, never for controllers. */
export class SafeLoads {
  /** From the smallest size to the largest; the rate never falls. */
  readonly sizes: readonly SafeLoad[]
  readonly #simulator: ClusterSimulator
  readonly #model: LatencyModel

  constructor(core: Core, simulator: ClusterSimulator) {
    this.#simulator = simulator
    this.#model = createLatencyModel(core.math, simulator.options.law)
    const [low, high] = simulator.options.bounds.cores
    const sizes: SafeLoad[] = []
    for (let i = 0; i < SIZES; i++) {
      const size = this.of(low * core.math.pow(high / low, i / (SIZES - 1)))
      sizes.push({ ...size, ratePerSecond: Math.max(size.ratePerSecond, sizes.at(-1)?.ratePerSecond ?? 0) })
    }
    this.sizes = sizes
  }

  /** The largest size. */
  get largest(): SafeLoad {
    return this.sizes.at(-1)!
  }

  /** What a pod of so many cores carries; a rate of 0: not even one request alone is answered in time. */
  of(cores: number): SafeLoad {
    const { application } = this.#simulator
    let [safe, unsafe] = [0, cores / application.workSeconds]
    for (let i = 0; i < BISECTIONS; i++) {
      const rate = (safe + unsafe) / 2
      if (this.#p99Ms(cores, rate) <= this.#simulator.sloMs) safe = rate
      else unsafe = rate
    }
    return { cores, ratePerSecond: safe < 1e-6 / application.workSeconds ? 0 : safe }
  }

  /** The smallest size that carries a rate; the largest where none does. */
  for(ratePerSecond: number): SafeLoad {
    let [low, high] = [0, this.sizes.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      const { ratePerSecond: carried } = this.sizes[middle]!
      if (carried > 0 && carried >= ratePerSecond) high = middle
      else low = middle + 1
    }
    return this.sizes[low]!
  }

  /** Memory that a pod of a size needs at a rate, MiB. */
  memoryMiB({ cores }: SafeLoad, ratePerSecond: number): number {
    const { application, options } = this.#simulator
    this.#model.prepare(application, ratePerSecond, cores, options.stepSeconds)
    return this.#simulator.neededMemoryMiB(ratePerSecond * (this.#model.serviceSeconds + this.#model.meanWaitSeconds))
  }

  #p99Ms(cores: number, ratePerSecond: number): number {
    const { application, options } = this.#simulator
    this.#model.prepare(application, ratePerSecond, cores, options.stepSeconds)
    return 1000 * this.#model.quantile(0.99, Z99)
  }
}
