import { type Bytes, type Core, FormatError, Problems, Random } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'
import { normalQuantile, Z99 } from '../normal.js'
import type { Application } from './application.js'
import { CLUSTER_LAWS, type ClusterLaw, createLatencyModel } from './latency/cluster-law.js'
import type { LatencyModel } from './latency/latency-model.js'
import { type LoadSeries, shareAt } from './load.js'
import {
  type Allocation,
  type AllocationBounds,
  clampAllocation,
  createTelemetry,
  DEFAULT_BOUNDS,
  isSameSize,
  type Telemetry,
} from './telemetry.js'

/** How the simulated cluster behaves. The defaults are the honest ones: starting takes time, memory kills, p99 is sampled. */
export interface ClusterOptions {
  readonly stepSeconds: number
  /** A new replica serves after this long, ±15 %. */
  readonly startSeconds: number
  /** A replica killed for memory serves again after this long. */
  readonly restartSeconds: number
  /** Requests are given up after waiting this long. */
  readonly timeoutSeconds: number
  /** Relative standard deviation of the CPU and memory sensors. */
  readonly sensorNoise: number
  /** SLO as a multiple of the p99 at ample resources. 1.15 is the papers'; with small pods it forces every controller to idle. */
  readonly sloFactor: number
  readonly bounds: AllocationBounds
  /**
   * How pods change their size. `in-place`: limits move while they run. `restart`: a rolling update starts new pods, which are paid
   * beside the old ones until they serve. `none`: the size of the first step is for ever.
   */
  readonly resize: ResizeMode
  /** Steps until a resize in place is in force; 0: in the step that it is asked in. */
  readonly resizeSteps: number
  /** Whether a pod gives memory back when its load falls; few runtimes do. */
  readonly memoryShrinks: boolean
  /** Cores of the whole cluster: replicas that do not fit are not started. */
  readonly clusterCores: number
  /** How latency follows from size and load. */
  readonly law: ClusterLaw
}

/** What a cluster can do with the size of a running pod. */
export type ResizeMode = 'in-place' | 'restart' | 'none'
/** All that there are. */
export const RESIZE_MODES: readonly ResizeMode[] = ['in-place', 'restart', 'none']

/**
 * Named SLOs, as multiples of the p99 at ample resources. `paper` is what AWARE prints: with small pods it is met only by
 * replicas that idle at about 14 %, under every controller.
 */
export const SLO_FACTORS = { standard: 2, tight: 1.5, paper: 1.15 } as const

/** The cluster unless told otherwise: steps of 15 s, pods that take 20 s to start. */
export const CLUSTER: ClusterOptions = {
  stepSeconds: 15,
  startSeconds: 20,
  restartSeconds: 10,
  timeoutSeconds: 10,
  sensorNoise: 0.03,
  sloFactor: SLO_FACTORS.standard,
  bounds: DEFAULT_BOUNDS,
  resize: 'in-place',
  resizeSteps: 0,
  memoryShrinks: true,
  clusterCores: Number.POSITIVE_INFINITY,
  law: 'throttled',
}

/** What really happened in a step: for judging, never for controllers. */
export interface Truth {
  p99Ms: number
  /** p99 above the SLO, or a kill. */
  violated: boolean
  cpuUtilisation01: number
  memoryUtilisation01: number
  /** Limits times replicas, starting ones included: what is paid for. */
  requestedCores: number
  /** The same of memory, MiB. */
  requestedMemoryMiB: number
}

