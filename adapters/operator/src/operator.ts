import { sleep } from '@trimtab/control'
import type { Clock, Logger, RandomSource } from '@trimtab/core'
import {
  type ApiResource,
  type Cluster,
  discoverCapabilities,
  Informer,
  KubernetesClient,
  type KubernetesObject,
  LeaderElection,
  MULTIDIM_POD_AUTOSCALERS,
  PODS,
} from '@trimtab/kubernetes'
import type { OperatorContext } from './context.js'
import { OperatorMetrics } from './metrics.js'
import { nameOf, OPERATOR_NAMESPACE, type OperatorPart, STALE_PERIODS } from './names.js'
import type { Part } from './passes.js'
import { scalerResources } from './scalers.js'
import { type OperatorPorts, OperatorServers } from './servers.js'

/** How each part is made that is to run here: anew for each term in which this replica leads it. */
export type PartFactories = Readonly<Partial<Record<OperatorPart, (context: OperatorContext) => Part>>>

/** Which cluster, which parts, and who this replica is. */
export interface OperatorOptions {
  readonly cluster: Cluster
  readonly parts: PartFactories
  /** Unlike that of any other replica: the name of the pod. */
  readonly identity: string
  /** Where leases are kept; default `trimtab-system`. */
  readonly namespace?: string
  /** Whose autoscalers are looked after; default: all. */
  readonly watchedNamespaces?: readonly string[]
  readonly ports: OperatorPorts
  /** Of the recommender: what is three periods old is not served to others. */
  readonly periodSeconds: number
  /** Another seed for each replica. */
  readonly random: Pick<RandomSource, 'uniform'>
  /** Wall clock, ms since 1970. */
  readonly clock: Clock
  /** A lease that was not renewed for so long is free; default 15. */
  readonly leaseSeconds?: number
  readonly logger?: Logger
}

/**
 * One replica of the operator. Recommender and updater decide and act where this replica has their lease, the webhook answers on every
 * replica; all share one copy of the cluster's objects.
 *
 * @example
 * const operator = await Operator.start({ cluster: await readServiceAccount(), parts, identity, ports, … })
 * await operator.run(signal)
 */
export class Operator {
  readonly context: OperatorContext
  readonly #options: OperatorOptions
  readonly #informers: ReadonlyMap<string, Informer<KubernetesObject>>
  readonly #servers: OperatorServers

  private constructor(
    options: OperatorOptions,
    context: OperatorContext,
    informers: ReadonlyMap<string, Informer<KubernetesObject>>,
    servers: OperatorServers,
  ) {
    this.#options = options
    this.context = context
    this.#informers = informers
    this.#servers = servers
  }

  /**
   * Asks the cluster what it can, and listens.
   * @throws as every method of `KubernetesClient`; {ConfigError} `port_unusable`, `grpc_missing`
   */
  static async start(options: OperatorOptions, signal?: AbortSignal): Promise<Operator> {
    const { cluster, random, clock, logger, watchedNamespaces: namespaces, namespace = OPERATOR_NAMESPACE } = options
    let metrics: OperatorMetrics | undefined
    const client = new KubernetesClient(cluster, { random, onFailure: ({ code }) => metrics?.apiFailed(code) })
    try {
      const capabilities = await discoverCapabilities(client, { signal })
      const informers = new Map<string, Informer<KubernetesObject>>()
      const follow = <T extends KubernetesObject>(kind: ApiResource<T>): Informer<T> => {
        const informer = new Informer(client, kind, { namespaces })
        informers.set(kind.plural, informer as Informer<KubernetesObject>)
        informer.listen({ onFailure: ({ message }) => logger?.warn('the API server cannot be followed', { message }) })
        return informer
      }
      const [autoscalers, pods] = [follow(MULTIDIM_POD_AUTOSCALERS), follow(PODS)]
      const scalers = scalerResources(capabilities).map(follow)
      metrics = new OperatorMetrics(autoscalers)
      const context = {
        ...{ client, capabilities, autoscalers, pods, scalers, clock, namespace, metrics },
        ...(logger !== undefined && { logger }),
      }
      const maxAgeMs = STALE_PERIODS * 1000 * options.periodSeconds
      const asked = { context, unready: () => missing(informers), maxAgeMs }
      return new Operator(options, context, informers, await OperatorServers.open(options.ports, asked))
    } catch (error) {
      client.close()
      throw error
    }
  }

  /** Where it listens. */
  get ports(): OperatorPorts {
    return this.#servers.ports
  }

  /** Works until `signal` is aborted: then what is in hand is finished, leases are given back, and nothing is left open. */
  async run(signal: AbortSignal): Promise<void> {
    const failing = new AbortController()
    const ending = AbortSignal.any([signal, failing.signal])
    const parts = Object.entries(this.#options.parts) as [OperatorPart, (context: OperatorContext) => Part][]
    const running = [
      ...[...this.#informers.values()].map((informer) => informer.run(ending)),
      ...parts.map(([name, create]) => this.#runPart(name, create, ending)),
    ]
    try {
      await Promise.all(running)
    } finally {
      failing.abort() // one that failed takes the others with it: the process starts anew
      await Promise.allSettled(running)
      await this.#servers.close()
      this.context.client.close()
    }
  }

  async #runPart(part: OperatorPart, create: (context: OperatorContext) => Part, signal: AbortSignal): Promise<void> {
    const { client, namespace, logger, metrics } = this.context
    const { identity, leaseSeconds } = this.#options
    if (part !== 'admission') metrics?.led(part, false) // the webhook answers everywhere, and has no leader
    while (!signal.aborted && missing(this.#informers).length > 0) await sleep(20, signal)
    if (signal.aborted) return
    const work = async (term: AbortSignal): Promise<void> => {
      const made = create(this.context)
      try {
        await made.run(term)
      } finally {
        made.dispose?.()
      }
    }
    if (part !== 'recommender') return work(signal) // the webhook answers everywhere, the updater sees to its lease itself
    const lead = async (term: AbortSignal): Promise<void> => {
      logger?.info('leads', { part, identity })
      metrics?.led(part, true)
      try {
        await work(term)
      } finally {
        metrics?.led(part, false)
        logger?.info('leads no longer', { part, identity })
      }
    }
    const lease = { namespace, name: nameOf(part), identity, ...(leaseSeconds !== undefined && { leaseSeconds }) }
    await new LeaderElection(client, lease).run(lead, signal)
  }
}

/** What is not known of the cluster yet, and why. */
const missing = (informers: ReadonlyMap<string, Informer<KubernetesObject>>): string[] =>
  [...informers].flatMap(([kind, { isReady, failure }]) =>
    isReady ? [] : [`${kind} are not listed yet${failure ? `: ${failure.message}` : ''}`],
  )
