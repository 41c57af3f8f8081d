import type { Clock } from '@trimtab/core'
import type { ActivationOutcome, JsonObject } from '@trimtab/openwhisk/server'
import type { TenantAllocation, TenantTelemetry } from '@trimtab/tasks/serverless'
import { CallLog } from './call-log.js'
import { boundAllocation, nicenessOf } from './container-allocation.js'
import { FunctionContainer, type FunctionSource } from './function-container.js'
import type { Lodger, MachineRoom } from './machine-room.js'
import { outcomeOf, type RequestEnd } from './outcome.js'
import { type PoolState, PoolTally, type PoolTotals } from './pool-tally.js'

/** What the containers of a function are made of, and how many there are at first. */
export interface FunctionPoolOptions {
  readonly source: FunctionSource
  /** Of a container. */
  readonly memoryMiB: number
  /** Containers at once, whatever is asked and whoever waits. */
  readonly most: number
  /** Of a call. */
  readonly timeoutMs: number
  /** Of a container's start, until its function is there. */
  readonly startTimeoutMs: number
  /** Of what a call writes. */
  readonly logBytes: number
  /** 0 … 19: its containers run below the platform's priority by so much, and by what fewer shares than others' add. */
  readonly niceness: number
  /** At first: containers that are kept whether or not requests wait, and how long others idle. */
  readonly allocation: Readonly<TenantAllocation>
  /** What it shares with other functions: memory, and how many containers start at once. */
  readonly room: MachineRoom
  readonly clock: Clock
}

interface Waiting {
  readonly parameters: JsonObject
  readonly arrivedMs: number
  readonly resolve: (outcome: ActivationOutcome) => void
}

interface Seat {
  readonly container: FunctionContainer
  state: 'starting' | 'idle' | 'busy'
  idleSinceMs: number
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * The containers of one function and the requests that wait for them, first come, first served. A request that waits starts a container,
 * unless one already starts for it; whichever is free first takes it.
 */
export class FunctionPool implements Lodger {
  readonly #options: FunctionPoolOptions
  readonly #tally: PoolTally
  readonly #queue: Waiting[] = []
  readonly #seats = new Set<Seat>()
  #allocation: Readonly<TenantAllocation>
  /** Its code did not load: none is kept ready until it does. */
  #isBroken = false
  /** With those that were told to end and are still there. */
  readonly #alive = new Set<FunctionContainer>()
  #cpuOfGoneMs = 0
  #expiry: NodeJS.Timeout | undefined
  #drained: Promise<void> | undefined
  #onEmpty: (() => void) | undefined

  constructor(options: FunctionPoolOptions) {
    this.#options = options
    this.#allocation = options.allocation
    this.#tally = new PoolTally(options.clock.now())
    options.room.add(this)
    this.settle()
  }

  get oldestArrivalMs(): number {
    return this.#queue[0]?.arrivedMs ?? Number.POSITIVE_INFINITY
  }

  get oldestIdleMs(): number {
    return this.#oldestIdle()?.idleSinceMs ?? Number.POSITIVE_INFINITY
  }

  get shares(): number {
    return this.#allocation.shares
  }

  /**
   * What is in force. What is set takes effect at once, though no call is cut off and shares are those of containers to come; within
   * bounds (`boundAllocation`): never more containers than `most`, and NaN leaves things as they are.
   */
  get allocation(): Readonly<TenantAllocation> {
    return this.#allocation
  }

  set allocation(asked: Readonly<TenantAllocation>) {
    this.#allocation = boundAllocation(asked, this.#allocation, this.#options.most)
    this.settle()
  }

