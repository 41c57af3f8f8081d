import { availableParallelism } from 'node:os'
import { type Clock, Problems } from '@trimtab/core'
import {
  type Action,
  type ActivationOutcome,
  type FunctionPlatform,
  type Invocation,
  type NamespaceLimits,
  WhiskError,
} from '@trimtab/openwhisk/server'
import type { TenantAllocation } from '@trimtab/tasks/serverless'
import { STOCK_ALLOCATION } from './container-allocation.js'
import type { FunctionSource } from './function-container.js'
import { FunctionPool } from './function-pool.js'
import { MachineRoom } from './machine-room.js'

/** What a machine gives to functions. */
export interface LocalPlatformOptions {
  /** All containers together may have so much; default `MEMORY_MIB`. A container's share is its action's limit. */
  readonly memoryMiB?: number
  /** Containers of one function at once; default four a CPU. */
  readonly mostContainers?: number
  /** Containers that start at once, of all functions together; default one a CPU. */
  readonly mostStarting?: number
  /** 0 … 19: containers run below the platform's own priority by so much, and by what fewer shares than others' add; default 0. */
  readonly niceness?: number
  /** Of an action until it is scaled: no container without a request, and one that idled is kept for ten minutes, as stock OpenWhisk does. */
  readonly allocation?: Readonly<TenantAllocation>
  /** Where a text of code stands on disk: it is imported from there, with what stands beside it. */
  readonly files?: ReadonlyMap<string, string>
  /** Unix milliseconds. */
  readonly clock?: Clock
}

/** Of all containers, unless told otherwise. */
export const MEMORY_MIB = 2048

/** Of one function at once, unless told otherwise: four a CPU. */
export const mostContainers = (): number => 4 * availableParallelism()

const OPTIONS = ['memoryMiB', 'mostContainers', 'mostStarting', 'niceness', 'allocation', 'files', 'clock']
const MOST_NICENESS = 19
const START_TIMEOUT_MS = 60_000
const LEAST_MIB = 96 // Node itself takes about 60
const MIB = 2 ** 20

/**
 * Functions as processes of this machine, behind `WhiskServer` of `@trimtab/openwhisk/server`: a container is a process, a cold start is a
 * real one. One call at a time in a container; memory is bounded, CPU time is what the system gives.
 */
export class LocalPlatform implements FunctionPlatform {
  readonly #room: MachineRoom
  readonly #mostContainers: number
  readonly #niceness: number
  readonly #allocation: Readonly<TenantAllocation>
  readonly #files: ReadonlyMap<string, string>
  readonly #clock: Clock
  readonly #pools = new Map<string, FunctionPool>()
  /** Of older versions, as long as they serve. */
  readonly #leaving = new Set<FunctionPool>()
  #isDraining = false

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: LocalPlatformOptions = {}) {
    const { memoryMiB = MEMORY_MIB, niceness = 0, allocation = STOCK_ALLOCATION } = options
    const { mostContainers: most = mostContainers(), mostStarting = availableParallelism() } = options
    const problems = new Problems()
    problems.checkKeys(options, OPTIONS, 'options')
    problems.check(memoryMiB >= LEAST_MIB, `memoryMiB must be >= ${LEAST_MIB}, got ${memoryMiB}`)
    for (const [name, count] of Object.entries({ mostContainers: most, mostStarting }))
      problems.check(Number.isInteger(count) && count >= 1, `${name} must be a whole number >= 1, got ${count}`)
    problems.check(
      Number.isInteger(niceness) && niceness >= 0 && niceness <= MOST_NICENESS,
      `niceness must be a whole number in [0, ${MOST_NICENESS}], got ${niceness}`,
    )
    problems.throwIfAny('local platform')
    this.#room = new MachineRoom({ memoryMiB, mostStarting })
    this.#mostContainers = most
    this.#niceness = niceness
    this.#allocation = allocation
    this.#files = options.files ?? new Map()
    this.#clock = options.clock ?? { now: () => performance.timeOrigin + performance.now() } // never goes back
  }

  /** The functions that are there, by namespace and name: `guest/hello`. */
  get pools(): ReadonlyMap<string, FunctionPool> {
    return this.#pools
  }

  limits(): NamespaceLimits {
    return {
      minActionMemory: LEAST_MIB,
      maxActionMemory: this.#room.totalMiB,
      minActionTimeout: 1,
      maxActionTimeout: 3_600_000,
      maxActionLogs: 10,
      maxActionConcurrency: 1,
      maxActionInstances: this.#mostContainers,
      allowedKinds: ['nodejs:default', 'nodejs:20'],
    }
  }

  put(action: Action): void {
    const source = this.#sourceOf(action)
    const { memory, timeout, logs, instances } = action.limits
    const old = this.#pools.get(keyOf(action))
    if (old) this.#retire(old)
    const pool = new FunctionPool({
      source,
      memoryMiB: memory,
      most: Math.min(this.#mostContainers, instances ?? Number.POSITIVE_INFINITY),
      timeoutMs: timeout,
      startTimeoutMs: START_TIMEOUT_MS,
      logBytes: logs * MIB,
      niceness: this.#niceness,
      allocation: old?.allocation ?? this.#allocation, // a new version goes on where the last one was
      room: this.#room,
      clock: this.#clock,
    })
    this.#pools.set(keyOf(action), pool)
  }

  remove(action: Action): void {
    const pool = this.#pools.get(keyOf(action))
    if (!pool) return
    this.#pools.delete(keyOf(action))
    this.#retire(pool)
  }

  async invoke({ action, parameters }: Invocation): Promise<ActivationOutcome> {
    const pool = this.#pools.get(keyOf(action))
    if (!pool) throw new WhiskError(404, 'The requested resource does not exist.')
    if (this.#isDraining) throw new WhiskError(503, 'The platform stops: it takes no more invocations.')
    return pool.invoke(parameters)
  }

  /** Takes no more, serves whoever waits, then ends all containers. */
  async drain(): Promise<void> {
    this.#isDraining = true
    await Promise.all([...this.#pools.values(), ...this.#leaving].map((pool) => pool.drain()))
  }

  /** Ends all containers at once. May be called twice. */
  async dispose(): Promise<void> {
    await Promise.all([...this.#pools.values(), ...this.#leaving].map((pool) => pool.dispose()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose()
  }

  #retire(pool: FunctionPool): void {
    this.#leaving.add(pool)
    void pool.drain().then(() => this.#leaving.delete(pool))
  }

  /** @throws {WhiskError} 400 */
  #sourceOf({ exec: { code = '', binary } }: Action): FunctionSource {
    if (binary) throw refused('archives do not run here: send the code as text')
    const file = this.#files.get(code)
    return file === undefined ? { code } : { file }
  }
}

const refused = (what: string): WhiskError => new WhiskError(400, `The request content was malformed: ${what}`)

const keyOf = ({ namespace, name }: Action): string => `${namespace}/${name}`
