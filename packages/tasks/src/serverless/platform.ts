import { type Bytes, ConfigError, type Core, type CoreMath, FormatError, Random } from '@trimtab/core'
import { fingerprintOf, packNumbers, unpackNumbers } from '../state-file.js'
import { ContainerScaling } from './container-scaling.js'
import { ContainerTable } from './container-table.js'
import type { FunctionProfile } from './function-profile.js'
import { type Invoker, InvokerSharing, TenantService } from './invoker-sharing.js'
import { checkServerlessSpec, type ServerlessEvent, type ServerlessSpec } from './platform-spec.js'
import { containersFor } from './rules/containers-for.js'
import { isolatedP99Ms, type Sojourn } from './sojourn.js'
import { createTenantTelemetry, type TenantAllocation, type TenantTelemetry } from './telemetry.js'
import { ARRIVALS_STREAM, CAST_STREAM, TenantCast } from './tenant-cast.js'
import { type QueueStep, TenantQueue } from './tenant-queue.js'
import { TenantStates } from './tenant-states.js'

/**
 * A serverless platform under its tenants' loads, step by step, in closed form: a simulation of the dissertation's OpenWhisk cluster.
 *
 *     containers   asked for by allocations, placed first fit on memory, cold for a while; what is asked for is started and kept,
 *                  what is above it goes when idle; where a function has none and requests come, as many start as these keep busy
 *     cores        shared by what runs on an invoker, by shares (`crowdOf`)
 *     requests     a queue for each function (`TenantQueue`), Poisson arrivals around the load
 *
 * Linear in tenants and containers. N: tenants.
 */
