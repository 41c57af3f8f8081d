// One workload, its autoscaler, and an updater that makes its passes when a test says so; what is recommended is the test's to say.
import {
  DEPLOYMENTS,
  MULTIDIM_POD_AUTOSCALERS,
  type MultidimPodAutoscaler,
  PODS,
  type PodObject,
  type WorkloadObject,
} from '@trimtab/kubernetes'
import { expect } from 'vitest'
import { fakeClock } from '../../kubernetes/test/fake-clock.js'
import { during } from '../../kubernetes/test/opened.js'
import type { StandInOptions } from '../../kubernetes/test/stand-in/index.js'
import { type AdmissionServer, type OperatorContext, Updater, type UpdaterOptions } from '../src/index.js'
import { autoscalerOf, EVENTS, openCluster, openContext, quietOf, type TestCluster } from './cluster.js'
import { openWebhook } from './webhook.js'

export const REF = { namespace: 'default', name: 'web' }
export const START_UP_MS = 5000

/** Whole seconds of the clock of this machine, by which TLS goes. */
export const nowMs = (): number => Math.floor(Date.now() / 1000) * 1000

export interface Recommendation {
  readonly replicas?: number
  readonly cpu?: string
  readonly memory?: string
  /** Of the policy; without one the rule decides. */
  readonly stage?: 'online' | 'serving'
}

interface SceneOptions extends StandInOptions {
  readonly replicas?: number
  readonly spec?: Partial<MultidimPodAutoscaler['spec']>
  readonly updater?: Partial<UpdaterOptions>
  /** Default: a Monday, at noon. */
  readonly startMs?: number
}

/** Three pods of 100m and 128Mi, limited to twice as much. */
export function web(replicas: number): WorkloadObject {
  const labels = { app: 'web' }
  const resources = { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '200m', memory: '256Mi' } }
  const spec = { containers: [{ name: 'main', image: 'web:1', resources }], terminationGracePeriodSeconds: 1 }
  return {
    metadata: REF,
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  }
}

export class Scene {
  readonly cluster: TestCluster
  readonly context: OperatorContext
  updater: Updater
  readonly #advance: (milliseconds: number) => void
  /** What the clocks of the recommender and the server are ahead of the updater's. */
  readonly #skewMs: number
  #webhook: AdmissionServer | undefined

  constructor(
    cluster: TestCluster,
    context: OperatorContext,
    advance: (ms: number) => void,
    options: SceneOptions,
    skewMs: number,
  ) {
    this.cluster = cluster
    this.context = context
    this.updater = new Updater(context, { identity: 'a', ...options.updater })
    this.#advance = advance
    this.#skewMs = skewMs
  }

  get client() {
    return this.cluster.client
  }

  get store() {
    return this.cluster.standIn.registry.store
  }

  /** Another leader from now on. */
  succeededBy(updater: Updater): this {
    this.updater = updater
    return this
  }

  /** As the recommender writes it: a new decision about the present spec. */
  async recommend({ replicas, cpu, memory, stage }: Recommendation, ready: 'True' | 'False' = 'True'): Promise<void> {
    const time = new Date(this.context.clock.now() + this.#skewMs).toISOString()
    const { generation } = (await this.autoscaler()).metadata!
    const condition = { type: 'Ready', status: ready, reason: 'Said', message: 'as said', lastTransitionTime: time }
    const status = {
      observedGeneration: generation!,
      ...(stage === undefined ? {} : { stage }),
      ...(replicas === undefined ? {} : { replicas: { current: replicas, wanted: replicas } }),
      containers: [{ name: 'main', ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) }],
      lastDecisionTime: time,
      conditions: [condition],
    }
    const object = { metadata: REF, status } as unknown as MultidimPodAutoscaler
    const options = { subresource: 'status', fieldManager: 'trimtab-recommender', force: true }
    await this.client.apply(MULTIDIM_POD_AUTOSCALERS, object, options)
  }

