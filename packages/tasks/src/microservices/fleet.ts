import type { Names } from '@trimtab/trace'
import type { Anomaly } from './anomaly.js'
import type { ServiceGraph } from './graph.js'
import { Instance } from './instance.js'

/** The replicas of all services: which there are, which serve, and what acts on them. */
export class Fleet {
  /** Those that left included; an instance keeps its number. */
  readonly instances: Instance[] = []
  /** [instances] of the reading's names. */
  readonly names: number[] = []
  /** [S] numbers of the instances that take visits. */
  #serving: number[][] = []
  readonly #graph: ServiceGraph
  readonly #names: Names

  constructor(graph: ServiceGraph, names: Names) {
    this.#graph = graph
    this.#names = names
  }

  /** As the graph has it, everything idle. */
  reset(): void {
    this.instances.length = 0
    this.#serving = this.#graph.services.map(({ replicas }, service) =>
      Array.from({ length: replicas }, () => this.#add(service, 0)),
    )
  }

  /** The instance that a visit goes to. @param choice  0…1 */
  pick(service: number, choice: number): number {
    const serving = this.#serving[service]!
    return serving[Math.floor(choice * serving.length)]!
  }

  find(service: number, replica: number): number {
    return this.instances.findIndex((one) => one.service === service && one.replica === replica)
  }

  /** @returns those that are starting now */
  scale(service: number, replicas: number, nowUs: number): number[] {
    const serving = this.#serving[service]!
    const starting = this.instances.flatMap((one, index) =>
      one.service === service && one.state === 'starting' ? [index] : [],
    )
    const change = replicas - serving.length - starting.length
    for (let count = change; count < 0; count++) this.instances[starting.pop() ?? serving.pop()!]!.state = 'leaving'
    return Array.from({ length: Math.max(0, change) }, () => {
      const index = this.#add(service, nowUs)
      this.instances[index]!.state = 'starting'
      return index
    })
  }

  /** A starting instance serves from now on, unless it was scaled in before. */
  serve(index: number): void {
    const instance = this.instances[index]!
    if (instance.state !== 'starting') return
    instance.state = 'serving'
    this.#serving[instance.service]!.push(index)
  }

  /** What acts on whom from now on. */
  disturb(anomalies: readonly Anomaly[]): void {
    for (const instance of this.instances) {
      const { name } = this.#graph.services[instance.service]!
      instance.disturb(
        anomalies.filter(
          ({ target }) =>
            'service' in target && target.service === name && (target.replica ?? instance.replica) === instance.replica,
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
    for (const service of services) this.instances[this.#add(service, 0)]!.load(next())
  }

  #add(service: number, nowUs: number): number {
    const replica = this.instances.filter((one) => one.service === service).length
    const instance = new Instance(this.#graph.services[service]!, service, replica, this.#graph.requests.length)
    instance.startTally(nowUs)
    const index = this.instances.push(instance) - 1
    this.names[index] = this.#names.number(instance.name)
    return index
  }
}
