import type { CoreMath, Space } from '@trimtab/core'
import { WindowMax } from '../window-max.js'
import { measuredPreservation } from './reward.js'
import { ABSOLUTE_ACTION, ABSOLUTE_OBSERVATION, RELATIVE_ACTION, RELATIVE_OBSERVATION } from './spaces.js'
import {
  type Allocation,
  type AllocationBounds,
  clampAllocation,
  isMeasuredViolation,
  type Telemetry,
} from './telemetry.js'

/**
 * How an agent sees telemetry and what its action means. Actions are in [−1, 1]; both directions of the map exist, so that
 * a heuristic that thinks in cores and replicas can stand wherever an agent can.
 */
export interface View {
  readonly observation: Space
  readonly action: Space
  /** Of each number of the observation [S], the telemetry that it is made of. */
  readonly sources: readonly (readonly (keyof Telemetry)[])[]
  /** Forgets the past: a new episode starts. */
  reset(): void
  /** Takes in the step just ended; once a step. */
  update(telemetry: Telemetry): void
  /** The observation [S] of the telemetry last taken in; NaN where something was not measured. */
  observe(out: Float32Array): void
  /** Action [A] → what it asks for now, inside the bounds. */
  toAllocation(action: Float32Array, out: Allocation): void
  /** The action [A] whose `toAllocation` comes closest. */
  toAction(allocation: Readonly<Allocation>, out: Float32Array): void
  /** What it remembers, as numbers; `load` continues exactly here. */
  save(): Float64Array
  /** Goes back to what `save` gave. */
  load(state: Float64Array): void
}

const HEADROOM = [1, 2.5] as const // memory limit over the largest recent use
const TARGET = [0.05, 1] as const // CPU demand over requested cores
const CORES = [0.25, 4] as const

// Scalars that RelativeView remembers.
const WORK_SECONDS = 0 // core-seconds a request, learned over episodes
const LAST_DEMAND = 1
const VIOLATIONS = 2 // share of recent steps
const SCALARS = 3

const DEMAND = ['ratePerSecond', 'requests', 'usedCores'] as const
const REPLICAS = ['readyReplicas', 'startingReplicas'] as const

const RELATIVE_SOURCES: View['sources'] = [
  DEMAND,
  DEMAND,
  DEMAND,
  DEMAND,
  ['coresPerReplica'],
  REPLICAS,
  ['memoryMiBPerReplica', 'usedMemoryMiB', 'oomKills'],
  ['usedCores', 'coresPerReplica', ...REPLICAS],
  ['usedMemoryMiB', 'memoryMiBPerReplica'],
  ['requests', 'p99Ms', 'sloMs'],
  REPLICAS,
  ['oomKills', 'p99Ms', 'sloMs'],
]

/**
 * Actions relative to what is used: limits follow the load by themselves and the agent learns only how much room to leave.
 * Learns faster and forgets less than absolute limits (notes: 168 against 160 after 20 episodes); absolute limits still come out.
 */
export class RelativeView implements View {
  readonly observation: Space = RELATIVE_OBSERVATION
  readonly action: Space = RELATIVE_ACTION
  readonly sources: View['sources'] = RELATIVE_SOURCES
  readonly #math: CoreMath
  readonly #bounds: AllocationBounds
  // One block holds everything that is remembered: scalars, then the three windows, then the observation.
  readonly #state = new Float64Array(SCALARS + 5 + 21 + 21 + 12)
  readonly #demand4 = new WindowMax(this.#state.subarray(SCALARS, SCALARS + 5))
  readonly #demand20 = new WindowMax(this.#state.subarray(SCALARS + 5, SCALARS + 26))
  readonly #memory20 = new WindowMax(this.#state.subarray(SCALARS + 26, SCALARS + 47))
  readonly #values: Float64Array = this.#state.subarray(SCALARS + 47)
  readonly #current: Allocation = { coresPerReplica: 1, memoryMiBPerReplica: 256, replicas: 1 }

  constructor(math: CoreMath, bounds: AllocationBounds) {
    this.#math = math
    this.#bounds = bounds
  }

  reset(): void {
    this.#demand4.clear()
    this.#demand20.clear()
    this.#memory20.clear()
    this.#state[LAST_DEMAND] = 0
    this.#state[VIOLATIONS] = 0
  }