  /** The processes of its containers. */
  get pids(): readonly number[] {
    return [...this.#alive].flatMap(({ pid }) => pid ?? [])
  }

  /** What it has used so far. */
  get totals(): PoolTotals {
    return this.#tally.totals(this.#options.clock.now(), this.#cpuMs())
  }

  /** Runs the function once, when a container is free for it. */
  invoke(parameters: JsonObject): Promise<ActivationOutcome> {
    return new Promise((resolve) => {
      this.#tally.arrived()
      this.#queue.push({ parameters, arrivedMs: this.#options.clock.now(), resolve })
      this.settle()
    })
  }

  /** Fills `out` with the step since the last call, but for its SLO, which it does not know. */
  step(out: TenantTelemetry): void {
    this.#tally.step(out, this.#options.clock.now(), this.#cpuMs())
    const { warm, starting } = this.#state()
    out.memoryMiBPerContainer = this.#options.memoryMiB
    out.usedMemoryMiB = this.#usedMemoryMiB()
    out.warmContainers = warm
    out.startingContainers = starting
    out.queued = this.#queue.length
    Object.assign(out, this.#allocation)
  }

  /** Serves whoever waits, then ends all containers; it is of no use afterwards. */
  drain(): Promise<void> {
    this.allocation = { ...this.#allocation, containers: 0, keepAliveSeconds: 0 }
    this.#drained ??= new Promise((resolve) => {
      this.#onEmpty = resolve
      this.#endIfEmpty()
    })
    return this.#drained
  }

  /** Ends all containers at once; whoever waits or runs is told so. May be called twice. */
  async dispose(): Promise<void> {
    const now = this.#options.clock.now()
    for (const waiting of this.#queue.splice(0)) this.#end(waiting, { startMs: now }, { how: 'stopped' })
    for (const seat of this.#seats) void this.#stop(seat)
    await this.drain()
  }

  stopOldestIdle(): void {
    const seat = this.#oldestIdle()
    if (seat) void this.#stop(seat)
  }

  settle(): void {
    this.#hand()
    this.#grow()
    this.#shrink()
    this.#tally.note(this.#state(), this.#options.clock.now())
  }

  #hand(): void {
    while (this.#queue.length > 0) {
      const idle = this.#seatsThat('idle')
      if (idle.length === 0) return
      const latest = idle.reduce((a, b) => (b.idleSinceMs > a.idleSinceMs ? b : a)) // so that those age that are not needed
      void this.#run(latest, this.#queue.shift()!)
    }
  }

  #grow(): void {
    const { memoryMiB, most, room } = this.#options
    const waiting = this.#queue.length
    const wanted = Math.min(most, Math.max(this.#kept(), this.#seatsThat('busy').length + waiting))
    while (this.#seats.size < wanted && room.take(memoryMiB, waiting > 0)) this.#start()
  }

  #shrink(): void {
    clearTimeout(this.#expiry)
    while (this.#seats.size > this.#kept()) {
      const seat = this.#oldestIdle()
      if (seat === undefined) return
      const keepAliveMs = 1000 * this.#allocation.keepAliveSeconds
      const leftMs = seat.idleSinceMs + keepAliveMs - this.#options.clock.now()
      if (leftMs > 0) {
        this.#expiry = setTimeout(() => this.settle(), Math.min(leftMs + 1, LONGEST_TIMER_MS))
        return
      }
      void this.#stop(seat)
    }
  }

  #kept(): number {
    return this.#isBroken ? 0 : this.#allocation.containers
  }

  #start(): void {
    const { source, memoryMiB, startTimeoutMs, room, clock } = this.#options
    const niceness = this.#options.niceness + nicenessOf(this.shares, room.mostShares)
    const container = new FunctionContainer({ source, memoryMiB, niceness, startTimeoutMs, clock })
    const seat: Seat = { container, state: 'starting', idleSinceMs: clock.now() }
    this.#seats.add(seat)
    this.#alive.add(container)
    this.#tally.starting()
    void container.ready
      .then(
        () => this.#ready(seat),
        (error: Error) => this.#failed(seat, error),
      )
      .then(() => room.started())
      .then(() => container.gone)
      .then(() => this.#gone(seat))
  }

  #gone(seat: Seat): void {
    const wasLeaving = !this.#seats.delete(seat)
    this.#alive.delete(seat.container)
    this.#cpuOfGoneMs += seat.container.cpuMs
    this.#options.room.give(this.#options.memoryMiB, wasLeaving)
    this.settle()
    this.#endIfEmpty()
  }

  #endIfEmpty(): void {
    if (this.#onEmpty === undefined || this.#alive.size > 0 || this.#queue.length > 0) return
    this.#options.room.remove(this)
    this.#onEmpty()
  }

  #ready(seat: Seat): void {
    if (!this.#seats.has(seat)) return
    this.#isBroken = false
    const now = this.#options.clock.now()
    const { startedAt } = seat.container
    this.#tally.ready(now - startedAt)
    seat.state = 'idle'
    seat.idleSinceMs = now
    const waiting = this.#queue.shift()
    if (waiting) void this.#run(seat, waiting, now - Math.max(waiting.arrivedMs, startedAt))
    this.settle()
  }

  /** Who has waited longest is told, and the others one a try, so that nobody waits for what never comes. */
  #failed(seat: Seat, { message }: Error): void {
    if (!this.#seats.has(seat)) return
    this.#isBroken = true
    void this.#stop(seat)
    const waiting = this.#queue.shift()
    if (waiting) this.#end(waiting, { startMs: this.#options.clock.now() }, { how: 'failed', message })
  }

  /** @param initTimeMs  of a cold start: how much of it the request waited through */
  async #run(seat: Seat, waiting: Waiting, initTimeMs?: number): Promise<void> {
    const { clock, room, timeoutMs, logBytes } = this.#options
    const beganMs = clock.now()
    const log = new CallLog(logBytes, clock)
    seat.state = 'busy'
    const end = await seat.container.call(waiting.parameters, {
      timeoutMs,
      onLog: (stream, line) => log.add(stream, line),
    })
    const now = clock.now()
    if ('cpuMs' in end) {
      seat.state = 'idle'
      seat.idleSinceMs = now
      this.#tally.ran(now - beganMs, end.cpuMs)
    }
    const startMs = beganMs - (initTimeMs ?? 0)
    this.#end(waiting, { startMs, logs: log.lines, ...(initTimeMs !== undefined && { initTimeMs }) }, end)
    room.offer() // before the own queue: whoever waited longer for memory has the place
    this.settle()
  }

  #end(waiting: Waiting, ran: Pick<ActivationOutcome, 'startMs' | 'initTimeMs' | 'logs'>, end: RequestEnd): void {
    const endMs = this.#options.clock.now()
    this.#tally.ended(endMs - waiting.arrivedMs)
    waiting.resolve({ ...ran, endMs, waitTimeMs: ran.startMs - waiting.arrivedMs, ...outcomeOf(end) })
  }

