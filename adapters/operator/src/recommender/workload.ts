// What is known of a workload without asking anybody: what its owner wrote, and its pods.
import { type Container, type PodObject, parseQuantity, type WorkloadObject } from '@trimtab/kubernetes'
import type { Allocation, PodSize } from '@trimtab/tasks/autoscaling'

const MIB = 2 ** 20
const MAIN_CONTAINER = 'kubectl.kubernetes.io/default-container'

/** What steers the sizes of a pod: its main container. The others keep what they request. */
export interface Workload {
  readonly container: string
  /** As its owner wrote it; NaN: requested nothing. */
  readonly template: PodSize
  /** What is in force: replicas as asked for, the mean size of the pods that run. */
  readonly inForce: Allocation
  readonly ready: readonly PodObject[]
  readonly starting: readonly PodObject[]
}

/**
 * Pods that go or are done are not counted.
 * @returns undefined: nothing says what its pods are made of
 */
export function readWorkload(target: WorkloadObject, pods: Iterable<PodObject>): Workload | undefined {
  const ready: PodObject[] = []
  const starting: PodObject[] = []
  for (const pod of pods) {
    const { phase, conditions = [] } = pod.status ?? {}
    if (pod.metadata?.deletionTimestamp || phase === 'Succeeded' || phase === 'Failed') continue
    const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
    ;(isReady ? ready : starting).push(pod)
  }
  const template = target.spec?.template?.spec ?? ready[0]?.spec ?? starting[0]?.spec
  const main = target.spec?.template?.metadata?.annotations?.[MAIN_CONTAINER]
  const container = template?.containers.find(({ name }) => name === main) ?? template?.containers[0]
  if (container === undefined) return undefined
  const size = sizeOf(container.resources)
  const running = ready.length > 0 ? ready : starting
  return {
    container: container.name,
    template: size,
    inForce: {
      replicas: target.spec?.replicas ?? ready.length + starting.length,
      ...meanSize(running, container.name, size),
    },
    ready,
    starting,
  }
}

/** What a container requests; where it has a limit only, the API server requests that. */
function sizeOf({ requests = {}, limits = {} }: NonNullable<Container['resources']> = {}): PodSize {
  const amount = (name: string): number => quantityOf(requests[name] ?? limits[name])
  return { coresPerReplica: amount('cpu'), memoryMiBPerReplica: amount('memory') / MIB }
}

/** Of what is in force in pods: while they are resized it differs from what they ask for. */
function meanSize(pods: readonly PodObject[], container: string, template: PodSize): PodSize {
  let [cores, memory, count] = [0, 0, 0]
  for (const { spec, status } of pods) {
    const of = status?.containerStatuses?.find(({ name }) => name === container)?.resources
    const asked = of?.requests ? of : spec?.containers.find(({ name }) => name === container)?.resources
    const size = sizeOf(asked)
    cores += size.coresPerReplica
    memory += size.memoryMiBPerReplica
    count++
  }
  return count === 0 ? template : { coresPerReplica: cores / count, memoryMiBPerReplica: memory / count }
}

const quantityOf = (quantity: string | undefined): number =>
  quantity === undefined ? Number.NaN : parseQuantity(quantity)
