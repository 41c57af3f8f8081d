// One actor a workload: who else would scale it is found here, from informers, in one pass over all of them.
import {
  type ApiResource,
  type Capabilities,
  type Informer,
  type KubernetesObject,
  MULTIDIM_POD_AUTOSCALERS,
  type MultidimPodAutoscaler,
  resource,
} from '@trimtab/kubernetes'

/** Names a workload; an apps/v1 Deployment where nothing else is said. */
export interface TargetRef {
  readonly apiVersion?: string
  readonly kind?: string
  readonly name: string
}

/** A HorizontalPodAutoscaler or a VerticalPodAutoscaler, as far as it says what it scales. */
export interface ScalerObject extends KubernetesObject {
  readonly spec?: {
    readonly scaleTargetRef?: TargetRef
    readonly targetRef?: TargetRef
    readonly updatePolicy?: { readonly updateMode?: string }
  }
}

/** The kinds of scalers that a cluster has, for one informer each. */
export function scalerResources({
  horizontalAutoscalers,
  verticalAutoscalers,
}: Capabilities): ApiResource<ScalerObject>[] {
  const resources: ApiResource<ScalerObject>[] = []
  if (horizontalAutoscalers)
    resources.push(resource(horizontalAutoscalers, 'HorizontalPodAutoscaler', 'horizontalpodautoscalers'))
  if (verticalAutoscalers)
    resources.push(resource(verticalAutoscalers, 'VerticalPodAutoscaler', 'verticalpodautoscalers'))
  return resources
}

/** Who scales what: words and uids of scalers, by workload. */
export type ScalerIndex = ReadonlyMap<string, readonly { readonly uid: string | undefined; readonly said: string }[]>

/** All that act now, by the workload that they scale. A scaler that only recommends is none. */
export function indexScalers({
  autoscalers,
  scalers,
}: {
  readonly autoscalers: Informer<MultidimPodAutoscaler>
  readonly scalers: readonly Informer<ScalerObject>[]
}): ScalerIndex {
  const index = new Map<string, { uid: string | undefined; said: string }[]>()
  const add = (kind: string, { metadata }: KubernetesObject, target: TargetRef): void => {
    const key = keyOf(metadata?.namespace, target)
    const entry = { uid: metadata?.uid, said: `${kind} ${metadata?.name}` }
    const others = index.get(key)
    if (others) others.push(entry)
    else index.set(key, [entry])
  }
  for (const autoscaler of autoscalers.values())
    if (autoscaler.spec.mode === 'act')
      add(MULTIDIM_POD_AUTOSCALERS.kind, autoscaler, autoscaler.spec.scaleTargetRef as TargetRef)
  for (const scaler of [...scalers].flatMap((informer) => [...informer.values()])) {
    const { scaleTargetRef, targetRef, updatePolicy } = scaler.spec ?? {}
    if (scaleTargetRef) add('HorizontalPodAutoscaler', scaler, scaleTargetRef)
    else if (targetRef && updatePolicy?.updateMode !== 'Off') add('VerticalPodAutoscaler', scaler, targetRef)
  }
  return index
}

/** Who scales the workload of an autoscaler besides it, in words: `HorizontalPodAutoscaler web`. Two that both act stop each other. */
export function otherScalersOf(index: ScalerIndex, { metadata, spec }: MultidimPodAutoscaler): string[] {
  const found = index.get(keyOf(metadata?.namespace, spec.scaleTargetRef as TargetRef)) ?? []
  return found
    .filter(({ uid }) => uid !== metadata?.uid)
    .map(({ said }) => said)
    .sort()
}

/** Whether two references name the same workload of a namespace. */
export const isSameTarget = (a: TargetRef, b: TargetRef): boolean => keyOf('', a) === keyOf('', b)

/** Versions of a group are the same objects. */
function keyOf(
  namespace: string | undefined,
  { apiVersion = 'apps/v1', kind = 'Deployment', name }: TargetRef,
): string {
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : ''
  return `${namespace}/${group}/${kind}/${name}`
}
