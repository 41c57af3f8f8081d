import { ConfigError } from '@trimtab/core'
import type { Names } from '@trimtab/trace'
import type { Anomaly } from './anomaly.js'
import type { ServiceGraph } from './graph.js'
import { Instance } from './instance.js'
import { type Node, NodeRoom } from './nodes.js'
import { numbersOf } from './resources.js'

/** The replicas of all services: which there are, which serve, and what acts on them. */
export class Fleet {
  /** Those that left included; an instance keeps its number. */
  readonly instances: Instance[] = []
  /** [instances] of the reading's names. */
  readonly names: number[] = []
  /** [S] numbers of the instances that take visits. */
  #serving: number[][] = []
  readonly room: NodeRoom
  readonly #graph: ServiceGraph
  readonly #names: Names

  constructor(graph: ServiceGraph, names: Names, nodes: readonly Node[]) {
    this.#graph = graph
    this.#names = names
    this.room = new NodeRoom(nodes, this.instances)
  }

  /** As the graph has it, everything idle. */
  reset(): void {
    this.instances.length = 0
    this.#serving = this.#graph.services.map(({ replicas }, service) =>
      Array.from({ length: replicas }, () => this.#add(service, this.#place(service), 0)),
    )
  }

  /** The instance that a visit goes to, by weight; where all weigh nothing, any. @param choice  0…1 */
  pick(service: number, choice: number): number {
    const serving = this.#serving[service]!
    let total = 0
    for (const index of serving) total += this.instances[index]!.weight
    if (total === 0) return serving[Math.floor(choice * serving.length)]!
    let left = choice * total
    for (const index of serving) {
      const { weight } = this.instances[index]!
      if (left < weight) return index
      left -= weight
    }
    return serving.at(-1)! // rounding
  }

  /** The instance that serves in place of a replica of the graph; −1 where none does. */
  inSlot(service: number, replica: number): number {
    return this.#serving[service]!.find((index) => this.instances[index]!.slot === replica) ?? -1
  }

  /**
   * @returns those that are starting now
   * @throws {ConfigError} `nodes_full`; nothing changed
   */
  scale(service: number, replicas: number, nowUs: number): number[] {
    const starting = this.instances.flatMap((one, index) =>
      one.service === service && one.state === 'starting' && one.replaces < 0 ? [index] : [],
    )
    const change = replicas - this.#serving[service]!.length - starting.length
    for (let count = change; count < 0; count++) this.#leave(starting.pop() ?? this.#serving[service]!.at(-1)!)
    const before = this.instances.length
    try {
      return Array.from({ length: Math.max(0, change) }, () => this.#start(service, nowUs))
    } catch (full) {
      this.instances.length = before
      throw full
    }
  }

  /**
   * An instance that serves takes no more visits and finishes what it has.
   * @throws {ConfigError} `instance_needed`: nobody else serves; `instance_not_serving`
   */
  drain(index: number): void {
    const instance = this.#requireServing(index)
    if (this.#serving[instance.service]!.length === 1)
      throw new ConfigError('instance_needed', `nothing but ${instance.name} serves: replace it, or scale out first`)
    this.#leave(index)
  }

  /**
   * Starts one in place of an instance, which leaves when the new one serves.
   * @returns the one that is starting; −1 where one already is
   * @throws {ConfigError} `instance_not_serving`, `nodes_full`
   */
  replace(index: number, nowUs: number): number {
    const old = this.#requireServing(index)
    if (this.#successor(index) >= 0) return -1
    const next = this.#start(old.service, nowUs)
    this.instances[next]!.takesPlaceOf(index, old.slot)
    return next
  }

  /** A starting instance serves from now on, unless it was scaled in before. */
  serve(index: number): void {
    const instance = this.instances[index]!
    if (instance.state !== 'starting') return
    instance.state = 'serving'
    this.#serving[instance.service]!.push(index)
    if (instance.replaces >= 0) this.#leave(instance.replaces)
  }

  /** What acts on whom from now on. */
  disturb(anomalies: readonly Anomaly[]): void {
    for (const instance of this.instances) {
      const { name } = this.#graph.services[instance.service]!
      instance.disturb(
        anomalies.filter(
          ({ target, startSeconds }) =>
            'service' in target &&
            target.service === name &&
            (target.replica === undefined ||
              (target.replica === instance.slot && startSeconds * 1e6 >= instance.bornUs)),
        ),
      )
    }
  }

  save(): ArrayLike<number>[] {
    const services = this.instances.map(({ service }) => service)
    return [services, ...this.#serving, ...this.instances.map((instance) => instance.save())]
  }

  /** @param next  gives the parts of `save` in their order */
  load(next: () => Float64Array): void {
    const services = next()
    this.#serving = this.#graph.services.map(() => [...next()])
    this.instances.length = 0
    for (const service of services) this.instances[this.#add(service, -1, 0)]!.load(next())
  }

  #requireServing(index: number): Instance {
    const instance = this.instances[index]!
    if (instance.state === 'serving') return instance
    throw new ConfigError('instance_not_serving', `${instance.name} is ${instance.state}: only what serves can go`)
  }

  /** Whoever is starting in an instance's place; −1: nobody. */
  #successor(index: number): number {
    return this.instances.findIndex(({ replaces, state }) => replaces === index && state === 'starting')
  }

  #leave(index: number): void {
    const { service, state } = this.instances[index]!
    this.instances[index]!.state = 'leaving'
    if (state === 'serving') this.#serving[service] = this.#serving[service]!.filter((other) => other !== index)
    const next = this.#successor(index)
    if (next >= 0) this.instances[next]!.state = 'leaving'
  }

  #start(service: number, nowUs: number): number {
    const index = this.#add(service, this.#place(service), nowUs)
    this.instances[index]!.state = 'starting'
    return index
  }

  #place(service: number): number {
    const { grant, name } = this.#graph.services[service]!
    return this.room.place(numbersOf(grant), name)
  }

  #add(service: number, node: number, nowUs: number): number {
    const built = this.#graph.services[service]!
    const replica = this.instances.filter((one) => one.service === service).length
    const instance = new Instance(built, service, replica, this.#graph.requests.length, { node, bornUs: nowUs })
    instance.startTally(nowUs)
    const index = this.instances.push(instance) - 1
    this.names[index] = this.#names.number(instance.name)
    return index
  }
}
