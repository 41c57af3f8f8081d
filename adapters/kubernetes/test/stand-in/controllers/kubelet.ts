// Scheduler and kubelet in one: pods find a node with room, start after a while, are resized, and go after their grace period.
import type { ContainerResources } from '../../../src/index.js'
import { type Amounts, allocatable, fits, totalOf } from '../amounts.js'
import { asPod, type Fields, isSame, type Stored } from '../objects.js'
import type { Registry } from '../registry.js'
import { kindOf, SYSTEM, setStatus, unlessRefused } from './controller.js'

export interface KubeletOptions {
  /** From bound to ready. */
  readonly startUpMs: number
  /** From deletion to gone, where the pod has a grace period. */
  readonly shutDownMs: number
  /** From a resize that fits to its being in force. */
  readonly resizeMs: number
}

export class Kubelet {
  readonly #registry: Registry
  readonly #options: KubeletOptions
  /** Pods with something under way, and how to call it off. */
  readonly #pending = new Map<string, () => void>()

  constructor(registry: Registry, options: KubeletOptions) {
    this.#registry = registry
    this.#options = options
  }

  async reconcile(): Promise<void> {
    for (const pod of this.#registry.store.list('/pods')) await this.#look(pod)
  }

  stop(): void {
    for (const callOff of this.#pending.values()) callOff()
    this.#pending.clear()
  }

  async #look(pod: Stored): Promise<void> {
    const { startUpMs, shutDownMs, resizeMs } = this.#options
    if (pod.metadata.deletionTimestamp)
      return this.#later(pod, 'stop', shutDownMs, () => void this.#registry.store.delete('/pods', pod))
    if (pod.spec!.nodeName === undefined) return this.#bind(pod)
    if (pod.status?.phase === 'Pending') return this.#later(pod, 'start', startUpMs, () => this.#started(pod))
    if (!isSame(inForce(pod), requested(pod))) return this.#resize(pod, resizeMs)
    const conditions = conditionsOf(pod).filter(({ type }) => type !== 'PodResizePending')
    if (conditions.length < conditionsOf(pod).length) return setStatus(this.#registry, 'pods', pod, { conditions }) // taken back
  }

  async #bind(pod: Stored): Promise<void> {
    const wanted = totalOf(pod)
    const node = this.#registry.store.list('/nodes').find((candidate) => fits(wanted, this.#freeOn(candidate)))
    if (node === undefined) {
      const message = '0 nodes are available: insufficient cpu or memory'
      return setStatus(this.#registry, 'pods', pod, {
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
      })
    }
    const { namespace, name } = pod.metadata
    const next = (live: Stored): Stored => ({ ...live, spec: { ...live.spec, nodeName: node.metadata.name } })
    await this.#registry.change(kindOf(this.#registry, 'pods'), namespace, name, next, SYSTEM)
  }

  async #started(pod: Stored): Promise<void> {
    const now = new Date(this.#registry.clock.now()).toISOString()
    const isTrue = (type: string): Fields => ({ type, status: 'True', lastTransitionTime: now })
    await setStatus(this.#registry, 'pods', pod, {
      phase: 'Running',
      startTime: now,
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map(isTrue),
      containerStatuses: containersOf(pod).map(({ name, resources = {} }) => ({
        name,
        ready: true,
        restartCount: 0,
        resources,
      })),
    })
  }

  async #resize(pod: Stored, resizeMs: number): Promise<void> {
    const node = this.#registry.store.get('/nodes', undefined, String(pod.spec!.nodeName))
    const capacity = node && allocatable(node)
    const wanted = totalOf(pod)
    if (capacity && !fits(wanted, capacity)) return this.#refuse(pod, 'Infeasible', "Node didn't have enough capacity")
    if (node && !fits(wanted, this.#freeOn(node, pod)))
      return this.#refuse(pod, 'Deferred', "Node didn't have enough resource")
    return this.#later(pod, 'resize', resizeMs, () => {
      const statuses = asPod(pod).status?.containerStatuses ?? []
      const containerStatuses = statuses.map((status) => ({
        ...status,
        resources: containersOf(pod).find(({ name }) => name === status.name)?.resources ?? {},
      }))
      const conditions = conditionsOf(pod).filter(({ type }) => type !== 'PodResizePending')
      return setStatus(this.#registry, 'pods', pod, { containerStatuses, conditions })
    })
  }

  async #refuse(pod: Stored, reason: string, message: string): Promise<void> {
    const others = conditionsOf(pod).filter(({ type }) => type !== 'PodResizePending')
    const conditions = [...others, { type: 'PodResizePending', status: 'True', reason, message }]
    if (!isSame(conditions, conditionsOf(pod))) await setStatus(this.#registry, 'pods', pod, { conditions })
  }

  /** Once for each version of what the pod is to be. */
  #later(pod: Stored, what: string, milliseconds: number, act: () => unknown): void {
    const key = `${pod.metadata.uid} ${what} ${pod.metadata.generation}`
    if (this.#pending.has(key)) return
    const callOff = this.#registry.clock.after(milliseconds, () => {
      this.#pending.delete(key)
      void unlessRefused(this.#registry, act)
    })
    this.#pending.set(key, callOff)
  }

  /** What others have asked for is taken. */
  #freeOn(node: Stored, except?: Stored): Amounts {
    const free = allocatable(node)
    for (const pod of this.#registry.store.list('/pods')) {
      const counts = pod.spec!.nodeName === node.metadata.name && pod.metadata.uid !== except?.metadata.uid
      if (!counts) continue
      const taken = totalOf(pod)
      free.cpu -= taken.cpu
      free.memory -= taken.memory
    }
    return free
  }
}

const containersOf = (pod: Stored) => asPod(pod).spec?.containers ?? []
const conditionsOf = (pod: Stored) => asPod(pod).status?.conditions ?? []
const requested = (pod: Stored): ContainerResources[] => containersOf(pod).map(({ resources = {} }) => resources)
const inForce = (pod: Stored): ContainerResources[] =>
  (asPod(pod).status?.containerStatuses ?? []).map(({ resources = {} }) => resources)