export class ServerlessPlatform {
  readonly spec: ServerlessSpec
  readonly invokers: readonly Invoker[]
  /** [N], filled anew by each step; of one that is not there, as created. */
  readonly telemetry: readonly TenantTelemetry[]
  readonly #math: CoreMath
  readonly #fingerprint: number
  readonly #castRandom: Random
  readonly #arrivals: Random
  readonly #cast: TenantCast
  readonly #table: ContainerTable
  readonly #scaling: ContainerScaling
  readonly #sharing: InvokerSharing
  readonly #service: TenantService
  readonly #queue: TenantQueue
  // What is remembered between steps beside the containers.
  #steps = 0
  readonly #states: TenantStates
  readonly #sloMs: Float64Array // [N]; follows from the cast
  readonly #joinsLater: ReadonlySet<number>
  // Scratch of a step.
  readonly #requestRate: Float64Array
  readonly #serving: Int32Array // containers that serve in the step
  readonly #starting: Int32Array // those that do not serve yet as it ends
  readonly #queueSteps: readonly QueueStep[]
  readonly #sojourn: Sojourn = {
    ...{ ioSeconds: 0, freeSeconds: 0, crowdedSeconds: 0, crowdProbability: 0, workScv: 0 },
    ...{ waitProbability: 0, waitSeconds: 0 },
  }

  /** @throws {ConfigError} `config_invalid` with every problem of the spec */
  constructor(core: Core, spec: ServerlessSpec) {
    checkServerlessSpec(spec)
    this.#math = core.math
    this.spec = spec
    this.#fingerprint = fingerprintOf(JSON.stringify(spec))
    this.#castRandom = new Random(core, 0, CAST_STREAM)
    this.#arrivals = new Random(core, 0, ARRIVALS_STREAM)
    this.#cast = new TenantCast(spec)
    this.invokers = spec.invokers.flatMap(({ count, ...invoker }) => Array.from({ length: count }, () => invoker))

    const count = spec.tenants.length
    const column = (): Float64Array => new Float64Array(count)
    this.telemetry = spec.tenants.map(createTenantTelemetry)
    this.#states = new TenantStates(spec)
    this.#sloMs = column()
    this.#joinsLater = joinsLater(spec.events)
    this.#requestRate = column()
    this.#serving = new Int32Array(count)
    this.#starting = new Int32Array(count)
    this.#queueSteps = spec.tenants.map(createQueueStep)

    const memory = Float64Array.from(this.invokers, ({ memoryMiB }) => memoryMiB)
    const smallest = Math.min(...spec.functions.map(({ memoryMiB }) => memoryMiB))
    const room = memory.reduce((sum, capacity) => sum + Math.floor(capacity / smallest), 0)
    this.#table = new ContainerTable(memory, Math.min(room, count * spec.bounds.containers[1]))
    this.#scaling = new ContainerScaling(this.#table, count)
    this.#sharing = new InvokerSharing(this.#table, this.invokers, spec.cpuMode, spec.stepSeconds)
    this.#service = new TenantService(count)
    this.#queue = new TenantQueue(core.math, spec.stepSeconds, spec.timeoutSeconds)
  }

  /** What each tenant of this episode runs, [N]. */
  get functions(): readonly FunctionProfile[] {
    return this.#cast.functions
  }

  /** Steps lived since `reset`, the one before the first decision included. */
  get steps(): number {
    return this.#steps
  }

  /** Containers and the invokers' memory that they hold, to look at. */
  get containers(): Readonly<ContainerTable> {
    return this.#table
  }

  /** Whether tenant `i` was there in the step just lived. */
  isPresent(i: number): boolean {
    return this.#states.present[i] === 1
  }

  /** What is in force for tenant `i`: containers asked for, not those there are. */
  allocation(i: number, out: TenantAllocation): void {
    this.#states.tell(i, out)
  }

  /** Requests a second that tenant `i` gets on average `ahead` steps after the one just lived; 0 behind the load's end. */
  ratePerSecond(i: number, ahead: number): number {
    return this.#cast.rateAt(i, this.#steps - 1 + ahead)
  }

  /**
   * Begins the episode that `seed` says: it draws what each tenant runs, its load, the stretch of it and all arrivals. Lives through a
   * first step with the same generous and warm allocation for every controller: R + 2√R containers of 1,024 shares.
   */
  reset(seed: number): void {
    this.#castRandom.reseed(seed, CAST_STREAM)
    this.#arrivals.reseed(seed, ARRIVALS_STREAM)
    this.#cast.draw(this.#castRandom)
    this.#setSlos()
    this.#table.clear()
    this.#steps = 0
    for (const i of this.spec.tenants.keys()) {
      if (this.#joinsLater.has(i)) this.#leave(i)
      else this.#join(i)
    }
    this.#happen()
    this.#scale()
    this.#table.startingSeconds.fill(0)
    this.#live()
    for (const telemetry of this.telemetry) telemetry.coldStarts = 0
  }

  /**
   * Brings allocations [N] into force, clamped to the bounds, and lives through a step. Those of tenants that are not there are ignored.
   * @throws {ConfigError} `size_mismatch`, `not_finite`; nothing was changed
   */
  step(allocations: readonly Readonly<TenantAllocation>[]): void {
    const { tenants } = this.spec
    if (allocations.length !== tenants.length) {
      throw new ConfigError(
        'size_mismatch',
        `there are ${tenants.length} tenants, got ${allocations.length} allocations`,
      )
    }
    for (const [i, { containers, shares, keepAliveSeconds }] of allocations.entries()) {
      if (this.isPresent(i) && !Number.isFinite(containers + shares + keepAliveSeconds)) {
        const asked = `${containers} containers, ${shares} shares, ${keepAliveSeconds} s`
        throw new ConfigError(
          'not_finite',
          `allocations[${i}] must be finite numbers, got ${asked} (hold the last one)`,
        )
      }
    }
    for (const [i, allocation] of allocations.entries()) if (this.isPresent(i)) this.#states.take(i, allocation)
    for (const telemetry of this.telemetry) telemetry.coldStarts = 0
    this.#happen()
    this.#scale()
    this.#live()
  }

  #setSlos(): void {
    for (const [i, one] of this.functions.entries())
      this.#sloMs[i] = this.spec.sloFactor * isolatedP99Ms(this.#math, one)
  }

  /** Tenant `i` comes: its first allocation is enough for its load. */
  #join(i: number): void {
    const { workSeconds, ioSeconds } = this.functions[i]!
    this.#states.join(i, this.#cast.rateAt(i, this.#steps) * (workSeconds + ioSeconds))
  }

  #leave(i: number): void {
    this.#states.leave(i)
    this.#requestRate[i] = 0
    this.#serving[i] = 0
    Object.assign(this.telemetry[i]!, createTenantTelemetry())
  }

  /** What the spec says of the step that begins. */
  #happen(): void {
    for (const event of this.spec.events) {
      if (event.step !== this.#steps) continue
      switch (event.kind) {
        case 'join':
          this.#join(event.tenant)
          break
        case 'leave':
          this.#leave(event.tenant)
          break
        case 'invoker-loss':
          this.#table.lose(event.invoker)
          break
        case 'invoker-return':
          this.#table.restore(event.invoker)
          break
      }
    }
  }

  /** Each tenant gets what it asked for, as long as there is room; who is first moves on by one each step. */
  #scale(): void {
    this.#scaling.removeSurplus(this.#states)
    const count = this.spec.tenants.length
    for (let turn = 0; turn < count; turn++) {
      const i = (this.#steps + turn) % count
      this.#startUpTo(i, this.#states.containers[i]!)
    }
  }

  #startUpTo(i: number, containers: number): void {
    this.telemetry[i]!.coldStarts += this.#scaling.startUpTo(i, containers, this.functions[i]!)
  }

  /** One step of requests. */
  #live(): void {
    const { stepSeconds } = this.spec
    for (const i of this.spec.tenants.keys()) if (this.isPresent(i)) this.#arrive(i)
    this.#sharing.share(
      { functions: this.functions, requestRate: this.#requestRate, shares: this.#states.shares },
      this.#service,
    )
    this.#scaling.count(stepSeconds, this.#queueSteps)
    for (const i of this.spec.tenants.keys()) if (this.isPresent(i)) this.#serve(i)
    this.#steps++
    this.#scaling.age(stepSeconds, this.#serving, this.#starting)
    for (const [i, telemetry] of this.telemetry.entries()) {
      telemetry.startingContainers = this.#starting[i]!
      telemetry.warmContainers -= this.#starting[i]!
    }
  }

  #arrive(i: number): void {
    const { stepSeconds, bounds } = this.spec
    const { workSeconds, ioSeconds } = this.functions[i]!
    const arrivals = this.#cast.arrivalsAt(i, this.#steps, this.#arrivals)
    this.telemetry[i]!.arrivals = arrivals
    this.#requestRate[i] = (arrivals + this.#states.backlog[i]!) / stepSeconds
    if (this.#scaling.having(i) === 0 && this.#requestRate[i]! > 0) {
      this.#startUpTo(i, Math.min(Math.ceil(this.#requestRate[i]! * (workSeconds + ioSeconds)), bounds.containers[1]))
    }
  }

  #serve(i: number): void {
    const { workSeconds, ioSeconds, workScv, memoryMiB, idleMemoryMiB, coldStartSeconds } = this.functions[i]!
    const { stepSeconds } = this.spec
    const service = this.#service
    const available = service.available[i]!
    const telemetry = this.telemetry[i]!
    const sojourn = this.#sojourn
    sojourn.workScv = workScv
    sojourn.ioSeconds = available > 0 ? service.ioSeconds[i]! : ioSeconds
    sojourn.freeSeconds = available > 0 ? service.freeSeconds[i]! : workSeconds
    sojourn.crowdedSeconds = service.crowdedSeconds[i]!
    sojourn.crowdProbability = service.crowdProbability[i]!
    const step = this.#queueSteps[i]!
    step.arrivals = telemetry.arrivals
    step.backlog = this.#states.backlog[i]!
    step.capacityPerContainer = available > 0 ? service.capacity[i]! / available : 1 / (workSeconds + ioSeconds)
    step.carried = service.carried[i]!
    this.#queue.live(step, sojourn)

    const { served, dropped, backlog, p99Seconds, busy } = this.#queue.outcome
    this.#states.backlog[i] = backlog
    const containers = step.warm + step.coming + step.later
    const share = step.carried > 0 ? served / (step.carried * stepSeconds) : 0
    telemetry.timeSeconds = (this.#steps + 1) * stepSeconds
    telemetry.stepSeconds = stepSeconds
    telemetry.demandCores = (telemetry.arrivals / stepSeconds) * workSeconds
    telemetry.demandContainers = (telemetry.arrivals / stepSeconds) * (workSeconds + ioSeconds)
    telemetry.p99Ms = 1000 * p99Seconds
    telemetry.sloMs = this.#sloMs[i]!
    telemetry.usedCores = share * service.carriedCores[i]!
    telemetry.usedMemoryMiB = containers * idleMemoryMiB + busy * (memoryMiB - idleMemoryMiB)
    telemetry.memoryMiBPerContainer = memoryMiB
    telemetry.shares = this.#states.shares[i]!
    telemetry.containers = this.#states.containers[i]!
    telemetry.keepAliveSeconds = this.#states.keepAlive[i]!
    telemetry.coldStartSeconds = coldStartSeconds
    telemetry.queued = backlog
    telemetry.dropped = dropped
    telemetry.occupancy01 = available > 0 ? Math.min(1, busy / available) : Number.NaN
    telemetry.ioShare01 = ioSeconds / (workSeconds + ioSeconds)
    telemetry.warmContainers = containers // less those still starting as the step ends
    this.#serving[i] = served > 0 ? Math.max(1, containersFor(busy, 2)) : 0
  }

  /** All that decides what comes next; `load` goes on from there to the byte. */
  save(): Uint8Array {
    return packNumbers(this.#fingerprint, [
      this.#arrivals.save(),
      [this.#steps],
      this.#cast.save(),
      ...this.#states.save(),
      ...this.telemetry.map((one) => Object.values(one)),
      ...this.#table.save(),
    ])
  }

  /** @throws {FormatError} `simulator_state_invalid`: of another spec, or damaged; nothing changed */
  load(state: Bytes): void {
    const lists = unpackNumbers(this.#fingerprint, state)
    const tenants = this.spec.tenants.length
    const [arrivals, steps, cast, ...others] = lists
    const states = others.splice(0, TenantStates.LISTS)
    const telemetry = others.splice(0, tenants)
    const isPossible =
      others.length === ContainerTable.LISTS &&
      arrivals!.length === this.#arrivals.save().length &&
      steps!.length === 1 &&
      Number.isSafeInteger(steps![0]) &&
      steps![0]! >= 0 &&
      this.#cast.isPossible(cast!) &&
      this.#states.isPossible(states) &&
      telemetry.every((numbers, i) => numbers.length === Object.keys(this.telemetry[i]!).length) &&
      this.#table.isPossible(others, tenants)
    if (!isPossible) {
      throw new FormatError('simulator_state_invalid', 'not a state of this platform: impossible numbers')
    }
    this.#arrivals.load(Uint8Array.from(arrivals!))
    this.#steps = steps![0]!
    this.#cast.load(cast!)
    this.#setSlos()
    this.#states.load(states)
    for (const [i, one] of this.telemetry.entries()) {
      for (const [at, key] of (Object.keys(one) as (keyof TenantTelemetry)[]).entries()) one[key] = telemetry[i]![at]!
    }
    this.#table.load(others)
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#castRandom.dispose()
    this.#arrivals.dispose()
  }
}

/** Tenants that are not there at first: their first event is that they join. */
function joinsLater(events: readonly ServerlessEvent[]): ReadonlySet<number> {
  const known = new Set<number>()
  const later = new Set<number>()
  for (const event of events) {
    if (event.kind !== 'join' && event.kind !== 'leave') continue
    if (event.kind === 'join' && !known.has(event.tenant)) later.add(event.tenant)
    known.add(event.tenant)
  }
  return later
}

const createQueueStep = (): QueueStep => ({
  ...{ arrivals: 0, backlog: 0, warm: 0, coming: 0, comingSeconds: 0, later: 0, laterSeconds: 0 },
  ...{ capacityPerContainer: 0, carried: 0 },
})
