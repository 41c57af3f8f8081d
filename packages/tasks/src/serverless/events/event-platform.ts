import { ConfigError, type Core, percentile, Random } from '@trimtab/core'
import { EventHeap } from '../../event-heap.js'
import type { FunctionProfile } from '../function-profile.js'
import { SHARES_PER_CORE } from '../invoker-sharing.js'
import { checkServerlessSpec, type ServerlessSpec } from '../platform-spec.js'
import { isolatedP99Ms } from '../sojourn.js'
import { createTenantTelemetry, type TenantAllocation, type TenantTelemetry } from '../telemetry.js'
import { ARRIVALS_STREAM, CAST_STREAM, TenantCast } from '../tenant-cast.js'
import { TenantStates } from '../tenant-states.js'
import { createContainer, type EventContainer } from './event-container.js'
import { EventInvoker } from './event-invoker.js'

const WORK_STREAM = 3 // of a seed

const ARRIVAL = 0 // kinds of events; their subject is a tenant
const STARTED = 1 // a container, by its number
const IO_DONE = 2

/** What became of one tenant's requests, since `reset`. */
export interface TenantEvents {
  /** Latencies of served requests in the order they were done, ms. */
  readonly latenciesMs: number[]
  arrivals: number
  dropped: number
  coldStarts: number
  /** CPU used. */
  coreSeconds: number
  /** Time that containers served. */
  busySeconds: number
}

/** The same, as it stood. */
interface EventCounts extends Omit<TenantEvents, 'latenciesMs'> {
  readonly served: number
}

/** One tenant as it is now. */
interface Tenant {
  readonly profile: FunctionProfile
  readonly sloMs: number
  /** When waiting requests came, oldest first. */
  readonly queue: number[]
  readonly containers: Set<EventContainer> // oldest first
  /** Containers that start when a request of this step meets none. */
  unasked: number
  readonly events: TenantEvents
}

/**
 * The platform of a spec request by request: what `ServerlessPlatform` has in closed form happens here, each container with one
 * request at a time, each invoker's cores shared among those that compute. For validation: slow, and without churn or lost invokers.
 */
export class EventPlatform {
  readonly spec: ServerlessSpec
  /** [N], of the step just lived. */
  readonly telemetry: readonly TenantTelemetry[]
  readonly #core: Core
  readonly #cast: TenantCast
  readonly #states: TenantStates // what is in force; who waits is in the queues
  readonly #castRandom: Random
  readonly #arrivals: Random
  readonly #work: Random
  readonly #heap = new EventHeap()
  #invokers: EventInvoker[] = []
  #tenants: Tenant[] = []
  #started: EventContainer[] = [] // all there ever were, by number
  #steps = 0

  /** @throws {ConfigError} `config_invalid` with every problem of the spec, or for one with churn or lost invokers */
  constructor(core: Core, spec: ServerlessSpec) {
    checkServerlessSpec(spec)
    if (spec.events.length > 0) {
      throw new ConfigError(
        'config_invalid',
        `spec.events must be empty here, got ${spec.events.length} (leave them out)`,
      )
    }
    this.#core = core
    this.spec = spec
    this.telemetry = spec.tenants.map(createTenantTelemetry)
    this.#cast = new TenantCast(spec)
    this.#states = new TenantStates(spec)
    this.#castRandom = new Random(core, 0, CAST_STREAM)
    this.#arrivals = new Random(core, 0, ARRIVALS_STREAM)
    this.#work = new Random(core, 0, WORK_STREAM)
  }

  /** What became of tenant `i`'s requests since `reset`, its first step included. */
  events(i: number): Readonly<TenantEvents> {
    return this.#tenants[i]!.events
  }

