import type { CoreMath } from '@trimtab/core'
import { type Anomaly, levelAt, RESOURCE_OF, STRONGEST } from './anomaly.js'
import { instanceName, type Service } from './graph.js'
import { numbersOf, RESOURCE_COUNT, RESOURCES } from './resources.js'

/** Where an instance is in its life. */
export type InstanceState = 'starting' | 'serving' | 'leaving'

/** What an instance counted since its telemetry was last collected. */
export interface Tally {
  arrivals: number
  ended: number
  /** Of those that ended, without failure. */
  served: number
  refused: number
  expired: number
  /** Times that a worker took up a visit, and how long that had waited for it. */
  begun: number
  waitUs: number
  /** Of visits that ended, from arrival to response. */
  sojournUs: number
  /** ∫ visits waiting dt, and of workers at work. */
  waitingUs: number
  busyUs: number
}

const newTally = (): Tally => ({
  arrivals: 0,
  ended: 0,
  served: 0,
  refused: 0,
  expired: 0,
  begun: 0,
  waitUs: 0,
  sojournUs: 0,
  waitingUs: 0,
  busyUs: 0,
})

/** One replica of a service: workers, the visits that wait for them, what it is granted and what disturbs it. */
export class Instance {
  readonly service: number
  readonly replica: number
  readonly name: string
  readonly workers: number
  readonly queueLimit: number
  /** Machine, −1: none. */
  node: number
  /** When it was made. */
  bornUs: number
  /** Replica of the graph in whose place it is: what strikes that one from now on strikes it. */
  slot: number
  /** Number of the instance that leaves when it serves, −1: none. */
  replaces = -1
  /** Its share of the visits among those that serve. */
  weight = 1
  state: InstanceState = 'serving'
  busy = 0
  /** Visits that came and have not ended. */
  open = 0
  tally: Tally = newTally()
  /** [R] work done, units of each grant for a ms. */
  readonly used: Float64Array = new Float64Array(RESOURCE_COUNT)
  /** [request types] visits that came. */
  readonly mix: Float64Array
  /** Anomalies that act on it now, and those that did since the telemetry was last collected. */
  anomalies: readonly Anomaly[] = []
  readonly recent: Set<Anomaly> = new Set()
  readonly #grant = new Float64Array(RESOURCE_COUNT)
  /** [R] µs that a worker takes for one unit of work. */
  readonly #pace = new Float64Array(RESOURCE_COUNT)
  #ring = new Int32Array(16)
  #head = 0
  #waiting = 0
  #settledUs = 0

  constructor(
    service: Service,
    number: number,
    replica: number,
    requestTypes: number,
    { node, bornUs }: Pick<Instance, 'node' | 'bornUs'>,
  ) {
    this.service = number
    this.replica = replica
    this.slot = replica
    this.node = node
    this.bornUs = bornUs
    this.name = instanceName(service.name, replica)
    this.workers = service.workers
    this.queueLimit = service.queueLimit
    this.mix = new Float64Array(requestTypes)
    this.grant = numbersOf(service.grant)
  }

  /** [R] */
  get grant(): Float64Array {
    return this.#grant
  }

