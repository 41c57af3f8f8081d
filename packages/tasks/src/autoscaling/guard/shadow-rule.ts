import { FormatError, Problems } from '@trimtab/core'
import type { Allocator, LearningAllocator } from '../allocator.js'
import {
  type Allocation,
  type AllocationBounds,
  clampAllocation,
  createTelemetry,
  DEFAULT_BOUNDS,
  isMeasured,
  isSameSize,
  type Telemetry,
} from '../telemetry.js'
import { Demand } from './demand.js'

/** What the cluster is like that a shadow believes itself alone on. */
export interface ShadowOptions {
  readonly bounds?: AllocationBounds
  /** A new replica serves after this long. Default 20. */
  readonly startSeconds?: number
  /** Requests are given up after waiting this long. Default 10. */
  readonly timeoutSeconds?: number
}

const DEFAULTS = { bounds: DEFAULT_BOUNDS, startSeconds: 20, timeoutSeconds: 10 } as const
const OPTIONS = Object.keys(DEFAULTS) as (keyof ShadowOptions)[]
const HEAD = 8 // numbers of a saved state before the demand and what is starting
const DEMAND = 8 // numbers of `Demand`
const KILLED = 1.1 // times the limit, as inferred: the memory sensor's noise is no kill

/**
 * A rule on its own trajectory: what it would hold now had it been alone all along, with its own size, its own replicas and their
 * start-up, whatever is really in force. Its pods are resized in place, in force at once.
 *
 * Its metrics are inferred from the real ones. Used cores are what the load asks for, as far as its own ready cores go, with a queue
 * of its own beyond; where the real system is saturated they are the rate times the work of a request, as measured in steps without
 * a queue. Memory of a replica is moved along a line over the requests that each one gets (`Demand`). Rate and requests are the
 * real ones. p99 cannot be told without a model of it: a rule that reads it is shown the real one, and its shadow is
 * only as good as that.
 */
export class ShadowRule {
  readonly rule: Allocator & Partial<LearningAllocator>
  readonly #options: Required<ShadowOptions>
  readonly #demand = new Demand()
  readonly #telemetry: Telemetry = createTelemetry()
  readonly #current: Allocation = { coresPerReplica: 0, memoryMiBPerReplica: 0, replicas: 0 }
  readonly #wanted: Allocation = { coresPerReplica: 0, memoryMiBPerReplica: 0, replicas: 0 }
  #starting: number[] = [] // when starting replicas become ready, in order
  #ready = 0
  #queue = 0 // core-seconds of work that waits
  #hasBegun = false
  #lastSeconds = 0

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(rule: Allocator & Partial<LearningAllocator>, options: ShadowOptions = {}) {
    const o = { ...DEFAULTS, ...options }
    const problems = new Problems()
    problems.checkKeys(options, OPTIONS, 'shadow')
    for (const name of ['startSeconds', 'timeoutSeconds'] as const) {
      problems.check(o[name] >= 0 && o[name] < Infinity, `shadow.${name} must be a finite number >= 0, got ${o[name]}`)
    }
    problems.throwIfAny('shadow')
    this.rule = rule
    this.#options = o
  }

  /** What an allocation may be. */
  get bounds(): AllocationBounds {
    return this.#options.bounds
  }

  /** What the rule would have in force. */
  get allocation(): Readonly<Allocation> {
    return this.#current
  }

  /** Of its replicas, those that would serve in the step to come. */
  get readyReplicas(): number {
    return this.#ready
  }

  /** What the rule would have been shown of the last step. */
  get telemetry(): Readonly<Telemetry> {
    return this.#telemetry
  }

  /** What the load asks for. */
  get demand(): Readonly<Demand> {
    return this.#demand
  }