  /** The webhook serves and sizes new pods; `elapse` renews its lease. */
  async serveWebhook(): Promise<void> {
    this.#webhook = await openWebhook(this.cluster, this.context)
    during((signal) => this.updater.webhook.run(signal))
    await expect.poll(() => this.updater.webhook.outage).toMatch('since we look')
    await this.elapse(5)
    await expect.poll(() => this.updater.webhook.outage).toBeUndefined()
  }

  /** It serves no longer: new pods come as they are. */
  async stopWebhook(): Promise<void> {
    await this.#webhook?.close()
    this.#webhook = undefined
  }

  /** Passes with a new decision before each, `seconds` apart. */
  async passes(count: number, recommendation: Recommendation, seconds = 15): Promise<void> {
    for (let pass = 0; pass < count; pass++) {
      await this.elapse(seconds)
      await this.recommend(recommendation)
      await this.pass()
    }
  }

  /** Time goes by; what it brings about is over when this returns. */
  async elapse(seconds: number): Promise<void> {
    this.#advance(seconds * 1000)
    await this.#webhook?.step(new AbortController().signal)
    await this.quiet()
  }

  /** One pass of the updater, on what is now in the cluster. */
  async pass(signal: AbortSignal = new AbortController().signal): Promise<void> {
    await this.quiet()
    await this.updater.step(signal)
    await this.quiet()
  }

  /** Controllers have nothing left to do, and the operator has heard of it. */
  quiet(): Promise<void> {
    return quietOf(this.cluster, this.context)
  }

  autoscaler(): Promise<MultidimPodAutoscaler> {
    return this.client.get(MULTIDIM_POD_AUTOSCALERS, REF)
  }

  async replicas(): Promise<number> {
    return (await this.client.getScale(DEPLOYMENTS, REF)).spec!.replicas!
  }

  /** Those that are not going. */
  async pods(): Promise<PodObject[]> {
    const { items } = await this.client.list(PODS, { namespace: 'default' })
    return items.filter(({ metadata }) => !metadata?.deletionTimestamp)
  }

  /** What each pod requests: `100m 128Mi`. */
  async requests(): Promise<string[]> {
    return (await this.pods()).map(({ spec }) => Object.values(spec!.containers[0]!.resources!.requests!).join(' '))
  }

  /** The condition `Acting`: its status and reason. */
  async acting(): Promise<string> {
    const { conditions = [] } = (await this.autoscaler()).status ?? {}
    const { status, reason } = conditions.find(({ type }) => type === 'Acting') ?? { status: '', reason: '' }
    return `${status} ${reason}`
  }

  async message(): Promise<string> {
    const { conditions = [] } = (await this.autoscaler()).status ?? {}
    return conditions.find(({ type }) => type === 'Acting')?.message ?? ''
  }

  /** Reasons of events, in the order of their first time. */
  async events(): Promise<string[]> {
    const { items } = await this.client.list(EVENTS)
    return [...items].sort((a, b) => a.firstTimestamp.localeCompare(b.firstTimestamp)).map(({ reason }) => reason)
  }

  /** Requests of the operator since, that changed something: `update deployments/scale`. */
  writes(): string[] {
    return this.cluster.standIn.seen
      .filter(({ verb }) => ['create', 'update', 'patch', 'delete'].includes(verb))
      .map(({ verb, plural, subresource }) => `${verb} ${plural}${subresource ? `/${subresource}` : ''}`)
  }
}

/** @param skewMs  what other clocks are ahead of the updater's */
export async function openScene(options: SceneOptions = {}, skewMs = 0): Promise<Scene> {
  const { replicas = 3, spec = {}, updater: _, startMs = Date.UTC(2026, 0, 5, 12), ...standIn } = options
  const { clock, advance } = fakeClock(startMs)
  const cluster = await openCluster({ clock, startUpMs: START_UP_MS, shutDownMs: 1000, resizeMs: 1000, ...standIn })
  await cluster.client.create(DEPLOYMENTS, web(replicas))
  await cluster.client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('web', { mode: 'act', ...spec }))
  const context = await openContext(cluster, { now: () => clock.now() - skewMs })
  const scene = new Scene(cluster, context, advance, options, skewMs)
  await scene.quiet()
  await scene.elapse(60) // the pods are ready
  return scene
}