function checkCluster(o: ClusterOptions): void {
  const problems = new Problems()
  const between = (name: string, value: number, holds: boolean, range: string): void =>
    problems.check(holds && value < Infinity, `${name} must be ${range}, got ${value}`)
  between('sloFactor', o.sloFactor, o.sloFactor > 0, 'above 0')
  between('stepSeconds', o.stepSeconds, o.stepSeconds > 0, 'above 0')
  between('startSeconds', o.startSeconds, o.startSeconds >= 0, '>= 0')
  const isRestartWithin = o.restartSeconds >= 0 && o.restartSeconds < o.stepSeconds
  between('restartSeconds', o.restartSeconds, isRestartWithin, `>= 0 and below stepSeconds (${o.stepSeconds})`)
  between('timeoutSeconds', o.timeoutSeconds, o.timeoutSeconds > 0, 'above 0')
  between('sensorNoise', o.sensorNoise, o.sensorNoise >= 0, '>= 0')
  for (const name of ['cores', 'memoryMiB', 'replicas'] as const) {
    const [low, high] = o.bounds[name]
    const holds = low > 0 && low <= high && high < Infinity
    problems.check(holds, `bounds.${name} must be low … high with 0 < low <= high, got ${low} … ${high}`)
  }
  const [fewest, most] = o.bounds.replicas
  problems.check(Number.isInteger(fewest) && Number.isInteger(most), 'bounds.replicas must be whole numbers')
  problems.check(
    RESIZE_MODES.includes(o.resize),
    `resize must be one of ${RESIZE_MODES.join(', ')}, got ${String(o.resize)}`,
  )
  const isDelay = Number.isInteger(o.resizeSteps) && o.resizeSteps >= 0 && o.resizeSteps <= MAX_RESIZE_STEPS
  problems.check(isDelay, `resizeSteps must be a whole number in [0, ${MAX_RESIZE_STEPS}], got ${o.resizeSteps}`)
  const isRoom = o.clusterCores >= o.bounds.cores[0] * o.bounds.replicas[0]
  problems.check(isRoom, `clusterCores must hold the fewest replicas of the smallest size, got ${o.clusterCores}`)
  problems.check(CLUSTER_LAWS.includes(o.law), `law must be one of ${CLUSTER_LAWS.join(', ')}, got ${String(o.law)}`)
  problems.throwIfAny('cluster')
}

const MAX_RESIZE_STEPS = 16

/** A size that comes into force later. */
interface Resize extends Allocation {
  readonly second: number
}

function takeSize(from: Readonly<Allocation>, to: Allocation): void {
  to.coresPerReplica = from.coresPerReplica
  to.memoryMiBPerReplica = from.memoryMiBPerReplica
}

/** p99 with resources to spare, milliseconds: what SLOs are multiples of. */
export function ampleLatencyMs(core: Core, application: Application, law: ClusterLaw = 'throttled'): number {
  const model = createLatencyModel(core.math, law)
  model.prepare(application, application.peakRatePerSecond / 20, 4, 15)
  return 1000 * model.quantile(0.99, Z99)
}

/**
 * One application on a simulated cluster under a load, step by step (5.2; `data` of the model in application.ts).
 * A simulation: fluid queue per replica between steps, closed-form latency within one.
 */
export class ClusterSimulator {
  readonly application: Application
  readonly series: LoadSeries
  readonly options: ClusterOptions
  readonly sloMs: number
  readonly telemetry: Telemetry = createTelemetry()
  readonly truth: Truth = {
    p99Ms: 0,
    violated: false,
    cpuUtilisation01: 0,
    memoryUtilisation01: 0,
    requestedCores: 0,
    requestedMemoryMiB: 0,
  }
  readonly #model: LatencyModel
  readonly #core: Core
  readonly #arrivals: Random
  readonly #sensors: Random
  readonly #starts: Random
  readonly #current: Allocation = { coresPerReplica: 1, memoryMiBPerReplica: 256, replicas: 1 }
  #second = 0
  #backlog = 0 // requests waiting over all replicas
  #starting: number[] = [] // seconds at which starting replicas become ready, in order
  #isDeployed = false // whether anybody has decided the size yet
  #retainedMiB = 0 // memory that pods hold on to, where they never give it back
  readonly #coming: Resize[] = [] // sizes asked for and not yet in force, in order; a rolling update is one with replicas

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(core: Core, application: Application, series: LoadSeries, options: Partial<ClusterOptions> = {}) {
    this.#core = core
    this.application = application
    this.series = series
    this.options = { ...CLUSTER, ...options }
    checkCluster(this.options)
    this.sloMs = this.options.sloFactor * ampleLatencyMs(core, application, this.options.law)
    this.#model = createLatencyModel(core.math, this.options.law)
    this.#arrivals = new Random(core, 0, 1)
    this.#sensors = new Random(core, 0, 2)
    this.#starts = new Random(core, 0, 3)
    this.telemetry.sloMs = this.sloMs
  }

