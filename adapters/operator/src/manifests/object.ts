import type { KubernetesObject, StringMap } from '@trimtab/kubernetes'
import type { OperatorPart } from '../names.js'

/** An object as it is written into a manifest. */
export interface ManifestObject extends KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: StringMap }
  readonly [field: string]: unknown
}

/** By which everything of the operator is found. */
export const LABELS: StringMap = { 'app.kubernetes.io/name': 'trimtab', 'app.kubernetes.io/part-of': 'trimtab' }

/** By which the pods of a part are found. */
export const selectorOf = (part: OperatorPart): StringMap => ({
  'app.kubernetes.io/name': 'trimtab',
  'app.kubernetes.io/component': part,
})

/** An object of the operator, or of one part of it. */
export function manifest(
  apiVersion: string,
  kind: string,
  { name, namespace, part, labels }: { name: string; namespace?: string; part?: OperatorPart; labels?: StringMap },
  content: object,
): ManifestObject {
  const all = { ...LABELS, ...(part && selectorOf(part)), ...labels }
  return { apiVersion, kind, metadata: { name, ...(namespace && { namespace }), labels: all }, ...content }
}