  update(t: Telemetry): void {
    this.#learnWork(t)
    const demand = Math.max(t.ratePerSecond * this.#state[WORK_SECONDS]!, 1e-3)
    this.#demand4.push(demand)
    this.#demand20.push(demand)
    this.#memory20.push(t.oomKills > 0 ? t.memoryMiBPerReplica * 1.2 : t.usedMemoryMiB) // a kill hides the true need
    const before = this.#state[LAST_DEMAND] || demand
    this.#state[LAST_DEMAND] = demand
    this.#current.coresPerReplica = t.coresPerReplica
    this.#current.memoryMiBPerReplica = t.memoryMiBPerReplica
    this.#current.replicas = t.readyReplicas + t.startingReplicas
    this.#state[VIOLATIONS] = 0.8 * this.#state[VIOLATIONS]! + (isMeasuredViolation(t) ? 0.2 : 0)

    const { log } = this.#math
    const v = this.#values
    v[0] = log(demand)
    v[1] = (demand - before) / Math.max(demand, before)
    v[2] = log(this.#demand4.max() / demand)
    v[3] = log(this.#demand20.max() / demand)
    v[4] = log(t.coresPerReplica)
    v[5] = log(this.#current.replicas)
    v[6] = log(t.memoryMiBPerReplica / Math.max(1, this.#memory20.max()))
    v[7] = t.usedCores / (t.coresPerReplica * this.#current.replicas)
    v[8] = t.usedMemoryMiB / t.memoryMiBPerReplica
    v[9] = t.requests > 0 ? log(t.sloMs / t.p99Ms) : 0.7 // without traffic: as if with room to spare
    v[10] = t.startingReplicas / this.#current.replicas
    v[11] = this.#state[VIOLATIONS]!
  }

  observe(out: Float32Array): void {
    // Scaled to about [−1, 1] each, by ranges and not by running moments: one observation means the same for ever.
    const v = this.#values
    out[0] = v[0]! / 2
    out[1] = v[1]!
    out[2] = v[2]!
    out[3] = v[3]!
    out[4] = v[4]!
    out[5] = v[5]! / 2
    out[6] = 2 * v[6]!
    out[7] = 2 * v[7]! - 0.6
    out[8] = 4 * (v[8]! - 0.75)
    out[9] = v[9]!
    out[10] = v[10]!
    out[11] = 2 * v[11]!
  }

  toAllocation(action: Float32Array, out: Allocation): void {
    const { cores } = this.#bounds
    // Within the bounds first: as many replicas as pods of the size that they can have need.
    out.coresPerReplica = Math.min(cores[1], Math.max(cores[0], this.#spread(action[0]!, CORES)))
    out.memoryMiBPerReplica = this.#memory20.max() * this.#spread(action[1]!, HEADROOM)
    const target = this.#spread(action[2]!, TARGET)
    out.replicas = Math.ceil(this.#demand4.max() / (out.coresPerReplica * target) - 1e-4)
    clampAllocation(out, this.#bounds, this.#current)
  }

  toAction(allocation: Readonly<Allocation>, out: Float32Array): void {
    const { coresPerReplica, memoryMiBPerReplica, replicas } = allocation
    out[0] = this.#gather(coresPerReplica, CORES)
    out[1] = this.#gather(memoryMiBPerReplica / Math.max(1, this.#memory20.max()), HEADROOM)
    // The middle of the targets that round up to these replicas.
    const demand = this.#demand4.max()
    out[2] = this.#gather(demand / (coresPerReplica * Math.max(0.5, replicas - 0.25)), TARGET)
  }

  save(): Float64Array {
    const numbers = new Float64Array(this.#state.length + 3)
    numbers.set(this.#state)
    return saveAllocation(this.#current, numbers)
  }

  /** Goes back to what `save` gave. */
  load(state: Float64Array): void {
    this.#state.set(state.subarray(0, this.#state.length))
    loadAllocation(this.#current, state.subarray(this.#state.length))
  }

  /** [−1, 1] → [low, high], evenly in the logarithm. */
  #spread(u: number, [low, high]: readonly [number, number]): number {
    return low * this.#math.exp(((u + 1) / 2) * this.#math.log(high / low))
  }

  #gather(value: number, [low, high]: readonly [number, number]): number {
    const share = this.#math.log(Math.max(value, low) / low) / this.#math.log(high / low)
    return Math.min(1, 2 * share - 1)
  }

  /** Core-seconds of one request, as a slow mean over steps with enough requests to tell. */
  #learnWork(t: Telemetry): void {
    const seen = t.usedCores / t.ratePerSecond
    if (!(t.requests >= 1 && seen > 0 && seen < Number.POSITIVE_INFINITY)) return // one bad sample would stay for ever
    const weight = this.#state[WORK_SECONDS] === 0 ? 1 : Math.min(0.05, t.requests / 20_000 + 0.002)
    this.#state[WORK_SECONDS]! += weight * (seen - this.#state[WORK_SECONDS]!)
  }
}

/** AWARE's printed interface (5.3, Tables 1 and 2): limits, utilisations, SP and load change; absolute limits and replicas out. */
export class AbsoluteView implements View {
  readonly observation: Space = ABSOLUTE_OBSERVATION
  readonly action: Space = ABSOLUTE_ACTION
  readonly sources: View['sources'] = [
    ['coresPerReplica'],
    ['memoryMiBPerReplica'],
    ['usedCores', 'coresPerReplica', ...REPLICAS],
    ['usedMemoryMiB', 'memoryMiBPerReplica'],
    ['ratePerSecond', ...REPLICAS],
    ['ratePerSecond', ...REPLICAS],
    ['requests', 'p99Ms', 'sloMs'],
    ['requests', 'droppedRequests'],
    ['ratePerSecond'],
  ]
  readonly #bounds: AllocationBounds
  readonly #current: Allocation = { coresPerReplica: 1, memoryMiBPerReplica: 256, replicas: 1 }
  readonly #values = new Float64Array(9)
  #lastRate = 0

  constructor(bounds: AllocationBounds) {
    this.#bounds = bounds
  }

  reset(): void {
    this.#lastRate = 0
  }

  update(t: Telemetry): void {
    const replicas = t.readyReplicas + t.startingReplicas
    this.#current.coresPerReplica = t.coresPerReplica
    this.#current.memoryMiBPerReplica = t.memoryMiBPerReplica
    this.#current.replicas = replicas
    const largest = Math.max(t.ratePerSecond, this.#lastRate)
    const v = this.#values
    v[0] = t.coresPerReplica / this.#bounds.cores[1]
    v[1] = t.memoryMiBPerReplica / this.#bounds.memoryMiB[1]
    v[2] = Math.min(1, t.usedCores / (t.coresPerReplica * replicas))
    v[3] = Math.min(1, t.usedMemoryMiB / t.memoryMiBPerReplica)
    // The simulator has no disk or network of its own: both follow requests per replica.
    v[4] = Math.min(1, t.ratePerSecond / replicas / 100)
    v[5] = Math.min(1, t.ratePerSecond / replicas / 200)
    v[6] = measuredPreservation(t)
    v[7] = t.requests > 0 ? 1 - t.droppedRequests / (t.requests + t.droppedRequests) : 1
    v[8] = largest > 0 ? (t.ratePerSecond - this.#lastRate) / largest : 0
    this.#lastRate = t.ratePerSecond
  }

  observe(out: Float32Array): void {
    out.set(this.#values)
  }

  toAllocation(action: Float32Array, out: Allocation): void {
    out.coresPerReplica = fromUnit(action[0]!, this.#bounds.cores)
    out.memoryMiBPerReplica = fromUnit(action[1]!, this.#bounds.memoryMiB)
    out.replicas = Math.round(fromUnit(action[2]!, this.#bounds.replicas))
    clampAllocation(out, this.#bounds, this.#current)
  }

  toAction(allocation: Readonly<Allocation>, out: Float32Array): void {
    out[0] = toUnit(allocation.coresPerReplica, this.#bounds.cores)
    out[1] = toUnit(allocation.memoryMiBPerReplica, this.#bounds.memoryMiB)
    out[2] = toUnit(allocation.replicas, this.#bounds.replicas)
  }

  save(): Float64Array {
    const numbers = new Float64Array(1 + 9 + 3)
    numbers[0] = this.#lastRate
    numbers.set(this.#values, 1)
    return saveAllocation(this.#current, numbers)
  }

  /** Goes back to what `save` gave. */
  load(state: Float64Array): void {
    this.#lastRate = state[0]!
    this.#values.set(state.subarray(1, 10))
    loadAllocation(this.#current, state.subarray(10))
  }
}

/** The allocation goes into the last three numbers. */
function saveAllocation(allocation: Readonly<Allocation>, numbers: Float64Array): Float64Array {
  const end = numbers.length
  numbers[end - 3] = allocation.coresPerReplica
  numbers[end - 2] = allocation.memoryMiBPerReplica
  numbers[end - 1] = allocation.replicas
  return numbers
}

function loadAllocation(allocation: Allocation, numbers: Float64Array): void {
  allocation.coresPerReplica = numbers[0]!
  allocation.memoryMiBPerReplica = numbers[1]!
  allocation.replicas = numbers[2]!
}

const fromUnit = (u: number, [low, high]: readonly [number, number]): number => low + ((u + 1) / 2) * (high - low)
const toUnit = (value: number, [low, high]: readonly [number, number]): number => (2 * (value - low)) / (high - low) - 1