  /** Requests per second at a moment of the load. */
  rateAt(second: number): number {
    return this.application.peakRatePerSecond * shareAt(this.series, second)
  }

  /** Memory that a replica needs at a rate: base plus the requests in flight and two deviations of them. */
  neededMemoryMiB(inFlight: number): number {
    return this.application.baseMemoryMiB + this.application.requestMemoryMiB * (inFlight + 2 * Math.sqrt(inFlight))
  }

  /**
   * Starts at a second of the load with the same comfortable allocation for every controller: one-core replicas at 50 %,
   * memory 1.5 × the need.
   */
  reset(second: number, seed: number): void {
    this.#arrivals.reseed(seed, 1)
    this.#sensors.reseed(seed, 2)
    this.#starts.reseed(seed, 3)
    this.#second = second
    this.#backlog = 0
    this.#starting.length = 0
    this.#coming.length = 0
    this.#isDeployed = false
    this.#retainedMiB = 0
    const load = this.rateAt(second) * this.application.workSeconds
    const replicas = Math.max(1, Math.ceil(load / 0.5))
    const inFlight = (this.rateAt(second) / replicas) * (this.application.workSeconds + this.application.waitSeconds)
    this.#current.coresPerReplica = 1
    this.#current.memoryMiBPerReplica = 1.5 * this.neededMemoryMiB(inFlight)
    this.#current.replicas = replicas
    clampAllocation(this.#current, this.options.bounds, this.#current)
    this.step(this.#current) // the first telemetry, before anybody decides
    this.#isDeployed = false
  }

  /** What is allocated now. */
  get allocation(): Readonly<Allocation> {
    return this.#current
  }

  /** Applies an allocation as the cluster's resizing allows (replicas after their start) and lives through one step. */
  step(wanted: Readonly<Allocation>): void {
    const { stepSeconds } = this.options
    this.#apply(wanted)
    const ready = Math.max(0, this.#current.replicas - this.#starting.length)
    const rate = this.rateAt(this.#second + stepSeconds / 2)
    const requests = this.#arrivals.poisson(rate * stepSeconds)
    this.#serve(ready, requests)
    this.#second += stepSeconds
    while (this.#starting.length > 0 && this.#starting[0]! <= this.#second) this.#starting.shift()
  }

  #apply(asked: Readonly<Allocation>): void {
    const current = this.#current
    const wanted = { ...asked }
    clampAllocation(wanted, this.options.bounds, current)
    this.#finishResizes()
    const { resize, resizeSteps, clusterCores, stepSeconds } = this.options
    const room = Math.max(current.coresPerReplica, clusterCores / current.replicas) // what nodes can add to running pods
    if (resize === 'in-place') wanted.coresPerReplica = Math.min(wanted.coresPerReplica, room)
    if (!this.#isDeployed || (resize === 'in-place' && resizeSteps === 0)) takeSize(wanted, current)
    else if (resize === 'in-place') {
      this.#coming.push({ ...wanted, second: this.#second + (resizeSteps - 0.5) * stepSeconds })
    } else if (resize === 'restart' && this.#coming.length === 0 && !isSameSize(wanted, current)) {
      this.#coming.push({ ...wanted, second: this.#second + this.#startSeconds() })
    }
    this.#isDeployed = true
    if (this.#isRolling) return // the number of pods is the old generation's until the new one serves
    const most = Math.floor(clusterCores / current.coresPerReplica + 1e-9)
    this.#scale(Math.max(1, Math.min(wanted.replicas, most)))
  }

  /** Whether a rolling update is under way. */
  get #isRolling(): boolean {
    return this.options.resize === 'restart' && this.#coming.length > 0
  }

  #finishResizes(): void {
    while (this.#coming.length > 0 && this.#coming[0]!.second <= this.#second) {
      const resized = this.#coming.shift()!
      takeSize(resized, this.#current)
      if (this.options.resize !== 'restart') continue
      this.#current.replicas = resized.replicas
      this.#starting.length = 0
      this.#retainedMiB = 0
    }
  }

  #scale(replicas: number): void {
    const change = replicas - this.#current.replicas
    this.#current.replicas = replicas
    for (let i = 0; i < change; i++) this.#starting.push(this.#second + this.#startSeconds())
    if (change > 0) this.#starting.sort((a, b) => a - b)
    // Starting replicas go first when scaling in, as a replica set does.
    if (change < 0) this.#starting.length = Math.max(0, this.#starting.length + change)
  }

  #startSeconds(): number {
    return this.options.startSeconds * (1 + 0.15 * Math.max(-2, Math.min(2, this.#starts.normal())))
  }

  #serve(ready: number, requests: number): void {
    const { application, telemetry, truth, options } = this
    const { stepSeconds, timeoutSeconds } = options
    const { coresPerReplica: cores, memoryMiBPerReplica: memory, replicas } = this.#current
    const rate = requests / stepSeconds
    const model = this.#model
    const servers = Math.max(1, ready)
    model.prepare(application, rate / servers, cores, stepSeconds)

    const inFlight = (rate / servers) * (model.serviceSeconds + model.meanWaitSeconds) + this.#backlog / servers
    const need = Math.max(this.neededMemoryMiB(inFlight), options.memoryShrinks ? 0 : this.#retainedMiB)
    const killed = need > memory
    this.#retainedMiB = killed ? 0 : need
    const upShare = killed ? 1 - options.restartSeconds / stepSeconds : 1

    // Fluid backlog: what cannot be served in this step waits for the next, and is given up after the timeout.
    const capacity = (servers * cores * upShare) / application.workSeconds // requests per second
    const waitBefore = this.#backlog / capacity
    const arrived = this.#backlog + requests
    const served = Math.min(arrived, capacity * stepSeconds)
    const longest = capacity * timeoutSeconds
    const dropped = Math.max(0, arrived - served - longest)
    this.#backlog = arrived - served - dropped
    const waitAfter = this.#backlog / capacity
    const backlogWait = Math.max(waitBefore, waitAfter)
    const downSeconds = killed ? options.restartSeconds : 0
    const p99 = (p: number, normal: number): number =>
      1000 * (Math.min(timeoutSeconds, model.quantile(p, normal) + backlogWait) + downSeconds)

    truth.p99Ms = requests > 0 ? p99(0.99, Z99) : 0
    truth.violated = killed || truth.p99Ms > this.sloMs
    const usedCores = (served * application.workSeconds) / stepSeconds
    const surge = this.#isRolling ? this.#coming[0] : undefined
    truth.requestedCores = replicas * cores + (surge ? surge.replicas * surge.coresPerReplica : 0)
    truth.requestedMemoryMiB = replicas * memory + (surge ? surge.replicas * surge.memoryMiBPerReplica : 0)
    truth.cpuUtilisation01 = Math.min(1, usedCores / truth.requestedCores)
    truth.memoryUtilisation01 = Math.min(1, need / memory)

    telemetry.timeSeconds = this.#second + stepSeconds
    telemetry.requests = requests
    telemetry.ratePerSecond = rate
    telemetry.p99Ms = requests > 0 ? this.#sampledP99(requests, p99) : Number.NaN
    telemetry.usedCores = usedCores * this.#sensor()
    telemetry.usedMemoryMiB = Math.min(need, memory) * this.#sensor()
    telemetry.readyReplicas = ready
    telemetry.startingReplicas = replicas - ready
    telemetry.coresPerReplica = cores
    telemetry.memoryMiBPerReplica = memory
    telemetry.oomKills = killed ? servers : 0
    telemetry.droppedRequests = dropped
  }

  /** The order statistic that a monitoring system would report for this many requests: Beta-distributed rank. */
  #sampledP99(requests: number, quantile: (p: number, normal: number) => number): number {
    const rank = Math.ceil(0.99 * requests)
    const p = Math.min(1 - 1e-9, Math.max(1e-9, this.#sensors.beta(rank, requests - rank + 1)))
    return quantile(p, normalQuantile(this.#core.math, p))
  }

  #sensor(): number {
    return Math.max(0, 1 + this.options.sensorNoise * this.#sensors.normal())
  }

  /** Everything that the next step depends on. */
  save(): Uint8Array {
    const numbers = new Float64Array([
      this.#second,
      this.#backlog,
      this.#current.coresPerReplica,
      this.#current.memoryMiBPerReplica,
      this.#current.replicas,
      ...Object.values(this.telemetry),
      this.#isDeployed ? 1 : 0,
      this.#retainedMiB,
      this.#starting.length,
      ...this.#starting,
      ...this.#coming.flatMap((r) => [r.second, r.coresPerReplica, r.memoryMiBPerReplica, r.replicas]),
    ])
    const streams = [this.#arrivals, this.#sensors, this.#starts].map((random) => random.save())
    const bytes = new Uint8Array(96 + numbers.byteLength)
    for (const [i, stream] of streams.entries()) bytes.set(stream, 32 * i)
    bytes.set(new Uint8Array(numbers.buffer), 96)
    return bytes
  }

  /** @throws {FormatError} `simulator_state_invalid` */
  load(state: Bytes): void {
    const fields = Object.keys(this.telemetry) as (keyof Telemetry)[]
    const bytes = copyBytes(state, 'a simulator state')
    const count = (bytes.byteLength - 96) / 8
    const numbers = Number.isInteger(count) && count >= 0 ? new Float64Array(bytes.buffer, 96) : new Float64Array()
    const head = 7 + fields.length
    const starting = numbers[head]!
    const coming = numbers.length - (head + 1 + starting)
    if (
      !(starting >= 0 && coming >= 0 && coming % 4 === 0) ||
      !this.#isPossible(numbers, head, numbers.length - coming)
    ) {
      throw new FormatError('simulator_state_invalid', `${state.byteLength} bytes are no state of this simulator`)
    }
    for (const [i, random] of [this.#arrivals, this.#sensors, this.#starts].entries()) {
      random.load(bytes.subarray(32 * i, 32 * i + 32))
    }
    this.#second = numbers[0]!
    this.#backlog = numbers[1]!
    this.#current.coresPerReplica = numbers[2]!
    this.#current.memoryMiBPerReplica = numbers[3]!
    this.#current.replicas = numbers[4]!
    fields.forEach((field, i) => {
      this.telemetry[field] = numbers[5 + i]!
    })
    this.#isDeployed = numbers[head - 2]! === 1
    this.#retainedMiB = numbers[head - 1]!
    this.#starting = Array.from(numbers.subarray(head + 1, numbers.length - coming))
    this.#coming.length = 0
    for (let i = numbers.length - coming; i < numbers.length; i += 4) {
      const [second, coresPerReplica, memoryMiBPerReplica, replicas] = numbers.subarray(i, i + 4)
      this.#coming.push({
        ...{ second: second!, coresPerReplica: coresPerReplica!, memoryMiBPerReplica: memoryMiBPerReplica! },
        replicas: replicas!,
      })
    }
  }

  /** Whether the simulator can be where the numbers say; telemetry may be anything, it was measured. */
  #isPossible(numbers: Float64Array, head: number, comingFrom: number): boolean {
    const { cores, memoryMiB, replicas } = this.options.bounds
    const isWithin = (value: number, [low, high]: readonly [number, number]): boolean => value >= low && value <= high
    const isAllocation = (at: number): boolean =>
      isWithin(numbers[at]!, cores) &&
      isWithin(numbers[at + 1]!, memoryMiB) &&
      isWithin(numbers[at + 2]!, [1, replicas[1]]) &&
      Number.isInteger(numbers[at + 2]!)
    const [second, backlog] = numbers as unknown as [number, number]
    const [isDeployed, retained, starting] = numbers.subarray(head - 2, head + 1) as unknown as [number, number, number]
    let isPossible =
      Number.isFinite(second) &&
      isWithin(backlog, [0, Number.MAX_VALUE]) &&
      isAllocation(2) &&
      (isDeployed === 0 || isDeployed === 1) &&
      isWithin(retained, [0, Number.MAX_VALUE]) &&
      starting <= numbers[4]! &&
      numbers.subarray(head + 1, comingFrom).every(Number.isFinite)
    for (let i = comingFrom; i < numbers.length; i += 4)
      isPossible &&= Number.isFinite(numbers[i]!) && isAllocation(i + 1)
    return isPossible
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    for (const random of [this.#arrivals, this.#sensors, this.#starts]) random.dispose()
  }
}
