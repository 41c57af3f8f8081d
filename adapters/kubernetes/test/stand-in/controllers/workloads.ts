// The controllers of Deployments and ReplicaSets: pods for templates, a rolling update for a new template.
import { createHash } from 'node:crypto'
import type { LabelSelector, StatusCondition, WorkloadObject } from '../../../src/index.js'
import { asPod, asWorkload, type Fields, isSame, type Stored } from '../objects.js'
import type { Registry } from '../registry.js'
import { StatusError } from '../status-error.js'
import { kindOf, ownedBy, ownerReference, SYSTEM, setStatus } from './controller.js'

const HASH = 'pod-template-hash'

export async function reconcileWorkloads(registry: Registry): Promise<void> {
  for (const deployment of registry.store.list('apps/deployments')) await reconcileDeployment(registry, deployment)
  for (const replicaSet of registry.store.list('apps/replicasets')) await reconcileReplicaSet(registry, replicaSet)
}

const wantedBy = (workload: Stored): number => asWorkload(workload).spec?.replicas ?? 1
const readyOf = (workload: Stored): number => asWorkload(workload).status?.readyReplicas ?? 0
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

async function reconcileDeployment(registry: Registry, deployment: Stored): Promise<void> {
  if (deployment.metadata.deletionTimestamp) return
  const { namespace } = deployment.metadata
  const hash = hashOf(deployment.spec!.template)
  const name = `${deployment.metadata.name}-${hash}`
  const all = ownedBy(registry.store.list('apps/replicasets', namespace), deployment)
  const current =
    all.find(({ metadata }) => metadata.name === name) ??
    (await makeReplicaSet(registry, deployment, name, hash, all.length > 0))
  const old = all.filter(({ metadata }) => metadata.name !== name)
  await roll(registry, wantedBy(deployment), current, old)
  await reportDeployment(registry, deployment, name)
}

/** A quarter more pods than wanted at most, a quarter fewer ready ones at least. */
async function roll(registry: Registry, wanted: number, current: Stored, old: readonly Stored[]): Promise<void> {
  const surge = Math.ceil(wanted / 4)
  const room = wanted + surge - sum(old.map(wantedBy))
  const target = old.length === 0 ? wanted : Math.max(0, Math.min(wanted, room))
  if (target !== wantedBy(current)) await setReplicas(registry, current, target)
  let spare = readyOf(current) + sum(old.map(readyOf)) - (wanted - Math.floor(wanted / 4))
  for (const replicaSet of old) {
    const unready = wantedBy(replicaSet) - readyOf(replicaSet)
    const leaving = Math.min(wantedBy(replicaSet), unready + Math.max(0, spare))
    spare -= leaving - unready
    if (leaving > 0) await setReplicas(registry, replicaSet, wantedBy(replicaSet) - leaving)
  }
}

async function setReplicas(registry: Registry, { metadata }: Stored, replicas: number): Promise<void> {
  const next = (live: Stored): Stored => ({ ...live, spec: { ...live.spec, replicas } })
  await registry.change(kindOf(registry, 'replicasets'), metadata.namespace, metadata.name, next, SYSTEM)
}

function makeReplicaSet(
  registry: Registry,
  deployment: Stored,
  name: string,
  hash: string,
  isUpdate: boolean,
): Promise<Stored> {
  const { selector, template } = deployment.spec as unknown as {
    selector: LabelSelector
    template: { metadata?: { labels?: Fields }; spec: Fields }
  }
  const labels = { ...template.metadata?.labels, [HASH]: hash }
  const object = {
    metadata: { name, labels, ownerReferences: [ownerReference(deployment)] },
    spec: {
      replicas: isUpdate ? 0 : wantedBy(deployment),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  }
  return registry.create(kindOf(registry, 'replicasets'), deployment.metadata.namespace, object, SYSTEM)
}

async function reportDeployment(registry: Registry, deployment: Stored, currentName: string): Promise<void> {
  const sets = ownedBy(registry.store.list('apps/replicasets', deployment.metadata.namespace), deployment)
  const counted = (of: (workload: NonNullable<WorkloadObject['status']>) => number | undefined): number =>
    sum(sets.map((set) => of(asWorkload(set).status ?? {}) ?? 0))
  const ready = counted(({ readyReplicas }) => readyReplicas)
  const wanted = wantedBy(deployment)
  const isAvailable = ready >= wanted - Math.floor(wanted / 4)
  const current = sets.find(({ metadata }) => metadata.name === currentName)
  await setStatus(registry, 'deployments', deployment, {
    observedGeneration: deployment.metadata.generation,
    replicas: counted(({ replicas }) => replicas),
    updatedReplicas: (current && asWorkload(current).status?.replicas) ?? 0,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, wanted - ready),
    conditions: [
      ...sets.flatMap((set) => asWorkload(set).status?.conditions ?? []), // why pods are missing
      {
        type: 'Available',
        status: isAvailable ? 'True' : 'False',
        reason: isAvailable ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      },
    ],
  })
}

async function reconcileReplicaSet(registry: Registry, replicaSet: Stored): Promise<void> {
  if (replicaSet.metadata.deletionTimestamp) return
  const { namespace, name, generation } = replicaSet.metadata
  const pods = ownedBy(registry.store.list('/pods', namespace), replicaSet).filter(
    ({ metadata, status }) => !metadata.deletionTimestamp && status?.phase !== 'Failed',
  )
  const wanted = wantedBy(replicaSet)
  const podKind = kindOf(registry, 'pods')
  const { template } = replicaSet.spec as { template: { metadata?: object; spec: Fields } }
  let failure: StatusError | undefined
  for (let missing = wanted - pods.length; missing > 0 && failure === undefined; missing--) {
    const metadata = { ...template.metadata, generateName: `${name}-`, ownerReferences: [ownerReference(replicaSet)] }
    try {
      await registry.create(podKind, namespace, { metadata, spec: structuredClone(template.spec) }, SYSTEM)
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      failure = error // by a webhook or a quota: tried at the next change
    }
  }
  const leaving = [...pods]
    .sort((a, b) => Number(isReady(a)) - Number(isReady(b)))
    .slice(0, Math.max(0, pods.length - wanted))
  for (const { metadata } of leaving) registry.delete(podKind, namespace, metadata.name)
  const staying = ownedBy(registry.store.list('/pods', namespace), replicaSet).filter(
    ({ metadata }) => !metadata.deletionTimestamp,
  )
  const ready = staying.filter(isReady).length
  const status = {
    replicas: staying.length,
    readyReplicas: ready,
    availableReplicas: ready,
    observedGeneration: generation,
    // The first refusal stands: the next one would differ in the name of the pod alone.
    conditions: failure ? [failureOf(replicaSet) ?? replicaFailure(failure)] : [],
  }
  if (!isSame({ ...replicaSet.status, ...status }, replicaSet.status))
    await setStatus(registry, 'replicasets', replicaSet, status)
}

const failureOf = (workload: Stored): StatusCondition | undefined =>
  asWorkload(workload).status?.conditions?.find(({ type }) => type === 'ReplicaFailure')

const replicaFailure = ({ message }: StatusError): StatusCondition => ({
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'FailedCreate',
  message,
})

export const isReady = (pod: Stored): boolean =>
  (asPod(pod).status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True')

const hashOf = (template: unknown): string =>
  createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10)
