// A cluster and the operator's view of it.
import type { Clock } from '@trimtab/core'
import {
  type ApiResource,
  customResourceDefinition,
  discoverCapabilities,
  Informer,
  type KubernetesClient,
  type KubernetesObject,
  MULTIDIM_POD_AUTOSCALERS,
  type MultidimPodAutoscaler,
  NAMESPACES,
  PODS,
  resource,
} from '@trimtab/kubernetes'
import { expect } from 'vitest'
import { during, openClient, openStandIn } from '../../kubernetes/test/opened.js'
import type { StandIn, StandInOptions } from '../../kubernetes/test/stand-in/index.js'
import type { Fields } from '../../kubernetes/test/stand-in/objects.js'
import { type EventObject, OPERATOR_NAMESPACE, type OperatorContext, scalerResources } from '../src/index.js'

export const EVENTS = resource<EventObject>('v1', 'Event', 'events')
export const DEFINITIONS = resource<KubernetesObject>(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  false,
)

export interface TestCluster {
  readonly standIn: StandIn
  /** The administrator's. */
  readonly client: KubernetesClient
}

/** A stand-in that knows autoscalers. */
export async function openCluster(options: StandInOptions = {}): Promise<TestCluster> {
  const standIn = await openStandIn(options)
  const client = await openClient(standIn)
  await client.create(DEFINITIONS, customResourceDefinition() as KubernetesObject)
  await client.create(NAMESPACES, { metadata: { name: OPERATOR_NAMESPACE } })
  return { standIn, client }
}

/**
 * What a part of the operator stands on, with informers that run until the test is over.
 * @param account  in the words of a kubeconfig; default: the administrator
 */
export async function openContext(
  { standIn }: TestCluster,
  clock: Clock = standIn.registry.clock,
  account?: Fields,
): Promise<OperatorContext> {
  const client = await openClient(standIn, account)
  const capabilities = await discoverCapabilities(client)
  const follow = <T extends KubernetesObject>(of: ApiResource<T>): Informer<T> => {
    const informer = new Informer(client, of)
    during((signal) => informer.run(signal))
    return informer
  }
  const [autoscalers, pods] = [follow(MULTIDIM_POD_AUTOSCALERS), follow(PODS)]
  const scalers = scalerResources(capabilities).map(follow)
  const all: readonly Informer<KubernetesObject>[] = [autoscalers, pods, ...scalers]
  await expect.poll(() => all.every(({ isReady }) => isReady)).toBe(true)
  return { client, capabilities, autoscalers, pods, scalers, clock, namespace: OPERATOR_NAMESPACE }
}

/** An autoscaler of the Deployment `web`. */
export const autoscalerOf = (
  name: string,
  spec: Partial<MultidimPodAutoscaler['spec']> = {},
): MultidimPodAutoscaler => ({
  metadata: { namespace: 'default', name },
  spec: { scaleTargetRef: { name: 'web' }, ...spec },
})

/** When controllers have nothing left to do, and the operator has heard of it. */
export async function quietOf({ standIn }: TestCluster, { autoscalers, pods }: OperatorContext): Promise<void> {
  const { registry } = standIn
  const { store } = registry
  const isKnown = (copies: Iterable<KubernetesObject>, collection: string): boolean =>
    versions(copies) === versions(store.list(collection))
  let before = -1
  const isQuiet = (): boolean => {
    const hasRested = store.revision === before
    before = store.revision
    return (
      hasRested &&
      registry.controllersAtWork === 0 &&
      isKnown(autoscalers.values(), 'trimtab.dev/multidimpodautoscalers') &&
      isKnown(pods.values(), '/pods')
    )
  }
  await expect.poll(isQuiet, { interval: 1 }).toBe(true)
}

const versions = (objects: Iterable<KubernetesObject>): string =>
  Array.from(objects, ({ metadata }) => `${metadata?.uid} ${metadata?.resourceVersion}`)
    .sort()
    .join()
