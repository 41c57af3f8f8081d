import { type AnyCore, type Bytes, ConfigError, Random } from '@trimtab/core'
import { Names, type Trace } from '@trimtab/trace'
import { EventHeap } from '../event-heap.js'
import { fingerprintOf, packNumbers, unpackNumbers } from '../state-file.js'
import { ArrivalSource } from './arrivals.js'
import { type Campaign, checkCampaign } from './campaign.js'
import { Fleet } from './fleet.js'
import { checkGraph, type ServiceGraph, serviceNumber } from './graph.js'
import type { Instance } from './instance.js'
import { checkNodes, type Node } from './nodes.js'
import { compile, directPlan, type Plan, usualLoads } from './plan.js'
import * as pool from './request-pool.js'
import { RequestTally } from './request-tally.js'
import { numbersOf, RESOURCE_COUNT, RESOURCES, type ResourceVector, vectorOf } from './resources.js'
import { SimulatedTrace, type TraceNames } from './simulated-trace.js'
import { surgesOf } from './surge.js'
import { type GraphTelemetry, instanceTelemetry } from './telemetry.js'

// Kinds of events; the subject is a source, a visit or an instance.
const REQUEST = 0 // a source's next request
const ARRIVED = 1 // a visit reached its replica
const WORKED = 2 // a worker is done with a visit, for now
const ANSWERED = 3 // a visit's response leaves
const RETURNED = 4 // the response of this visit reached its caller
const READY = 5 // a new replica serves
const CHANGED = 6 // an anomaly begins or ends

/** Replicas that scale out are ready after this long: a cold container start (Table 3.5). */
export const COLD_START_SECONDS = 2.05

/** What goes wrong in a run, and by which dice. */
export interface SimulatorOptions {
  /** What goes wrong and when. Default: nothing. */
  readonly campaign?: Campaign
  /** Machines that instances share, each placed where most is left. Default: as much as anybody asks for. */
  readonly nodes?: readonly Node[]
  /** Default 0. */
  readonly seed?: number
  /** Strings of the traces; pass one to share it among simulators. */
  readonly names?: Names
}

/**
 * A microservice application under load, event by event (3.2.4–3.2.6; FIRM's test bed in small).
 *
 * A request walks its graph: each visit queues at a replica (random among those that serve) for one of its workers, works,
 * calls others stage by stage, works again and answers. A worker is held while working only, so a replica is an M/G/c
 * queue whose service time is S = Σ_r work_r / (grant_r (1 − interference_r)). Visits beyond `queueLimit` are refused;
 * when a request's client has given up, its waiting visits are thrown away; a failed call fails its caller.
 *
 * All chance of a request is drawn when it arrives, each type of request and each surge from a stream of its own: two
 * runs of one seed that differ in their anomalies or grants see the same requests with the same work.
 *
 * Spans are as a proxy beside each replica would measure them: network delays of a replica are inside its spans, the hops
 * between proxies are not.
 *
 * @example
 * const simulator = new MicroserviceSimulator(core, createPreset(core, 'hotel-reservation'), { seed: 7 })
 * simulator.run(10, (trace) => console.log(trace.size, 'spans'))
 * simulator.collect().requests[0] // arrivals, latencies, …
 */
export class MicroserviceSimulator {
  readonly graph: ServiceGraph
  readonly campaign: Campaign
  /** Strings behind the numbers in its traces. */
  readonly names: Names
  readonly #core: AnyCore
  readonly #plans: readonly Plan[]
  /** Types of requests come first, then surges. */
  readonly #sources: ArrivalSource[]
  readonly #fleet: Fleet
  readonly #heap = new EventHeap()
  readonly #pool = new pool.RequestPool()
  readonly #tally: RequestTally
  readonly #traceNames: TraceNames
  readonly #fingerprint: number
  readonly #hopUs: number
  #suppressed: ReadonlySet<number> = new Set()
  #nowUs = 0
  #collectedUs = 0
  #requests = 0
  #onTrace: ((trace: Trace) => void) | undefined