  /** Begins the episode that `seed` says: the same functions and loads as `ServerlessPlatform` draws, with requests of their own. */
  reset(seed: number): void {
    const { invokers } = this.spec
    this.#castRandom.reseed(seed, CAST_STREAM)
    this.#arrivals.reseed(seed, ARRIVALS_STREAM)
    this.#work.reseed(seed, WORK_STREAM)
    this.#cast.draw(this.#castRandom)
    this.#heap.clear()
    this.#started = []
    this.#steps = 0
    this.#invokers = invokers.flatMap((invoker) =>
      Array.from({ length: invoker.count }, () => new EventInvoker(invoker)),
    )
    this.#tenants = this.#cast.functions.map((profile) => ({
      profile,
      sloMs: this.spec.sloFactor * isolatedP99Ms(this.#core.math, profile),
      ...{ queue: [], containers: new Set(), unasked: 0, events: createEvents() },
    }))
    for (const [i, { profile }] of this.#tenants.entries()) {
      this.#states.join(i, this.#cast.rateAt(i, 0) * (profile.workSeconds + profile.ioSeconds))
      this.#startUpTo(i, this.#states.containers[i]!, 0)
    }
    for (const container of this.#started) container.state = 'idle'
    this.#heap.clear() // nobody starts any more
    for (const { events } of this.#tenants) events.coldStarts = 0
    this.#live(this.#count())
  }

  /** Brings allocations [N] into force and lives through a step. */
  step(allocations: readonly Readonly<TenantAllocation>[]): void {
    const now = this.#steps * this.spec.stepSeconds
    const before = this.#count()
    for (const [i, asked] of allocations.entries()) {
      this.#states.take(i, asked)
      for (const container of this.#tenants[i]!.containers) this.#setShares(container)
      this.#removeSurplus(i, now)
    }
    for (const invoker of this.#invokers) invoker.cpu.redivide(now)
    for (let turn = 0; turn < this.#tenants.length; turn++) {
      const i = (this.#steps + turn) % this.#tenants.length
      this.#startUpTo(i, this.#states.containers[i]!, now)
    }
    this.#live(before)
  }

  /** Frees its random streams; it must not be used afterwards. May be called twice. */
  dispose(): void {
    for (const random of [this.#castRandom, this.#arrivals, this.#work]) random.dispose()
  }

  #setShares(container: EventContainer): void {
    const shares = this.#states.shares[container.tenant]!
    container.shares = shares
    container.capCores = this.spec.cpuMode === 'quota' ? Math.min(1, shares / SHARES_PER_CORE) : 1
  }

  /** Newest first: what still starts, unless requests wait for it, and what has been idle for long. */
  #removeSurplus(i: number, now: number): void {
    const { containers, queue } = this.#tenants[i]!
    for (const container of [...containers].reverse()) {
      if (containers.size <= this.#states.containers[i]!) return
      const isIdle = container.state === 'idle' && now - container.sinceSeconds >= this.#states.keepAlive[i]!
      const isStarting = container.state === 'starting' && queue.length === 0
      if (!isIdle && !isStarting) continue
      containers.delete(container)
      this.#invokers[container.invoker]!.remove(container)
    }
  }

  #startUpTo(i: number, count: number, now: number): void {
    const { containers, profile, events } = this.#tenants[i]!
    while (containers.size < count) {
      const invoker = this.#invokers.findIndex(({ freeMiB }) => freeMiB >= profile.memoryMiB)
      if (invoker < 0) return
      const container = createContainer(this.#started.length, i, invoker)
      this.#setShares(container)
      containers.add(container)
      this.#invokers[invoker]!.add(container, profile)
      this.#started.push(container)
      this.#heap.push(now + profile.coldStartSeconds, STARTED, container.number)
      events.coldStarts++
    }
  }

  /** What became of requests before a step. */
  #count(): EventCounts[] {
    return this.#tenants.map(({ events }) => ({ ...events, served: events.latenciesMs.length }))
  }

  /** @param before  a step's allocations */
  #live(before: readonly EventCounts[]): void {
    const { stepSeconds, bounds } = this.spec
    const start = this.#steps * stepSeconds
    for (const [i, tenant] of this.#tenants.entries()) {
      const { queue, profile, events } = tenant
      const arrivals = this.#cast.arrivalsAt(i, this.#steps, this.#arrivals)
      for (let n = 0; n < arrivals; n++) this.#heap.push(start + stepSeconds * this.#arrivals.uniform(), ARRIVAL, i)
      events.arrivals += arrivals
      const busy = ((arrivals + queue.length) / stepSeconds) * (profile.workSeconds + profile.ioSeconds)
      tenant.unasked = Math.min(Math.ceil(busy), bounds.containers[1])
    }
    this.#runUntil(start + stepSeconds)
    this.#steps++
    for (const [i, counts] of before.entries()) this.#report(i, counts)
  }

  #runUntil(end: number): void {
    for (;;) {
      const invoker = this.#invokers.reduce((a, b) => (b.cpu.nextDoneSeconds < a.cpu.nextDoneSeconds ? b : a))
      const now = Math.min(invoker.cpu.nextDoneSeconds, this.#heap.earliest)
      if (!(now < end)) return
      if (invoker.cpu.nextDoneSeconds <= this.#heap.earliest) {
        for (const container of invoker.cpu.takeDone(now)) this.#computed(container, now)
        continue
      }
      this.#heap.pop()
      const { kind, subject } = this.#heap
      if (kind === ARRIVAL) this.#arrive(subject, now)
      else if (kind === IO_DONE) this.#finish(this.#started[subject]!, now)
      else this.#becomeIdle(this.#started[subject]!, now)
    }
  }

  #arrive(i: number, now: number): void {
    const tenant = this.#tenants[i]!
    tenant.queue.push(now)
    if (tenant.containers.size === 0) this.#startUpTo(i, tenant.unasked, now)
    let longest: EventContainer | undefined // idle: containers take turns
    for (const container of tenant.containers)
      if (container.state === 'idle' && !(longest && longest.sinceSeconds <= container.sinceSeconds))
        longest = container
    if (longest) this.#serveNext(longest, now)
  }

  /** A container has nothing to do: it takes the next request that has not waited too long. */
  #becomeIdle(container: EventContainer, now: number): void {
    if (!this.#tenants[container.tenant]!.containers.has(container)) return // removed while it started
    container.state = 'idle'
    container.sinceSeconds = now
    this.#serveNext(container, now)
  }

  #serveNext(container: EventContainer, now: number): void {
    const { queue, events, profile } = this.#tenants[container.tenant]!
    while (queue.length > 0 && now - queue[0]! > this.spec.timeoutSeconds) {
      queue.shift()
      events.dropped++
    }
    const arrived = queue.shift()
    if (arrived === undefined) return
    const invoker = this.#invokers[container.invoker]!
    container.state = 'computing'
    container.sinceSeconds = now
    container.arrivedSeconds = arrived
    const slowdown = invoker.slowdownOf(profile)
    const work = profile.workSeconds * profile.workScv * this.#work.gamma(1 / profile.workScv)
    container.workLeft = (work * slowdown) / invoker.speed
    container.ioSeconds = profile.ioSeconds * slowdown
    events.coreSeconds += container.workLeft
    invoker.cpu.start(container, now)
  }

  #computed(container: EventContainer, now: number): void {
    container.state = 'waiting'
    this.#heap.push(now + container.ioSeconds, IO_DONE, container.number)
  }

  #finish(container: EventContainer, now: number): void {
    const { events } = this.#tenants[container.tenant]!
    events.latenciesMs.push(1000 * (now - container.arrivedSeconds))
    events.busySeconds += now - container.sinceSeconds
    this.#becomeIdle(container, now)
  }

  #report(i: number, before: EventCounts): void {
    const { stepSeconds } = this.spec
    const { profile, sloMs, queue, containers, events } = this.#tenants[i]!
    const { workSeconds, ioSeconds, memoryMiB, idleMemoryMiB, coldStartSeconds } = profile
    const served = events.latenciesMs.slice(before.served)
    const arrivals = events.arrivals - before.arrivals
    const busy = (events.busySeconds - before.busySeconds) / stepSeconds
    const startingContainers = [...containers].filter(({ state }) => state === 'starting').length
    const warmContainers = containers.size - startingContainers
    Object.assign(this.telemetry[i]!, {
      ...{ timeSeconds: this.#steps * stepSeconds, stepSeconds, arrivals, sloMs, coldStartSeconds },
      demandCores: (arrivals / stepSeconds) * workSeconds,
      demandContainers: (arrivals / stepSeconds) * (workSeconds + ioSeconds),
      p99Ms: served.length > 0 ? percentile(served, 99) : Number.NaN,
      usedCores: (events.coreSeconds - before.coreSeconds) / stepSeconds,
      usedMemoryMiB: containers.size * idleMemoryMiB + busy * (memoryMiB - idleMemoryMiB),
      memoryMiBPerContainer: memoryMiB,
      shares: this.#states.shares[i]!,
      containers: this.#states.containers[i]!,
      keepAliveSeconds: this.#states.keepAlive[i]!,
      ...{ warmContainers, startingContainers, queued: queue.length },
      coldStarts: events.coldStarts - before.coldStarts,
      dropped: events.dropped - before.dropped,
      occupancy01: warmContainers > 0 ? Math.min(1, busy / warmContainers) : Number.NaN,
      ioShare01: ioSeconds / (workSeconds + ioSeconds),
    } satisfies TenantTelemetry)
  }
}

const createEvents = (): TenantEvents => ({
  ...{ latenciesMs: [], arrivals: 0, dropped: 0, coldStarts: 0, coreSeconds: 0, busySeconds: 0 },
})
