import type { Core } from '@trimtab/core'
import type { Allocator } from '../allocator.js'
import { allocationDollars, DEFAULT_PRICES, dollarsPerHour, type Prices } from '../cost.js'
import { type OperatingRecord, operate } from '../operate.js'
import type { ClusterSimulator } from '../simulator.js'
import type { Allocation, Telemetry } from '../telemetry.js'
import { type SafeLoad, SafeLoads } from './safe-loads.js'
import { pickCheapest, type TuningOptions } from './tune.js'

// What no controller can know, for scale: the best fixed allocation and an oracle of the coming load, in dollars within the budget.

/** One allocation for ever. */
export class StaticAllocator implements Allocator {
  readonly name = 'static'
  readonly reads: readonly (keyof Telemetry)[] = [] // it would do the same whatever it saw
  readonly allocation: Readonly<Allocation>

  constructor(allocation: Readonly<Allocation>) {
    this.allocation = { ...allocation }
  }

  allocate(_telemetry: Readonly<Telemetry>, out: Allocation): void {
    Object.assign(out, this.allocation)
  }

  reset(): void {}
}

/** What an oracle is given. */
export interface OracleSettings {
  /** Room for the chance of arrivals, in deviations of a step's number of requests. */
  readonly margin: number
  /** Cores of a pod for ever; default: whatever is cheapest in each step. */
  readonly podCores?: number
  readonly prices?: Prices
}

/** Memory is cheap and a kill costs a minute: this many deviations more room than cores have. */
const MEMORY_MARGIN = 3
const MEMORY_ROOM = 1.01

/**
 * Knows the application's law and the load to come, but not the chance of arrivals: the cheapest allocation whose true p99 stays
 * within the SLO, step by step, with enough pods under way for what comes within their start.
 */
export class OracleAllocator implements Allocator {
  readonly name = 'oracle'
  readonly reads: readonly (keyof Telemetry)[] = [
    'timeSeconds',
    'readyReplicas',
    'startingReplicas',
    'coresPerReplica',
    'memoryMiBPerReplica',
  ]
  readonly settings: OracleSettings
  readonly #simulator: ClusterSimulator
  readonly #loads: SafeLoads
  readonly #fixed: SafeLoad | undefined
  readonly #leadSteps: number
  #memoryMiB = 0 // what pods hold on to, where they never give it back

  constructor(core: Core, simulator: ClusterSimulator, settings: OracleSettings) {
    this.settings = settings
    this.#simulator = simulator
    this.#loads = new SafeLoads(core, simulator)
    if (settings.podCores !== undefined) this.#fixed = this.#loads.of(settings.podCores)
    const { startSeconds, stepSeconds, resizeSteps } = simulator.options
    this.#leadSteps = Math.ceil((1.3 * startSeconds) / stepSeconds) + 1 + resizeSteps
  }

  allocate(t: Readonly<Telemetry>, out: Allocation): void {
    const { resizeSteps } = this.#simulator.options
    const { margin } = this.settings
    const now = this.#largestRate(t, 0, resizeSteps, margin)
    const coming = this.#largestRate(t, 0, this.#leadSteps, margin)
    if (this.#fixed) this.#scale(this.#fixed, coming, out)
    else this.#resize(t, now, coming, out)
  }

  /** Pods of a fixed size, each with memory for all that it may carry. */
  #scale(size: SafeLoad, coming: number, out: Allocation): void {
    out.coresPerReplica = size.cores
    out.replicas = this.#pods(coming, size)
    out.memoryMiBPerReplica = MEMORY_ROOM * this.#loads.memoryMiB(size, this.#raised(size.ratePerSecond, MEMORY_MARGIN))
  }

  /** The cheapest number of pods for the next step, as large as those that serve have to be. */
  #resize(t: Readonly<Telemetry>, now: number, coming: number, out: Allocation): void {
    const { bounds } = this.#simulator.options
    const { prices = DEFAULT_PRICES } = this.settings
    const ready = Math.max(1, t.readyReplicas)
    let least = Number.POSITIVE_INFINITY
    const fewest = this.#pods(coming, this.#loads.largest)
    for (let pods = fewest; pods <= Math.min(bounds.replicas[1], fewest + 2); pods++) {
      const size = this.#loads.for(now / pods)
      const memory = this.#memoryOf(size, now, pods)
      const dollars = pods * dollarsPerHour(prices, size.cores, memory)
      if (dollars >= least) continue
      least = dollars
      const serving = Math.min(pods, ready)
      const needed = serving < pods ? this.#loads.for(now / serving) : size
      out.replicas = pods
      out.coresPerReplica = needed.cores
      out.memoryMiBPerReplica = this.#memoryOf(needed, now, serving)
    }
    // Where a size takes a while to be in force, a pod goes only once those that stay are large enough.
    const size = this.#loads.for(now / out.replicas)
    const isLarge = size.cores < 1.001 * t.coresPerReplica
    const isRoomy = this.#memoryOf(size, now, out.replicas) < 1.001 * t.memoryMiBPerReplica
    const pods = t.readyReplicas + t.startingReplicas
    if (this.#simulator.options.resizeSteps > 0 && !(isLarge && isRoomy)) out.replicas = Math.max(out.replicas, pods)
    if (this.#simulator.options.memoryShrinks) return
    this.#memoryMiB = Math.max(this.#memoryMiB, out.memoryMiBPerReplica)
    out.memoryMiBPerReplica = this.#memoryMiB
  }

  #memoryOf(size: SafeLoad, rate: number, pods: number): number {
    return MEMORY_ROOM * this.#loads.memoryMiB(size, this.#raised(rate, MEMORY_MARGIN) / pods)
  }