  /**
   * Takes in a step and lets the rule decide the next one. A step in which something that it reads was not measured keeps its allocation, as
   * it would alone.
   * @param inForce  what was really allocated; the shadow begins there
   */
  observe(real: Readonly<Telemetry>, inForce: Readonly<Allocation>): void {
    if (!this.#hasBegun) this.#begin(real, inForce)
    const stepSeconds = Math.max(1e-3, real.timeSeconds - this.#lastSeconds)
    this.#lastSeconds = real.timeSeconds
    const isComplete = (['usedCores', 'usedMemoryMiB', 'ratePerSecond', 'readyReplicas'] as const).every((name) =>
      isMeasured(name, real),
    )
    if (isComplete) this.#demand.observe(real)
    this.#infer(real, stepSeconds)
    const { rule } = this
    Object.assign(this.#wanted, this.#current)
    const canDecide = isComplete && rule.reads.every((name) => isMeasured(name, this.#telemetry))
    if (canDecide) rule.allocate(this.#telemetry, this.#wanted)
    this.#apply(real.timeSeconds)
  }

  #begin(real: Readonly<Telemetry>, inForce: Readonly<Allocation>): void {
    Object.assign(this.#current, inForce)
    this.#ready = Math.max(1, Math.min(inForce.replicas, real.readyReplicas || 1))
    const start = real.timeSeconds + this.#options.startSeconds
    this.#starting = Array.from({ length: Math.max(0, inForce.replicas - this.#ready) }, () => start)
    this.#lastSeconds = real.timeSeconds - 15
    this.#hasBegun = true
  }

  /** What the rule would have seen of the step just ended, under its own allocation. */
  #infer(real: Readonly<Telemetry>, stepSeconds: number): void {
    const seen = Object.assign(this.#telemetry, real)
    const { coresPerReplica, memoryMiBPerReplica, replicas } = this.#current
    const ready = Math.max(1, this.#ready)
    const capacity = ready * coresPerReplica
    const work = this.#demand.cores * stepSeconds + this.#queue
    const served = Math.min(work, capacity * stepSeconds)
    const longest = capacity * this.#options.timeoutSeconds
    const left = work - served
    this.#queue = Math.min(left, longest)
    if (this.#isReal(real)) {
      this.#queue = 0
      return
    }
    const need = this.#demand.memoryMiB(real, ready)
    const isKilled = need > KILLED * memoryMiBPerReplica
    const given = left > longest && work > 0 ? (left - longest) / work : 0
    seen.usedCores = Number.isNaN(real.usedCores) ? real.usedCores : served / stepSeconds
    seen.usedMemoryMiB = Number.isNaN(real.usedMemoryMiB)
      ? real.usedMemoryMiB
      : Math.min(need, KILLED * memoryMiBPerReplica)
    seen.readyReplicas = ready
    seen.startingReplicas = Math.max(0, replicas - ready)
    seen.coresPerReplica = coresPerReplica
    seen.memoryMiBPerReplica = memoryMiBPerReplica
    seen.oomKills = isKilled ? ready : 0
    seen.droppedRequests = given * real.requests
  }

  /** Whether what the rule would have is what is really there: then it is shown what was measured. */
  #isReal(real: Readonly<Telemetry>): boolean {
    return (
      isSameSize(real, this.#current) &&
      real.readyReplicas === this.#ready &&
      real.readyReplicas + real.startingReplicas === this.#current.replicas
    )
  }

  #apply(now: number): void {
    const current = this.#current
    clampAllocation(this.#wanted, this.#options.bounds, current)
    current.coresPerReplica = this.#wanted.coresPerReplica
    current.memoryMiBPerReplica = this.#wanted.memoryMiBPerReplica
    this.#scale(this.#wanted.replicas, now)
    while (this.#starting.length > 0 && this.#starting[0]! <= now) this.#starting.shift()
    this.#ready = Math.max(0, current.replicas - this.#starting.length)
  }

  #scale(replicas: number, now: number): void {
    const change = replicas - this.#current.replicas
    this.#current.replicas = replicas
    for (let i = 0; i < change; i++) this.#starting.push(now + this.#options.startSeconds)
    if (change < 0) this.#starting.length = Math.max(0, this.#starting.length + change)
  }

  /** Begins anew where the next step finds the cluster; the rule forgets too. */
  reset(): void {
    this.rule.reset()
    this.#demand.reset()
    this.#starting.length = 0
    Object.assign(this.#current, { coresPerReplica: 0, memoryMiBPerReplica: 0, replicas: 0 })
    this.#lastSeconds = 0
    this.#queue = 0
    this.#ready = 0
    this.#hasBegun = false
  }

  /** Everything but what the rule itself remembers, as numbers. */
  save(): number[] {
    const { coresPerReplica, memoryMiBPerReplica, replicas } = this.#current
    return [
      this.#hasBegun ? 1 : 0,
      this.#lastSeconds,
      this.#ready,
      this.#queue,
      coresPerReplica,
      memoryMiBPerReplica,
      replicas,
      this.#starting.length,
      ...this.#demand.save(),
      ...this.#starting,
    ]
  }

  /** Goes on from what `save` gave. @throws {FormatError} `guard_state_invalid`, changing nothing */
  load(numbers: readonly number[]): void {
    const starting = numbers[HEAD - 1] ?? -1
    const isWhole = starting >= 0 && numbers.length === HEAD + DEMAND + starting
    if (!(isWhole && numbers.every(Number.isFinite))) {
      throw new FormatError('guard_state_invalid', `${numbers.length} numbers are no state of a shadow`)
    }
    this.#demand.load(numbers.slice(HEAD, HEAD + DEMAND))
    this.#hasBegun = numbers[0] === 1
    this.#lastSeconds = numbers[1]!
    this.#ready = numbers[2]!
    this.#queue = numbers[3]!
    this.#current.coresPerReplica = numbers[4]!
    this.#current.memoryMiBPerReplica = numbers[5]!
    this.#current.replicas = numbers[6]!
    this.#starting = numbers.slice(HEAD + DEMAND)
  }
}
