// A cluster with a recommender in it, whose time passes by `pass` alone.
import { createCore } from '@trimtab/core'
import {
  type AutoscalerStatus,
  DEPLOYMENTS,
  MULTIDIM_POD_AUTOSCALERS,
  type MultidimPodAutoscaler,
  type PodObject,
  type WorkloadObject,
} from '@trimtab/kubernetes'
import type { InstantAnswer, InstantQueryOptions } from '@trimtab/prometheus'
import { afterEach, expect } from 'vitest'
import { fakeClock } from '../../../kubernetes/test/fake-clock.js'
import type { StandInOptions } from '../../../kubernetes/test/stand-in/index.js'
import { type OperatorContext, Recommender, type RecommenderOptions } from '../../src/index.js'
import { openCluster, openContext, type TestCluster } from '../cluster.js'

export const PERIOD_SECONDS = 15
export const { signal } = new AbortController()
const core = await createCore()
const opened: Recommender[] = []
afterEach(() => {
  for (const recommender of opened.splice(0)) recommender.dispose()
})

/** What each container of a pod uses; undefined: not measured. */
export type Use = (pod: PodObject) => { readonly cpu: string; readonly memory: string } | undefined

/** Answers by the text of a query: a number, nothing, or a failure. */
export class PrometheusDouble {
  readonly answers = new Map<string, number | Error | 'slow'>()
  readonly asked: string[] = []

  async query(text: string, { timeSeconds = 0, signal }: InstantQueryOptions = {}): Promise<InstantAnswer> {
    this.asked.push(text)
    const value = this.answers.get(text)
    if (value instanceof Error) throw value
    if (value === 'slow')
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    const samples =
      value === undefined ? [] : [{ labels: {}, timeSeconds, value: Number.isFinite(value) ? value : undefined }]
    return { samples, warnings: [] }
  }
}

export interface World {
  readonly cluster: TestCluster
  readonly context: OperatorContext
  readonly recommender: Recommender
  readonly prometheus: PrometheusDouble
  use: Use
  advance(milliseconds: number): void
  /** Time passes, and a pass is made; so many times. */
  pass(times?: number): Promise<void>
  status(name?: string): Promise<AutoscalerStatus>
  /** Another replica takes over. */
  succeed(options?: Partial<RecommenderOptions>): Promise<Recommender>
}

/** @param usage  of each container of each pod, before anything is changed */
export async function openWorld(
  usage: Use,
  options: StandInOptions = {},
  more: Partial<RecommenderOptions> = {},
): Promise<World> {
  const { clock, advance } = fakeClock()
  const world = { use: usage } as { -readonly [K in keyof World]: World[K] }
  const used: StandInOptions['podUsage'] = (pod) => {
    const of = pod.status?.phase === 'Running' ? world.use(pod) : undefined
    return of && Object.fromEntries(pod.spec!.containers.map(({ name }) => [name, of]))
  }
  const cluster = await openCluster({ clock, podUsage: used, ...options })
  const context = await openContext(cluster)
  const prometheus = new PrometheusDouble()
  const open = (more: Partial<RecommenderOptions> = {}): Recommender => {
    const recommender = new Recommender(context, { core, prometheus, periodSeconds: PERIOD_SECONDS, ...more })
    opened.push(recommender)
    return recommender
  }
  const { client } = cluster
  return Object.assign(world, {
    cluster,
    context,
    prometheus,
    recommender: open(more),
    advance,
    pass: async (times = 1) => {
      for (let i = 0; i < times; i++) {
        advance(PERIOD_SECONDS * 1000)
        await world.recommender.step(signal)
      }
    },
    status: async (name = 'web') =>
      (await client.get(MULTIDIM_POD_AUTOSCALERS, { namespace: 'default', name })).status ?? {},
    succeed: async (more: Partial<RecommenderOptions> = {}) => {
      world.recommender.dispose()
      world.recommender = open(more)
      return world.recommender
    },
  })
}

/** A Deployment whose pods are ready, as the operator sees it. */
export async function deploy(
  { cluster, context, advance }: World,
  name: string,
  replicas: number,
  { cpu = '500m', memory = '256Mi', containers: names = ['main'] as readonly string[], main = 'main' } = {},
): Promise<WorkloadObject> {
  const labels = { app: name }
  const containers = names.map((of) => ({ name: of, image: 'web', resources: { requests: { cpu, memory } } }))
  const annotations = { 'kubectl.kubernetes.io/default-container': main }
  const made = await cluster.client.create(DEPLOYMENTS, {
    metadata: { namespace: 'default', name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels, annotations }, spec: { containers } },
    },
  })
  const pods = () => [...context.pods.values()].filter(({ metadata }) => metadata?.labels?.app === name)
  await expect.poll(() => pods().filter(({ spec }) => spec?.nodeName).length).toBe(replicas)
  advance(1000)
  await expect.poll(() => pods().filter(({ status }) => status?.phase === 'Running').length).toBe(replicas)
  return made
}

/** Creates or changes an autoscaler, and waits until the operator knows. */
export async function declare(
  { cluster, context }: World,
  object: MultidimPodAutoscaler,
): Promise<MultidimPodAutoscaler> {
  const made = await cluster.client.apply(MULTIDIM_POD_AUTOSCALERS, object, { force: true })
  const { namespace = '', name = '', generation = 0 } = made.metadata!
  await expect
    .poll(() => context.autoscalers.get({ namespace, name })?.metadata?.generation ?? 0)
    .toBeGreaterThanOrEqual(generation)
  return made
}

export const conditionOf = ({ conditions = [] }: AutoscalerStatus, type: string) =>
  conditions.find((condition) => condition.type === type)
