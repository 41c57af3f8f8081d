// Brings an installation into a cluster, and takes it out again.
import {
  type ApiResource,
  type CallOptions,
  hasCode,
  type KubernetesClient,
  type KubernetesObject,
  LEASES,
  MULTIDIM_POD_AUTOSCALERS,
  NAMESPACES,
  type ObjectRef,
  resource,
} from '@trimtab/kubernetes'
import { ADMISSION_SECRET, nameOf, OPERATOR_NAMESPACE, OPERATOR_PARTS } from '../names.js'
import { operatorObjects } from './manifests.js'
import { LABELS, type ManifestObject } from './object.js'
import type { InstallOptions } from './options.js'

/** An object in a cluster: its kind, and which one. */
export interface InstalledObject {
  readonly resource: ApiResource<KubernetesObject>
  readonly ref: ObjectRef
}

/** What became of an object when it was installed. */
export interface InstallStep extends InstalledObject {
  /** `kept`: a namespace that was there before, and is somebody else's. */
  readonly outcome: 'applied' | 'kept'
}

const FIELD_MANAGER = 'trimtab-install'
const PART_OF = 'app.kubernetes.io/part-of'
const IS_OURS = `${PART_OF}=${LABELS[PART_OF]}`
const OF_NO_NAMESPACE = /^(Namespace|Cluster.*|CustomResourceDefinition|MutatingWebhookConfiguration)$/

/** Where the kind of a manifest lives; all have plain plurals. */
function resourceOf({ apiVersion, kind }: ManifestObject): ApiResource<KubernetesObject> {
  const plural = `${kind.toLowerCase().replace(/y$/, 'ie')}s`
  return resource(apiVersion, kind, plural, !OF_NO_NAMESPACE.test(kind))
}

/** `deployment.apps/trimtab-updater in trimtab-system`: as kubectl names it. */
export function objectTitle({ resource: { apiVersion, kind }, ref: { name, namespace } }: InstalledObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : ''
  return `${kind.toLowerCase()}${group}/${name}${namespace === undefined ? '' : ` in ${namespace}`}`
}

/**
 * Applies every object of an installation, server-side and in order. A namespace that is somebody else's stays as it is.
 * @throws {ConfigError} `config_invalid`, before anything is changed; then as every method of the client
 */
export async function* install(
  client: KubernetesClient,
  options: InstallOptions,
  call: CallOptions = {},
): AsyncGenerator<InstallStep, void> {
  for (const object of operatorObjects(options)) {
    const { name, namespace } = object.metadata
    const installed = { resource: resourceOf(object), ref: { name, ...(namespace && { namespace }) } }
    const isKept = object.kind === 'Namespace' && (await isForeign(client, name, call))
    if (!isKept) await client.apply(installed.resource, object, { fieldManager: FIELD_MANAGER, force: true, ...call })
    yield { ...installed, outcome: isKept ? 'kept' : 'applied' }
  }
}

/** Whether a namespace is there that no installation made. */
async function isForeign(client: KubernetesClient, name: string, call: CallOptions): Promise<boolean> {
  const found = await ifThere(client.get(NAMESPACES, { name }, call))
  return found !== undefined && found.metadata?.labels?.[PART_OF] !== LABELS[PART_OF]
}

/** What is asked for, or undefined where the object, or its kind, is not there. */
const ifThere = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (hasCode(error, 'api_not_found')) return undefined
    throw error
  })

/**
 * Everything in a cluster that installations and their parts have made, in the order in which it should go: first what acts, then the
 * autoscalers (what was learned for one goes with it), then the rest. A namespace that is somebody else's is not among it.
 * @throws as every method of the client
 */
export async function findInstalled(
  client: KubernetesClient,
  { namespace = OPERATOR_NAMESPACE }: { readonly namespace?: string | undefined } = {},
  call: CallOptions = {},
): Promise<InstalledObject[]> {
  const found = async (kind: ApiResource<KubernetesObject>, labelSelector?: string): Promise<InstalledObject[]> => {
    const selection = labelSelector === undefined ? call : { labelSelector, ...call }
    const { items } = (await ifThere(client.list(kind, selection))) ?? { items: [] }
    return items.map(({ metadata }) => ({ resource: kind, ref: refOf(metadata) }))
  }
  const named = async (kind: ApiResource<KubernetesObject>, name: string): Promise<InstalledObject[]> => {
    const ref = { namespace, name }
    return (await ifThere(client.get(kind, ref, call))) ? [{ resource: kind, ref }] : []
  }
  const kinds = new Map(operatorObjects({ monitoring: true }).map((object) => [object.kind, resourceOf(object)]))
  const [inLast, definitions, ...others] = kinds.values()
  const objects: InstalledObject[] = []
  for (const kind of others.reverse()) objects.push(...(await found(kind, IS_OURS)))
  objects.push(...(await found(MULTIDIM_POD_AUTOSCALERS)), ...(await found(definitions!, IS_OURS)))
  for (const part of OPERATOR_PARTS) objects.push(...(await named(LEASES, nameOf(part))))
  objects.push(...(await named(resource('v1', 'Secret', 'secrets'), ADMISSION_SECRET)))
  return [...objects, ...(await found(inLast!, IS_OURS))]
}

const refOf = ({ name = '', namespace }: NonNullable<KubernetesObject['metadata']> = {}): ObjectRef => ({
  name,
  ...(namespace !== undefined && { namespace }),
})

/**
 * Deletes what `findInstalled` found, and tells of each; workloads keep the size that they have.
 * @throws as every method of the client
 */
export async function* uninstall(
  client: KubernetesClient,
  objects: readonly InstalledObject[],
  call: CallOptions = {},
): AsyncGenerator<InstalledObject, void> {
  for (const object of objects) {
    await ifThere(client.delete(object.resource, object.ref, { propagationPolicy: 'Background', ...call }))
    yield object
  }
}
