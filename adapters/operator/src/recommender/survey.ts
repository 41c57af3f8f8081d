// What there is to decide about: autoscalers whose spec is sound and whose workload is there, and why not for the others.
import { type MultidimPodAutoscaler, type ResolvedAutoscalerSpec, readAutoscaler } from '@trimtab/kubernetes'
import type { OperatorContext } from '../context.js'
import type { Finding } from './conditions.js'
import { FollowedKinds } from './followed-kinds.js'
import { PodIndex } from './pod-index.js'
import { readWorkload, type Workload } from './workload.js'

/** An autoscaler with what it is about. */
export interface Tended {
  readonly object: MultidimPodAutoscaler
  readonly spec: ResolvedAutoscalerSpec
  readonly workload: Workload
}

/** An autoscaler, or why nothing can be decided about it. */
export type Surveyed = Tended | { readonly object: MultidimPodAutoscaler; readonly problem: Finding }

/** Looks at all autoscalers and their workloads, in memory: informers follow them. */
export class Survey {
  readonly #context: OperatorContext
  readonly #kinds: FollowedKinds
  readonly #pods: PodIndex
  /** Specs as they were read, by the object's version of them. */
  readonly #specs = new WeakMap<MultidimPodAutoscaler, ResolvedAutoscalerSpec | Finding>()

  constructor(context: OperatorContext) {
    this.#context = context
    this.#kinds = new FollowedKinds(context)
    this.#pods = new PodIndex(context.pods)
  }

  /** All that there are. @throws the signal's reason */
  async look(signal: AbortSignal): Promise<Surveyed[]> {
    const objects = [...this.#context.autoscalers.values()]
    const specs = objects.map((object) => this.#specOf(object))
    const kinds = specs.flatMap((spec) => (isFinding(spec) ? [] : [spec.scaleTargetRef]))
    await this.#kinds.follow(kinds, { signal })
    return objects.map((object, i) => {
      const spec = specs[i]!
      if (isFinding(spec)) return { object, problem: spec }
      const workload = this.#workloadOf(object, spec)
      return isFinding(workload) ? { object, problem: workload } : { object, spec, workload }
    })
  }

  /** Ends what it follows. */
  dispose(): void {
    this.#kinds.dispose()
    this.#pods.dispose()
  }

  #specOf(object: MultidimPodAutoscaler): ResolvedAutoscalerSpec | Finding {
    const spec = this.#specs.get(object) ?? readSpec(object)
    this.#specs.set(object, spec)
    return spec
  }

  #workloadOf(object: MultidimPodAutoscaler, { scaleTargetRef }: ResolvedAutoscalerSpec): Workload | Finding {
    const { kind, name } = scaleTargetRef
    const namespace = object.metadata!.namespace!
    const target = this.#kinds.find(scaleTargetRef, namespace, name)
    if (target === undefined) return not('TargetNotFound', `there is no ${kind} ${name} in ${namespace}`)
    if (typeof target === 'string') return not('TargetUnreadable', target)
    const workload = readWorkload(target, this.#pods.podsOf({ namespace, kind, name }))
    if (workload === undefined) return not('NoContainers', `nothing says what the pods of ${kind} ${name} are made of`)
    if (workload.inForce.replicas === 0)
      return not('ScaledToZero', `${kind} ${name} was scaled to 0: scale it up to have it looked after`)
    if (!Object.values(workload.inForce).every((amount) => amount > 0))
      return not('NoRequests', `container ${workload.container} must request cpu and memory, or what it has is unknown`)
    return workload
  }
}

const not = (reason: string, message: string): Finding => ({ holds: false, reason, message })

const isFinding = (found: object): found is Finding => 'holds' in found

function readSpec(object: MultidimPodAutoscaler): ResolvedAutoscalerSpec | Finding {
  try {
    return readAutoscaler(object)
  } catch (error) {
    return not('InvalidSpec', (error as Error).message)
  }
}
