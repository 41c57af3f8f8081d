import type { RandomSource } from '@trimtab/core'
import type { Cluster } from './config/cluster.js'
import { Backoff, type BackoffOptions } from './http/backoff.js'
import type { ApiRequest } from './http/connection.js'
import { Requester, type RequesterOptions } from './http/requester.js'
import { type ApiResource, type ObjectSelection, PODS, pathOf, pathOfObject } from './resource.js'
import type { ContainerResources, KubernetesObject, ObjectList, ObjectRef, PodObject, Scale, Status } from './types.js'
import { type ObjectWatchOptions, type WatchEvent, watchOnce } from './watch.js'

/** What any call may carry. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

/** What any write may carry. */
export interface WriteOptions extends CallOptions {
  /** Who writes, in `managedFields`; default `trimtab`. */
  readonly fieldManager?: string
  /** `status`, `scale`, `resize`: nothing else of the object is changed then. */
  readonly subresource?: string
  /** The server checks and answers, and keeps nothing. */
  readonly isDryRun?: boolean
}

/** Server-side apply. */
export interface ApplyOptions extends WriteOptions {
  /** Takes fields that others own; without it such an apply is refused with `api_conflict`. */
  readonly force?: boolean
}

/** How an object goes. */
export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  /** Only if it is still this one. */
  readonly uid?: string
}

/** How a pod is evicted. */
export interface EvictOptions extends CallOptions {
  /** As `discoverCapabilities` says: `policy/v1` from 1.22 on. */
  readonly apiVersion: 'policy/v1' | 'policy/v1beta1'
  readonly gracePeriodSeconds?: number
  /** Only if it is still this one. */
  readonly uid?: string
}

const PAGE = 500

/**
 * The Kubernetes API, typed and patient. Every method throws `KubernetesError` for what the server refuses and `AdapterError`
 * (`api_unreachable`, `api_untrusted`, `api_broken_off`, `api_silent`) where it cannot be asked.
 */
export class KubernetesClient {
  /** Where objects are when nothing else is said. */
  readonly namespace: string
  readonly #requester: Requester
  readonly #options: RequesterOptions

  /** @throws {ConfigError} `config_invalid`, with every problem of the options */
  constructor(cluster: Cluster, options: RequesterOptions) {
    this.namespace = cluster.namespace
    this.#options = options
    this.#requester = new Requester(cluster, options)
  }

  /** Chance, for the jitter of whoever waits on this client's behalf. */
  get random(): Pick<RandomSource, 'uniform'> {
    return this.#options.random
  }

  /** A pace for loops on this client, as that of its own requests. */
  createBackoff(options: BackoffOptions | undefined = this.#options.backoff): Backoff {
    return new Backoff(this.#options.random, options)
  }

  /** Any request, for what has no method here. */
  request<T>(request: ApiRequest): Promise<T> {
    return this.#requester.json(request)
  }

  /** One object, or a subresource of it. */
  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    ref: ObjectRef,
    options: CallOptions & { readonly subresource?: string } = {},
  ): Promise<T> {
    const { subresource, signal } = options
    return this.request({ method: 'GET', path: pathOfObject(resource, ref, subresource), signal })
  }