  /** @throws {ConfigError} `config_invalid` with every problem of graph, campaign or nodes; `nodes_full` */
  constructor(core: AnyCore, graph: ServiceGraph, options: SimulatorOptions = {}) {
    const { campaign = { name: 'none', anomalies: [] }, nodes = [], seed = 0, names = new Names() } = options
    checkGraph(graph)
    checkCampaign(campaign, graph)
    checkNodes(nodes)
    this.#core = core
    this.graph = graph
    this.campaign = campaign
    this.names = names
    this.#hopUs = graph.hopMs * 1000
    this.#fingerprint = fingerprintOf(JSON.stringify([graph, campaign, nodes]))
    const plans = graph.requests.map((request) => compile(graph, request))
    const loads = usualLoads(graph, plans)
    this.#plans = [...plans, ...loads.map(({ work }, service) => directPlan(graph, service, work))]
    this.#tally = new RequestTally(plans.map(({ name }) => name))
    this.#sources = [
      ...graph.requests.map(
        ({ ratePerSecond }, plan) => new ArrivalSource({ plan, ratePerSecond, random: new Random(core, seed) }),
      ),
      ...surgesOf(graph, loads, campaign).map(
        (surge) => new ArrivalSource({ ...surge, random: new Random(core, seed) }),
      ),
    ]
    this.#fleet = new Fleet(graph, names, nodes)
    this.#traceNames = {
      names,
      service: Int32Array.from(graph.services, ({ name }) => names.number(name)),
      operation: this.#plans.map(({ operation }) => Int32Array.from(operation, (name) => names.number(name))),
      instance: this.#fleet.names,
    }
    this.reset(seed)
  }

  /** Starts over, empty, at second 0. */
  reset(seed: number): void {
    this.#nowUs = 0
    this.#collectedUs = 0
    this.#requests = 0
    this.#heap.clear()
    this.#pool.clear()
    this.#tally.clear()
    this.#fleet.reset()
    for (const [index, source] of this.#sources.entries()) {
      source.reset(seed)
      this.#heap.push(source.nextUs, REQUEST, index)
    }
    for (const { startSeconds, durationSeconds } of this.campaign.anomalies) {
      this.#heap.push(startSeconds * 1e6, CHANGED, 0)
      this.#heap.push((startSeconds + durationSeconds) * 1e6, CHANGED, 0)
    }
    this.#disturb()
  }

  /** Simulated time. */
  get nowSeconds(): number {
    return this.#nowUs / 1e6
  }

  /** Requests that arrived and have not ended wholly. */
  get inFlight(): number {
    return this.#pool.inFlight
  }

  /** Replicas of all services by number, those that left included; what `setGrant` takes and telemetry lists. */
  get instances(): readonly Pick<Instance, 'name' | 'service' | 'replica' | 'state'>[] {
    return this.#fleet.instances
  }

  /**
   * Lives on until a moment, that moment included.
   * @param onTrace  gets the trace of each request when all of it has ended; without it no traces are made
   */
  run(untilSecond: number, onTrace?: (trace: Trace) => void): void {
    const untilUs = untilSecond * 1e6
    const heap = this.#heap
    this.#onTrace = onTrace
    while (heap.earliest <= untilUs) {
      heap.pop()
      this.#nowUs = heap.time
      const { kind, subject } = heap
      if (kind === ARRIVED) this.#arrive(subject)
      else if (kind === WORKED) this.#endWork(subject)
      else if (kind === RETURNED) this.#takeResponse(subject)
      else if (kind === ANSWERED) this.#end(subject)
      else if (kind === REQUEST) this.#receive(subject)
      else if (kind === READY) this.#fleet.serve(subject)
      else this.#disturb()
    }
    this.#nowUs = Math.max(this.#nowUs, untilUs)
  }

  /** What happened since the last collection; counting starts anew. */
  collect(): GraphTelemetry {
    const span = { fromSecond: this.#collectedUs / 1e6, toSecond: this.#nowUs / 1e6 }
    const requests = this.#tally.telemetry()
    const instances = this.#fleet.instances.map((instance) => {
      instance.settle(this.#nowUs)
      const told = instanceTelemetry(this.#core.math, instance, this.graph.services[instance.service]!.name, span)
      instance.startTally(this.#nowUs)
      return told
    })
    this.#tally.clear()
    this.#collectedUs = this.#nowUs
    return { ...span, requests, instances }
  }

  /**
   * The most that a replica can be granted on its machine, others having what they have.
   * @throws {ConfigError} `instance_unknown`
   */
  mostGrant(instance: number): ResourceVector {
    return vectorOf(this.#fleet.room.most(this.#instance(instance)))
  }

  /**
   * Other limits for a replica, for all work that begins from now on.
   * @throws {ConfigError} `config_invalid`, `instance_unknown`; `node_full`: more of something than `mostGrant`
   */
  setGrant(instance: number, grant: ResourceVector): void {
    const found = this.#instance(instance)
    const most = this.mostGrant(instance)
    for (const resource of RESOURCES) {
      const value = grant[resource]
      if (!(Number.isFinite(value) && value > 0))
        throw new ConfigError('config_invalid', `grant.${resource} must be above 0, got ${value}`)
      if (value > most[resource] && value > found.grant[RESOURCES.indexOf(resource)]!)
        throw new ConfigError(
          'node_full',
          `${found.name} can be granted ${most[resource]} of ${resource} at most, got ${value}: scale out in its place`,
        )
    }
    found.grant = numbersOf(grant)
  }

  /**
   * Another share of the visits to a service: a replica gets its weight over that of all that serve. 1 as they start; where all
   * weigh 0, as if all were alike.
   * @throws {ConfigError} `config_invalid`, `instance_unknown`
   */
  setWeight(instance: number, weight: number): void {
    const found = this.#instance(instance)
    if (!(Number.isFinite(weight) && weight >= 0))
      throw new ConfigError('config_invalid', `${found.name} needs a weight >= 0, got ${weight}`)
    found.weight = weight
  }

  /**
   * Takes a replica out: it gets no more visits and finishes what it has.
   * @throws {ConfigError} `instance_unknown`, `instance_not_serving`, `instance_needed` (nobody else serves)
   */
  drain(instance: number): void {
    this.#instance(instance)
    this.#fleet.drain(instance)
  }

  /**
   * Starts a replica in place of another, which leaves when the new one serves after `startSeconds`. What acts on the old one stays
   * with it; what strikes its place later strikes the new one. Does nothing where one is starting already.
   * @throws {ConfigError} `instance_unknown`, `instance_not_serving`, `nodes_full`
   */
  replace(instance: number, startSeconds: number = COLD_START_SECONDS): void {
    this.#instance(instance)
    const next = this.#fleet.replace(instance, this.#nowUs)
    if (next < 0) return
    this.#heap.push(this.#nowUs + startSeconds * 1e6, READY, next)
    this.#disturb()
  }

  /**
   * Another number of replicas. New ones are built as the first and serve after `startSeconds`; of those to go, starting
   * ones go first, then the newest; they finish what they have.
   * @throws {ConfigError} `config_invalid`, `service_unknown`, `nodes_full`; nothing changed
   */
  scale(service: string, replicas: number, startSeconds: number = COLD_START_SECONDS): void {
    const number = serviceNumber(this.graph, service)
    if (!(Number.isInteger(replicas) && replicas > 0))
      throw new ConfigError('config_invalid', `${service} needs a whole number of replicas above 0, got ${replicas}`)
    for (const index of this.#fleet.scale(number, replicas, this.#nowUs))
      this.#heap.push(this.#nowUs + startSeconds * 1e6, READY, index)
    this.#disturb()
  }

  /**
   * Another rate of a type of requests from now on.
   * @throws {ConfigError} `config_invalid`, `request_unknown`
   */
  setRate(request: string, ratePerSecond: number): void {
    const type = this.graph.requests.findIndex(({ name }) => name === request)
    if (type < 0) {
      const known = this.graph.requests.map(({ name }) => name).join(', ')
      throw new ConfigError('request_unknown', `${this.graph.name} has no request ${request}; it has ${known}`)
    }
    if (!(ratePerSecond >= 0 && ratePerSecond < Number.POSITIVE_INFINITY))
      throw new ConfigError('config_invalid', `${request} needs a rate >= 0, got ${ratePerSecond}`)
    this.#sources[type]!.setRate(ratePerSecond, this.#nowUs)
    this.#heap.push(this.#sources[type]!.nextUs, REQUEST, type)
  }

  /**
   * Leaves anomalies out from now on, by their place in the campaign: what would have happened without them. Not part
   * of the saved state.
   */
  suppress(anomalies: ReadonlySet<number>): void {
    this.#suppressed = anomalies
    this.#disturb()
  }

  /** Everything that what follows depends on. */
  save(): Uint8Array {
    return packNumbers(this.#fingerprint, [
      [this.#nowUs, this.#collectedUs, this.#requests],
      this.#heap.save(),
      ...this.#sources.map((source) => source.save()),
      ...this.#tally.save(),
      ...this.#pool.save(),
      ...this.#fleet.save(),
    ])
  }

  /** @throws {FormatError} `simulator_state_invalid`: of another graph or campaign, or damaged; nothing changed */
  load(state: Bytes): void {
    const lists = unpackNumbers(this.#fingerprint, state)
    let at = 0
    const next = (): Float64Array => lists[at++]!
    const [nowUs, collectedUs, requests] = next()
    this.#nowUs = nowUs!
    this.#collectedUs = collectedUs!
    this.#requests = requests!
    this.#heap.load(next())
    for (const source of this.#sources) source.load(next())
    this.#tally.load(next)
    this.#pool.load(next)
    this.#fleet.load(next)
    this.#disturb()
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    for (const { random } of this.#sources) random.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #instance(number: number): Instance {
    const found = this.#fleet.instances[number]
    if (found) return found
    const last = this.#fleet.instances.length - 1
    throw new ConfigError('instance_unknown', `there are instances 0 … ${last}, got ${number}`)
  }

  /** A request comes: all its chance is drawn now. */
  #receive(index: number): void {
    const source = this.#sources[index]!
    if (source.nextUs !== this.#nowUs) return // of before a change of rate
    const isReal = source.isReal(this.#core.math, this.#nowUs)
    if (isReal && !this.#isSuppressed(source)) this.#start(source)
    source.schedule(this.#nowUs)
    this.#heap.push(source.nextUs, REQUEST, index)
  }

  #start({ plan: type, random, replica }: ArrivalSource): void {
    const plan = this.#plans[type]!
    const { services } = this.graph
    const request = this.#pool.take(plan, type, this.#requests++, this.#nowUs + plan.timeoutUs)
    const first = this.#pool.first[request]!
    const { phase, factor, choice, noise } = this.#pool
    for (let visit = 0; visit < plan.size; visit++) {
      const parent = plan.parent[visit]!
      if (parent >= 0 && phase[first + parent] === pool.LEFT_OUT) continue
      const probability = plan.probability[visit]!
      if (probability < 1 && random.uniform() >= probability) continue
      const { variability } = services[plan.service[visit]!]!
      phase[first + visit] = pool.PLANNED
      factor[first + visit] = variability > 0 ? random.gamma(1 / variability) * variability : 1
      choice[first + visit] = random.uniform()
      noise[first + visit] = random.normal()
    }
    const there = replica < 0 ? -1 : this.#fleet.inSlot(plan.service[0]!, replica)
    if (there >= 0) choice[first] = -1 - there
    if (type < this.graph.requests.length) this.#tally.arrived(type)
    this.#pool.open[request] = 1
    phase[first] = pool.BEFORE_CALLS
    this.#arrive(first)
  }

  #arrive(row: number): void {
    const { request, first, type, choice, instance, startUs } = this.#pool
    const owner = request[row]!
    const service = this.#plans[type[owner]!]!.service[row - first[owner]!]!
    const index = choice[row]! < 0 ? -1 - choice[row]! : this.#fleet.pick(service, choice[row]!)
    const found = this.#fleet.instances[index]!
    instance[row] = index
    startUs[row] = this.#nowUs
    found.open++
    found.tally.arrivals++
    if (type[owner]! < found.mix.length) found.mix[type[owner]!]!++
    if (found.busy >= found.workers && found.waiting >= found.queueLimit) {
      found.tally.refused++
      this.#fail(row, pool.REFUSED)
    } else this.#queue(row, found)
  }

  #queue(row: number, instance: Instance): void {
    this.#pool.queuedUs[row] = this.#nowUs
    if (instance.busy < instance.workers) {
      instance.settle(this.#nowUs)
      this.#beginWork(row, instance)
    } else {
      instance.settle(this.#nowUs)
      instance.push(row)
    }
  }

  #beginWork(row: number, instance: Instance): void {
    const { request, first, type, phase, factor, queuedUs } = this.#pool
    const owner = request[row]!
    const plan = this.#plans[type[owner]!]!
    const visit = row - first[owner]!
    const after = plan.after[visit]!
    const amount = factor[row]! * (phase[row] === pool.AFTER_CALLS ? after : 1 - after)
    const work = visit * RESOURCE_COUNT
    instance.busy++
    instance.tally.waitUs += this.#nowUs - queuedUs[row]!
    instance.tally.begun++
    for (let r = 0; r < RESOURCE_COUNT; r++) instance.used[r]! += amount * plan.work[work + r]!
    const serviceUs = amount * instance.serviceUs(this.#core.math, plan.work, work, this.#nowUs)
    this.#heap.push(this.#nowUs + serviceUs, WORKED, row)
  }

  #endWork(row: number): void {
    const instance = this.#fleet.instances[this.#pool.instance[row]!]!
    instance.settle(this.#nowUs)
    instance.busy--
    while (instance.waiting > 0 && instance.busy < instance.workers) {
      const waiter = instance.shift()
      if (this.#isLate(waiter)) {
        instance.tally.expired++
        this.#fail(waiter, pool.EXPIRED)
      } else this.#beginWork(waiter, instance)
    }
    if (this.#pool.phase[row] === pool.AFTER_CALLS) this.#answer(row)
    else this.#call(row)
  }

  #isLate(row: number): boolean {
    return this.#nowUs > this.#pool.deadlineUs[this.#pool.request[row]!]!
  }

  /** Makes the calls of the next stage that has any; after the last one, the rest of the work. */
  #call(row: number): void {
    const { request, first, type, phase, cursor, pending, failed, open, noise } = this.#pool
    const owner = request[row]!
    const base = first[owner]!
    const plan = this.#plans[type[owner]!]!
    const instance = this.#fleet.instances[this.#pool.instance[row]!]!
    const visit = row - base
    const from = plan.firstChild[visit]!
    const end = plan.firstChild[visit + 1]! - from
    phase[row] = pool.CALLING
    while (cursor[row]! < end && failed[row] === 0) {
      if (this.#isLate(row)) {
        failed[row] = pool.EXPIRED
        break
      }
      const stage = plan.stage[from + cursor[row]!]!
      for (; cursor[row]! < end && plan.stage[from + cursor[row]!] === stage; cursor[row]!++) {
        const child = plan.children[from + cursor[row]!]!
        if (phase[base + child] !== pool.PLANNED) continue
        phase[base + child] = pool.BEFORE_CALLS
        open[owner]!++
        if (plan.background[child] === 0) pending[row]!++
        const delayUs = instance.delayUs(this.#core.math, noise[base + child]!, this.#nowUs)
        this.#heap.push(this.#nowUs + delayUs + this.#hopUs, ARRIVED, base + child)
      }
      if (pending[row]! > 0) return
    }
    if (failed[row] !== 0 || plan.after[visit] === 0) this.#answer(row)
    else {
      phase[row] = pool.AFTER_CALLS
      this.#queue(row, instance)
    }
  }

  #takeResponse(row: number): void {
    const { request, first, type, pending, failed } = this.#pool
    const owner = request[row]!
    const caller = first[owner]! + this.#plans[type[owner]!]!.parent[row - first[owner]!]!
    if (failed[caller] === 0) failed[caller] = failed[row]!
    if (--pending[caller]! === 0) this.#call(caller)
  }

  #fail(row: number, why: number): void {
    this.#pool.failed[row] = why
    this.#answer(row)
  }

  #answer(row: number): void {
    const instance = this.#fleet.instances[this.#pool.instance[row]!]!
    const delayUs = instance.delayUs(this.#core.math, this.#pool.noise[row]!, this.#nowUs)
    if (delayUs > 0) this.#heap.push(this.#nowUs + delayUs, ANSWERED, row)
    else this.#end(row)
  }

  #end(row: number): void {
    const { request, first, type, phase, failed, open, startUs, endUs } = this.#pool
    const owner = request[row]!
    const plan = this.#plans[type[owner]!]!
    const visit = row - first[owner]!
    const latencyUs = this.#nowUs - startUs[row]!
    const instance = this.#fleet.instances[this.#pool.instance[row]!]!
    const { tally } = instance
    phase[row] = pool.ENDED
    endUs[row] = this.#nowUs
    instance.open--
    tally.ended++
    tally.sojournUs += latencyUs
    if (failed[row] === 0) tally.served++
    if (visit === 0) {
      if (type[owner]! < this.graph.requests.length)
        this.#tally.ended(type[owner]!, latencyUs, plan.timeoutUs, failed[row]!)
    } else if (plan.background[visit] === 0) this.#heap.push(this.#nowUs + this.#hopUs, RETURNED, row)
    if (--open[owner]! > 0) return
    this.#onTrace?.(new SimulatedTrace(this.#pool, owner, plan, this.#fleet.instances, this.#traceNames))
    this.#pool.give(owner, plan)
  }

  #isSuppressed({ index }: ArrivalSource): boolean {
    return index >= 0 && this.#suppressed.has(index)
  }

  /** Tells every replica what acts on it now. */
  #disturb(): void {
    const second = this.#nowUs / 1e6
    const active = this.campaign.anomalies.filter(
      ({ kind, startSeconds, durationSeconds }, index) =>
        kind !== 'workload' &&
        startSeconds <= second &&
        second < startSeconds + durationSeconds &&
        !this.#suppressed.has(index),
    )
    this.#fleet.disturb(active)
  }
}