  #pods(rate: number, size: SafeLoad): number {
    const { replicas } = this.#simulator.options.bounds
    return Math.min(replicas[1], Math.max(replicas[0], Math.ceil(rate / size.ratePerSecond)))
  }

  /** The largest rate of some coming steps, with room. */
  #largestRate(t: Readonly<Telemetry>, first: number, last: number, margin: number): number {
    let largest = 0
    for (let ahead = first; ahead <= last; ahead++) {
      const second = t.timeSeconds + (ahead + 0.5) * this.#simulator.options.stepSeconds
      largest = Math.max(largest, this.#simulator.rateAt(second))
    }
    return this.#raised(largest, margin)
  }

  #raised(rate: number, margin: number): number {
    return rate + margin * Math.sqrt(rate / this.#simulator.options.stepSeconds)
  }

  reset(): void {
    this.#memoryMiB = 0
  }
}

/** A bound with what it came to. */
export interface Bound<A extends Allocator> {
  readonly allocator: A
  readonly record: OperatingRecord
}

/** Cores of a pod that a bound tries where pods keep their size. */
const POD_CORES = [0.25, 0.5, 1, 1.5, 2, 3, 4]
const MARGINS = [0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6, 8]

/**
 * The cheapest fixed allocation within the budget on a part of the load, judged on that very part: candidates hold all but a share
 * of its steps, and the cheapest that keeps the budget is taken.
 */
export function bestStaticAllocation(
  core: Core,
  simulator: ClusterSimulator,
  options: TuningOptions,
): Bound<StaticAllocator> {
  const { fromSeconds, toSeconds, budgetPercent = 0.5, prices = DEFAULT_PRICES } = options
  const { stepSeconds, bounds } = simulator.options
  const rates = Array.from({ length: Math.floor((toSeconds - fromSeconds) / stepSeconds) }, (_, i) =>
    simulator.rateAt(fromSeconds + (i + 0.5) * stepSeconds),
  ).sort((a, b) => a - b)
  const loads = new SafeLoads(core, simulator)
  const candidates: Allocation[] = []
  for (const share of [1, 0.5, 0.2, 0]) {
    const left = Math.floor((rates.length * share * budgetPercent) / 100)
    const rate = rates[Math.max(0, rates.length - 1 - left)]!
    for (const margin of [0, 1, 2, 4]) {
      const raised = rate + margin * Math.sqrt(rate / stepSeconds)
      const allowed = loads.sizes
        .filter((size) => size.ratePerSecond > 0 && size.ratePerSecond * bounds.replicas[1] >= raised)
        .map((size): Allocation => {
          const replicas = Math.max(bounds.replicas[0], Math.ceil(raised / size.ratePerSecond))
          const memory = loads.memoryMiB(size, (raised + MEMORY_MARGIN * Math.sqrt(rate / stepSeconds)) / replicas)
          return { coresPerReplica: size.cores, memoryMiBPerReplica: MEMORY_ROOM * memory, replicas }
        })
        .sort((a, b) => allocationDollars(prices, a) - allocationDollars(prices, b))
      if (allowed[0]) candidates.push(allowed[0])
    }
  }
  const { cores, memoryMiB, replicas } = bounds
  candidates.push({ coresPerReplica: cores[1], memoryMiBPerReplica: memoryMiB[1], replicas: replicas[1] })
  candidates.sort((a, b) => allocationDollars(prices, a) - allocationDollars(prices, b))
  return cheapestWithin(
    simulator,
    options,
    candidates.map((allocation) => new StaticAllocator(allocation)),
  )
}

/**
 * The oracle that costs least within the budget on a part of the load, judged on that very part: with pods resized in every step
 * where they are resized in place, with the best fixed size elsewhere.
 */
export function bestOracle(core: Core, simulator: ClusterSimulator, options: TuningOptions): Bound<OracleAllocator> {
  const { prices = DEFAULT_PRICES, budgetPercent = 0.5 } = options
  const [low, high] = simulator.options.bounds.cores
  const isFree = simulator.options.resize === 'in-place'
  const sizes = isFree ? [undefined] : POD_CORES.filter((cores) => cores >= low && cores <= high)
  const best = sizes.map((podCores) => {
    const oracles = MARGINS.map(
      (margin) =>
        new OracleAllocator(core, simulator, { margin, prices, ...(podCores === undefined ? {} : { podCores }) }),
    )
    const bound = cheapestWithin(simulator, options, oracles)
    return { ...bound, outcome: bound.record }
  })
  const { allocator, record } = pickCheapest(best, budgetPercent)
  return { allocator, record }
}

/** The first within the budget of allocators that are sorted by cost; where there is none, the cheapest of about the fewest violations. */
function cheapestWithin<A extends Allocator>(
  simulator: ClusterSimulator,
  { fromSeconds, toSeconds, seed, budgetPercent = 0.5, prices = DEFAULT_PRICES }: TuningOptions,
  allocators: readonly A[],
): Bound<A> {
  const steps = Math.floor((toSeconds - fromSeconds) / simulator.options.stepSeconds) - 1
  const tried: (Bound<A> & { readonly outcome: OperatingRecord })[] = []
  for (const allocator of allocators) {
    allocator.reset()
    simulator.reset(fromSeconds, seed)
    const record = operate(simulator, allocator, { steps, prices })
    tried.push({ allocator, record, outcome: record })
    if (record.violationPercent <= budgetPercent) break
  }
  const { allocator, record } = pickCheapest(tried, budgetPercent)
  return { allocator, record }
}