  set grant(numbers: ArrayLike<number>) {
    this.#grant.set(numbers)
    this.#pace.set(paceOf(this.#grant, this.workers))
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Whether it has nothing more to do, and never will have: what it was granted is free. */
  get hasLeft(): boolean {
    return this.state === 'leaving' && this.open === 0
  }

  takesPlaceOf(index: number, slot: number): void {
    this.replaces = index
    this.slot = slot
  }

  push(visit: number): void {
    if (this.#waiting === this.#ring.length) this.#grow()
    this.#ring[(this.#head + this.#waiting++) & (this.#ring.length - 1)] = visit
  }

  shift(): number {
    const visit = this.#ring[this.#head]!
    this.#head = (this.#head + 1) & (this.#ring.length - 1)
    this.#waiting--
    return visit
  }

  /** Brings the integrals up to now; to be called before `busy` or the queue changes. */
  settle(nowUs: number): void {
    const passed = nowUs - this.#settledUs
    this.tally.waitingUs += passed * this.#waiting
    this.tally.busyUs += passed * this.busy
    this.#settledUs = nowUs
  }

  startTally(nowUs: number): void {
    this.#settledUs = nowUs
    this.tally = newTally()
    this.used.fill(0)
    this.mix.fill(0)
    this.recent.clear()
    for (const anomaly of this.anomalies) this.recent.add(anomaly)
  }

  /** Anomalies that act on it from now on. */
  disturb(anomalies: readonly Anomaly[]): void {
    this.anomalies = anomalies
    for (const anomaly of anomalies) this.recent.add(anomaly)
  }

  /**
   * µs that a worker needs for work of the five kinds: S = Σ_r work_r / (grant_r (1 − interference_r)), the grant being a
   * worker's part. Grants and anomalies count as they are when the work begins.
   * @param work  [..., R] from `at`
   */
  serviceUs(math: CoreMath, work: Float64Array, at: number, nowUs: number): number {
    let total = 0
    const isDisturbed = this.anomalies.length > 0
    for (let r = 0; r < RESOURCE_COUNT; r++) {
      const alone = work[at + r]! * this.#pace[r]!
      total += isDisturbed ? alone / (1 - this.interference01(math, r, nowUs)) : alone
    }
    return total
  }

  /** Part of a resource that stressors take; several take their parts one after the other. */
  interference01(
    math: CoreMath,
    resource: number,
    nowUs: number,
    anomalies: Iterable<Anomaly> = this.anomalies,
  ): number {
    let left = 1
    for (const anomaly of anomalies) {
      if (RESOURCE_OF[anomaly.kind] === RESOURCES[resource])
        left *= 1 - STRONGEST.interference * levelAt(math, anomaly, nowUs / 1e6)
    }
    return 1 - left
  }

  /** Delay of a packet that leaves now. @param normal  a standard normal number */
  delayUs(math: CoreMath, normal: number, nowUs: number): number {
    let total = 0
    for (const anomaly of this.anomalies) {
      if (anomaly.kind !== 'network-delay') continue
      const scale = Math.max(0, 1 + STRONGEST.delayDeviation * normal)
      total += 1000 * STRONGEST.delayMs * levelAt(math, anomaly, nowUs / 1e6) * scale
    }
    return total
  }

  /** Numbers that `load` takes; anomalies are the simulator's. */
  save(): number[] {
    const queue = Array.from(
      { length: this.#waiting },
      (_, i) => this.#ring[(this.#head + i) & (this.#ring.length - 1)]!,
    )
    const state = STATES.indexOf(this.state)
    const { node, bornUs, slot, replaces, weight, busy, open } = this
    return [
      ...[state, node, bornUs, slot, replaces, weight, busy, open],
      this.#settledUs,
      ...Object.values(this.tally),
      ...this.used,
      ...this.mix,
      ...this.#grant,
      ...queue,
    ]
  }

  load(numbers: Float64Array): void {
    let at = 0
    const next = (): number => numbers[at++]!
    this.state = STATES[next()]!
    this.node = next()
    this.bornUs = next()
    this.slot = next()
    this.replaces = next()
    this.weight = next()
    this.busy = next()
    this.open = next()
    this.#settledUs = next()
    for (const key of Object.keys(this.tally) as (keyof Tally)[]) this.tally[key] = next()
    for (let r = 0; r < RESOURCE_COUNT; r++) this.used[r] = next()
    for (let q = 0; q < this.mix.length; q++) this.mix[q] = next()
    this.grant = Array.from({ length: RESOURCE_COUNT }, next)
    this.#head = 0
    this.#waiting = 0
    while (at < numbers.length) this.push(next())
  }

  #grow(): void {
    const queue = Array.from({ length: this.#waiting }, () => this.#ring[this.#head++ & (this.#ring.length - 1)]!)
    this.#ring = new Int32Array(2 * this.#ring.length)
    this.#ring.set(queue)
    this.#head = 0
  }
}

/** [R] µs that one of the workers takes for a unit of work, with its part of the grant; a core is all the CPU it can use. */
export function paceOf(grant: ArrayLike<number>, workers: number): number[] {
  return RESOURCES.map(
    (resource, r) => (1000 * workers) / (resource === 'cpu' ? Math.min(grant[r]!, workers) : grant[r]!),
  )
}

const STATES: readonly InstanceState[] = ['starting', 'serving', 'leaving']