  /**
   * All objects as of one moment, fetched page by page, of `pageSize` objects (500).
   * @throws {KubernetesError} `api_expired` where reading took so long that the server forgot that moment: list again
   */
  async list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    selection: ObjectSelection & CallOptions & { readonly pageSize?: number } = {},
  ): Promise<ObjectList<T>> {
    const { namespace, labelSelector, fieldSelector, signal, pageSize = PAGE } = selection
    const items: T[] = []
    let next: string | undefined
    for (;;) {
      const page = await this.request<{ items: T[] | null; metadata: { resourceVersion: string; continue?: string } }>({
        method: 'GET',
        path: pathOf(resource, namespace),
        query: { labelSelector, fieldSelector, limit: pageSize, continue: next },
        signal,
      })
      for (const item of page.items ?? []) items.push(item)
      next = page.metadata.continue || undefined
      if (next === undefined) return { items, resourceVersion: page.metadata.resourceVersion }
    }
  }

  /** Changes after `resourceVersion`, until the server ends the watch; `Informer` goes on from there. */
  watch<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: ObjectSelection & ObjectWatchOptions,
  ): AsyncGenerator<WatchEvent<T>, void> {
    return watchOnce(this.#requester, resource, options)
  }

  /** Makes an object; with `generateName` the server completes the name. */
  create<T extends KubernetesObject>(resource: ApiResource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const path = pathOf(resource, object.metadata?.namespace)
    return this.#write({ method: 'POST', path, body: named(resource, object) }, options)
  }

  /** Replaces what was read: refused with `api_conflict` when somebody changed it meanwhile. */
  replace<T extends KubernetesObject>(resource: ApiResource<T>, object: T, options: WriteOptions = {}): Promise<T> {
    const path = pathOfObject(resource, refOf(object), options.subresource)
    return this.#write({ method: 'PUT', path, body: named(resource, object) }, options)
  }

  /** A JSON merge patch: fields that are there replace, `null` removes, lists are replaced whole. */
  merge<T extends KubernetesObject>(
    resource: ApiResource<T>,
    ref: ObjectRef,
    patch: object,
    options: WriteOptions = {},
  ): Promise<T> {
    const path = pathOfObject(resource, ref, options.subresource)
    return this.#write({ method: 'PATCH', path, body: patch, contentType: 'application/merge-patch+json' }, options)
  }

  /** Server-side apply: these fields are ours from then on; those that we no longer name go. Creates what is not there. */
  apply<T extends KubernetesObject>(resource: ApiResource<T>, object: T, options: ApplyOptions = {}): Promise<T> {
    const path = pathOfObject(resource, refOf(object), options.subresource)
    const body = named(resource, object)
    const query = { force: options.force === true }
    return this.#write({ method: 'PATCH', path, query, body, contentType: 'application/apply-patch+yaml' }, options)
  }

  /** Deletes an object; answers it as it was, or a `Status` once it is gone. */
  delete<T extends KubernetesObject>(
    resource: ApiResource<T>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<T | Status> {
    const { gracePeriodSeconds, propagationPolicy, uid, signal } = options
    const preconditions = uid === undefined ? undefined : { uid }
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds, propagationPolicy, preconditions }
    return this.request({ method: 'DELETE', path: pathOfObject(resource, ref), body, signal })
  }

  /** How many replicas a workload wants and has. */
  getScale(resource: ApiResource<KubernetesObject>, ref: ObjectRef, options: CallOptions = {}): Promise<Scale> {
    return this.request({ method: 'GET', path: pathOfObject(resource, ref, 'scale'), signal: options.signal })
  }

  /** Sets the replicas that a workload wants. */
  setScale(
    resource: ApiResource<KubernetesObject>,
    ref: ObjectRef,
    replicas: number,
    options: WriteOptions = {},
  ): Promise<Scale> {
    return this.merge(resource as ApiResource<Scale>, ref, { spec: { replicas } }, { ...options, subresource: 'scale' })
  }

  /**
   * Asks for the eviction of a pod, once.
   * @throws {KubernetesError} `api_too_many_requests` where a disruption budget is in the way: ask again later
   */
  evict(ref: ObjectRef, options: EvictOptions): Promise<Status> {
    const { apiVersion, gracePeriodSeconds, uid, signal } = options
    const preconditions = uid === undefined ? undefined : { uid }
    const body = { apiVersion, kind: 'Eviction', metadata: ref, deleteOptions: { gracePeriodSeconds, preconditions } }
    return this.request({ method: 'POST', path: pathOfObject(PODS, ref, 'eviction'), body, attempts: 1, signal })
  }

  /**
   * Changes the resources of containers that run, in place.
   * @param resources  by container
   * @throws {KubernetesError} `api_not_found` where the cluster cannot (before 1.32): evict instead
   */
  resize(
    ref: ObjectRef,
    resources: Readonly<Record<string, ContainerResources>>,
    options: WriteOptions = {},
  ): Promise<PodObject> {
    const containers = Object.entries(resources).map(([name, of]) => ({ name, resources: of }))
    const path = pathOfObject(PODS, ref, 'resize')
    const contentType = 'application/strategic-merge-patch+json'
    return this.#write({ method: 'PATCH', path, body: { spec: { containers } }, contentType }, options)
  }

  /** Closes the connections; requests under way fail. */
  close(): void {
    this.#requester.connection.close()
  }

  #write<T>(request: ApiRequest, { fieldManager = 'trimtab', isDryRun, signal }: WriteOptions): Promise<T> {
    const query = { ...request.query, fieldManager, dryRun: isDryRun ? 'All' : undefined }
    return this.request({ ...request, query, signal })
  }
}

/** The server wants kind and version in every object; those of the resource stand in for what the caller left out. */
const named = <T extends KubernetesObject>({ apiVersion, kind }: ApiResource<T>, object: T): T => ({
  apiVersion,
  kind,
  ...object,
})

/** The name of an object; a missing one ends in a path that the server refuses. */
function refOf({ metadata = {} }: KubernetesObject): ObjectRef {
  const { name = '', namespace } = metadata
  return { name, ...(namespace === undefined ? {} : { namespace }) }
}
