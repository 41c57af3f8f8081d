import type { Allocator } from './allocator.js'
import { checkPrices, DEFAULT_PRICES, dollarsPerHour, type Prices } from './cost.js'
import type { ClusterSimulator } from './simulator.js'
import { type Allocation, isMeasured, isMeasuredViolation } from './telemetry.js'

/** What a stretch of time came to. */
export interface OperatingRecord {
  readonly steps: number
  /** Mean of what was paid, US dollars an hour. */
  readonly dollarsPerHour: number
  /** Steps whose true p99 was above the SLO, or that had a kill, percent. */
  readonly violationPercent: number
  /** The same of the worst hour. */
  readonly worstHourPercent: number
  /** The same as measured: a p99 of few requests scatters. */
  readonly measuredViolationPercent: number
  /** Means of what was paid for. */
  readonly cores: number
  readonly memoryGiB: number
  readonly replicas: number
  /** Changes of a pod's size an hour. */
  readonly resizesPerHour: number
}

/** How long, and what is counted. */
export interface OperatingOptions {
  readonly steps: number
  readonly prices?: Prices
  /** Called after every step; the simulator's telemetry, truth and allocation are those of the step. */
  readonly onStep?: (step: number) => void
}

/**
 * Lets an allocator run a cluster on from where the simulator stands: no episodes, nothing is reset. A step in which something that
 * it reads was not measured keeps the allocation in force.
 * @example
 * simulator.reset(0, 1)
 * const { dollarsPerHour } = operate(simulator, new ResizeRule(simulator.options, settings), { steps: 5760 })
 */
export function operate(
  simulator: ClusterSimulator,
  allocator: Allocator,
  { steps, prices = DEFAULT_PRICES, onStep }: OperatingOptions,
): OperatingRecord {
  checkPrices(prices)
  const { telemetry, truth, allocation, options } = simulator
  const wanted: Allocation = { ...allocation }
  const hour = new HourCount(Math.max(1, Math.round(3600 / options.stepSeconds)))
  let [cores, memory, replicas, resizes, violations, measured] = [0, 0, 0, 0, 0, 0]
  for (let step = 0; step < steps; step++) {
    const { coresPerReplica, memoryMiBPerReplica } = allocation
    Object.assign(wanted, allocation)
    if (allocator.reads.every((name) => isMeasured(name, telemetry))) allocator.allocate(telemetry, wanted)
    simulator.step(wanted)
    cores += truth.requestedCores
    memory += truth.requestedMemoryMiB
    replicas += allocation.replicas
    if (allocation.coresPerReplica !== coresPerReplica || allocation.memoryMiBPerReplica !== memoryMiBPerReplica)
      resizes++
    if (truth.violated) violations++
    if (isMeasuredViolation(telemetry)) measured++
    hour.add(truth.violated)
    onStep?.(step)
  }
  const hours = (steps * options.stepSeconds) / 3600
  return {
    steps,
    dollarsPerHour: dollarsPerHour(prices, cores / steps, memory / steps),
    violationPercent: (100 * violations) / steps,
    worstHourPercent: hour.worstPercent,
    measuredViolationPercent: (100 * measured) / steps,
    cores: cores / steps,
    memoryGiB: memory / steps / 1024,
    replicas: replicas / steps,
    resizesPerHour: resizes / hours,
  }
}

/** Violations in whole hours, one after the other; the last one counts by its own length. */
class HourCount {
  readonly #stepsPerHour: number
  #steps = 0
  #violations = 0
  #worst = 0

  constructor(stepsPerHour: number) {
    this.#stepsPerHour = stepsPerHour
  }

  add(isViolated: boolean): void {
    this.#steps++
    if (isViolated) this.#violations++
    if (this.#steps < this.#stepsPerHour) return
    this.#worst = this.worstPercent
    this.#steps = 0
    this.#violations = 0
  }

  get worstPercent(): number {
    return Math.max(this.#worst, (100 * this.#violations) / this.#stepsPerHour)
  }
}
