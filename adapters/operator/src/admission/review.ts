// What the API server asks about a new pod, and the answer: the same pod, sized. No pod is ever refused.
import { type MultidimPodAutoscaler, type PodObject, readAutoscaler } from '@trimtab/kubernetes'
import { CONDITIONS } from '../names.js'
import type { Owners } from '../owners.js'
import { isSameTarget } from '../scalers.js'
import { readSizes, resized, type Sizes, withinBounds } from '../sizes.js'

/** A question (admission.k8s.io/v1), as far as it is looked at. */
export interface AdmissionReview {
  readonly request?: {
    readonly uid: string
    readonly operation: string
    readonly resource: { readonly group: string; readonly resource: string }
    readonly subResource?: string
    readonly namespace?: string
    readonly object: PodObject
  }
}

/** One change of a JSON patch (RFC 6902). */
export interface PatchOperation {
  readonly op: 'add'
  readonly path: string
  readonly value: unknown
}

/** The answer to a question: allowed, with these changes. */
export function toAnswer(uid: string, patch: readonly PatchOperation[]): object {
  const changes =
    patch.length === 0 ? {} : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid, allowed: true, ...changes },
  }
}

/**
 * The changes that size a new pod.
 * @throws where the workload of the pod cannot be asked for, or its autoscaler is unsound
 */
export async function sizePod(
  { request }: AdmissionReview,
  autoscalers: Iterable<MultidimPodAutoscaler>,
  owners: Owners,
  signal: AbortSignal,
): Promise<PatchOperation[]> {
  const isNewPod =
    request?.operation === 'CREATE' &&
    request.resource.group === '' &&
    request.resource.resource === 'pods' &&
    !request.subResource
  if (!isNewPod) return []
  const { namespace, object } = request
  const pod = { ...object, metadata: { ...object.metadata, ...(namespace === undefined ? {} : { namespace }) } }
  const acting = [...autoscalers].filter(
    ({ metadata, spec }) => spec.mode === 'act' && metadata?.namespace === namespace,
  )
  if (acting.length === 0) return []
  const workload = await owners.workloadOf(pod, signal)
  const own = workload ? acting.filter(({ spec }) => isSameTarget(spec.scaleTargetRef, workload)) : []
  const sizes = own.length === 1 ? sizesFrom(own[0]!) : undefined // two that act stop each other
  return sizes === undefined ? [] : patchOf(pod, sizes)
}

/** What the updater carries out, within the bounds of now; a paused autoscaler keeps what it has done. */
function sizesFrom(autoscaler: MultidimPodAutoscaler): Sizes | undefined {
  const { carriedOut, conditions = [] } = autoscaler.status ?? {}
  const acting = conditions.find(({ type }) => type === CONDITIONS.acting)
  const sizes = readSizes(carriedOut?.containers)
  if (sizes === undefined || acting?.reason === 'ScaledByAnother') return undefined
  return withinBounds(sizes, readAutoscaler(autoscaler))
}

const patchOf = ({ spec }: PodObject, sizes: Sizes): PatchOperation[] =>
  (spec?.containers ?? []).flatMap((container, index) => {
    const amounts = sizes.get(container.name)
    if (amounts === undefined) return []
    return [{ op: 'add' as const, path: `/spec/containers/${index}/resources`, value: resized(container, amounts) }]
  })