  async #stop(seat: Seat): Promise<void> {
    if (!this.#seats.delete(seat)) return
    this.#options.room.leave(this.#options.memoryMiB)
    await seat.container.stop()
  }

  /** Of those that have told theirs, a moment after they were forked; NaN: there are some, and none has. */
  #usedMemoryMiB(): number {
    const told = [...this.#alive].map(({ memoryMiB }) => memoryMiB).filter((memoryMiB) => !Number.isNaN(memoryMiB))
    return told.length === 0 && this.#alive.size > 0 ? Number.NaN : told.reduce((sum, memoryMiB) => sum + memoryMiB, 0)
  }

  #cpuMs(): number {
    return [...this.#alive].reduce((sum, { cpuMs }) => sum + cpuMs, this.#cpuOfGoneMs)
  }

  #state(): PoolState {
    const busy = this.#seatsThat('busy').length
    const warm = busy + this.#seatsThat('idle').length
    return { busy, warm, starting: this.#seats.size - warm, alive: this.#alive.size }
  }

  #oldestIdle(): Seat | undefined {
    const idle = this.#seatsThat('idle')
    return idle.length === 0 ? undefined : idle.reduce((a, b) => (b.idleSinceMs < a.idleSinceMs ? b : a))
  }

  #seatsThat(state: Seat['state']): readonly Seat[] {
    return [...this.#seats].filter((seat) => seat.state === state)
  }
}
