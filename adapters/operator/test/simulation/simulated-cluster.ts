// A cluster in which simulated hours pass: the API server is the stand-in, the application is simulated, Prometheus is real.
import type { Core } from '@trimtab/core'
import {
  DEPLOYMENTS,
  MULTIDIM_POD_AUTOSCALERS,
  type MultidimPodAutoscaler,
  type WorkloadObject,
} from '@trimtab/kubernetes'
import { PrometheusClient } from '@trimtab/prometheus'
import { allocationDollars, DEFAULT_PRICES } from '@trimtab/tasks/autoscaling'
import { fakeClock } from '../../../kubernetes/test/fake-clock.js'
import type { RealPrometheus } from '../../../prometheus/test/real-prometheus.js'
import { remoteWrite } from '../../../prometheus/test/remote-write.js'
import { type OperatorContext, Recommender, Updater } from '../../src/index.js'
import { openCluster, openContext, quietOf, type TestCluster } from '../cluster.js'
import { SimulatedService } from './simulated-service.js'

export const STEP_SECONDS = 15
export const STEPS_PER_HOUR: number = 3600 / STEP_SECONDS
export const REF = { namespace: 'default', name: 'web' }

/** What a stretch of time came to, by what was really served. */
export interface Record {
  readonly dollarsPerHour: number
  readonly violationPercent: number
}

export interface SimulatedClusterOptions {
  readonly core: Core
  readonly prometheus: RealPrometheus
  readonly seed: number
  /** Of the load, at which it begins. */
  readonly second: number
  /** Simulated time that is to pass: it ends before now, as Prometheus refuses the future. */
  readonly hours: number
  readonly spec: Omit<MultidimPodAutoscaler['spec'], 'scaleTargetRef' | 'slo' | 'load'>
}

/** One Deployment under one autoscaler; each step is a period of the operator. */
export class SimulatedCluster {
  readonly cluster: TestCluster
  readonly service: SimulatedService
  readonly context: OperatorContext
  readonly #prometheus: RealPrometheus
  readonly #client: PrometheusClient
  readonly #recommender: Recommender
  readonly #updater: Updater
  readonly #advance: (milliseconds: number) => void
  readonly #signal = new AbortController().signal

  private constructor(
    parts: { readonly cluster: TestCluster; readonly service: SimulatedService; readonly context: OperatorContext },
    { core, prometheus }: SimulatedClusterOptions,
    advance: (milliseconds: number) => void,
  ) {
    const { clock } = parts.context
    this.cluster = parts.cluster
    this.service = parts.service
    this.context = parts.context
    this.#prometheus = prometheus
    this.#advance = advance
    this.#client = new PrometheusClient({ url: prometheus.url })
    const queries = { timeSeconds: () => clock.now() / 1000 }
    this.#recommender = new Recommender(this.context, {
      core,
      prometheus: this.#client,
      periodSeconds: STEP_SECONDS,
      queries,
    })
    this.#updater = new Updater(this.context, { identity: 'a' })
  }

  static async open(options: SimulatedClusterOptions): Promise<SimulatedCluster> {
    const { core, seed, second, hours, spec } = options
    const { clock, advance } = fakeClock(Math.floor(Date.now() / 1000) * 1000 - hours * 3_600_000 - 600_000)
    const service = new SimulatedService(core, { app: 'web', seed, second })
    const cluster = await openCluster({
      clock,
      podUsage: (pod) => service.use(pod),
      startUpMs: 20_000,
      shutDownMs: 1000,
      resizeMs: 1000,
    })
    const { replicas, memoryMiBPerReplica } = service.simulator.allocation
    const requests = { cpu: '1', memory: `${Math.ceil(memoryMiBPerReplica)}Mi` }
    await cluster.client.create(DEPLOYMENTS, web(replicas, requests))
    const object = { metadata: REF, spec: { scaleTargetRef: { name: 'web' }, ...objectiveOf(service), ...spec } }
    await cluster.client.create(MULTIDIM_POD_AUTOSCALERS, object)
    const simulated = new SimulatedCluster({ cluster, service, context: await openContext(cluster) }, options, advance)
    await simulated.#pass(30) // the pods are ready
    return simulated
  }

  /** Lives through so many steps. */
  async run(steps: number): Promise<Record> {
    const { allocation, truth } = this.service.simulator
    let [dollars, violations] = [0, 0]
    for (let step = 0; step < steps; step++) {
      await this.#pass(STEP_SECONDS)
      await this.service.step(this.cluster.standIn)
      await remoteWrite(this.#prometheus.url, this.service.samples(this.context.clock.now()))
      await this.#recommender.step(this.#signal)
      await quietOf(this.cluster, this.context)
      await this.#updater.step(this.#signal)
      dollars += allocationDollars(DEFAULT_PRICES, allocation)
      if (truth.violated) violations++
    }
    return { dollarsPerHour: dollars / steps, violationPercent: (100 * violations) / steps }
  }

  autoscaler(): Promise<MultidimPodAutoscaler> {
    return this.cluster.client.get(MULTIDIM_POD_AUTOSCALERS, REF)
  }

  act(): Promise<MultidimPodAutoscaler> {
    return this.cluster.client.merge(MULTIDIM_POD_AUTOSCALERS, REF, { spec: { mode: 'act' } })
  }

  /** Writes of the operator so far: `patch deployments/scale`. */
  writes(): string[] {
    return this.cluster.standIn.seen
      .filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb))
      .map(({ verb, plural, subresource }) => `${verb} ${[plural, subresource].filter(Boolean).join('/')}`)
  }

  dispose(): void {
    this.#recommender.dispose()
    this.#client.dispose()
  }

  async #pass(seconds: number): Promise<void> {
    this.#advance(seconds * 1000)
    await quietOf(this.cluster, this.context)
  }
}

/** What is asked of a simulated service: its own SLO, measured as it is exported. */
export const objectiveOf = ({ simulator }: SimulatedService): Pick<MultidimPodAutoscaler['spec'], 'slo' | 'load'> => ({
  slo: { latency: { p99Ms: Math.round(simulator.sloMs), query: 'max(http_request_duration_p99_seconds{app="web"})' } },
  load: { query: 'sum(irate(http_requests_total{app="web"}[1m]))' },
})

/** Its Deployment. */
export function web(replicas: number, requests: { readonly cpu: string; readonly memory: string }): WorkloadObject {
  const labels = { app: 'web' }
  const containers = [{ name: 'main', image: 'web:1', resources: { requests } }]
  return {
    metadata: REF,
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  }
}
