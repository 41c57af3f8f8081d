import type { AdapterError } from '@trimtab/core'
import type { CallOptions, KubernetesClient } from './client.js'
import { hasCode } from './errors.js'
import type { ApiResource, ObjectSelection } from './resource.js'
import type { KubernetesObject, ObjectRef } from './types.js'
import type { WatchEvent } from './watch.js'

/** What became of one object. */
export type ObjectChange<T> =
  | { readonly type: 'added'; readonly object: T }
  | { readonly type: 'modified'; readonly object: T; readonly before: T }
  | { readonly type: 'deleted'; readonly object: T }

/** What an informer tells. */
export interface InformerListener<T> {
  /** One object came, changed or went; also what a new list shows to have happened meanwhile. */
  onChange?(change: ObjectChange<T>): void
  /** The API server cannot be followed at the moment; the cache holds what was last known, and tries go on. */
  onFailure?(error: AdapterError): void
}

/** Which objects, and how patient. */
export interface InformerOptions extends Omit<ObjectSelection, 'namespace'> {
  /** Default: all. Each is listed and watched apart, so that roles in these alone are enough. */
  readonly namespaces?: readonly string[] | undefined
  /** Without a byte from the server for so long, all is listed again; default 90,000. */
  readonly silenceMs?: number
}

/** A watch ends after this or up to twice as long: those of many clients do not begin at once. */
const WATCH_SECONDS = 300

/** What is listed and watched at once: a namespace, or all. */
interface Scope {
  readonly namespace?: string
  failure: AdapterError | undefined
  heardAtMs: number
  isListed: boolean
}

/**
 * A copy of the objects of one kind that follows the server: one list, then a watch that goes on where it ended. It lists again only
 * when the server has forgotten where we were (410) or is silent; changes that it missed are told then.
 */
export class Informer<T extends KubernetesObject> {
  readonly #client: KubernetesClient
  readonly #resource: ApiResource<T>
  readonly #options: Omit<InformerOptions, 'namespaces'>
  readonly #scopes: readonly Scope[]
  readonly #listeners = new Set<InformerListener<T>>()
  readonly #objects = new Map<string, T>()
  #noteListed!: () => void

  /** Resolves when the first list has come in. */
  readonly listed: Promise<void> = new Promise((resolve) => {
    this.#noteListed = resolve
  })

  constructor(client: KubernetesClient, resource: ApiResource<T>, options: InformerOptions = {}) {
    const { namespaces, ...selection } = options
    const unheard = { failure: undefined, heardAtMs: Number.NEGATIVE_INFINITY, isListed: false }
    this.#client = client
    this.#resource = resource
    this.#options = selection
    this.#scopes = namespaces?.map((namespace) => ({ namespace, ...unheard })) ?? [unheard]
  }

  /** Tells `listener` from now on, first of all that is there already; the returned function ends it. */
  listen(listener: InformerListener<T>): () => void {
    this.#listeners.add(listener)
    for (const object of this.#objects.values()) listener.onChange?.({ type: 'added', object })
    return () => this.#listeners.delete(listener)
  }

  /** Why the server cannot be followed now; undefined while it can. */
  get failure(): AdapterError | undefined {
    return this.#scopes.find(({ failure }) => failure !== undefined)?.failure
  }

  /** Whether the first list has come in: before, an absent object means nothing. */
  get isReady(): boolean {
    return this.#scopes.every(({ isListed }) => isListed)
  }

  /** How long ago the server was last heard, in ms: how old the copy may be. Infinite before the first list. */
  get silentForMs(): number {
    return performance.now() - Math.min(...this.#scopes.map(({ heardAtMs }) => heardAtMs))
  }

  /** One object as last heard of. */
  get({ namespace, name }: ObjectRef): T | undefined {
    return this.#objects.get(`${namespace ?? ''}/${name}`)
  }

  /** All objects as last heard of. */
  values(): IterableIterator<T> {
    return this.#objects.values()
  }

  /** How many there are. */
  get size(): number {
    return this.#objects.size
  }

  /** Follows the server until `signal` is aborted; failures are told and waited out. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#scopes.map((scope) => this.#follow(scope, signal)))
  }

  async #follow(scope: Scope, signal: AbortSignal): Promise<void> {
    const selection = { ...this.#options, ...(scope.namespace !== undefined && { namespace: scope.namespace }) }
    const backoff = this.#client.createBackoff()
    let resourceVersion: string | undefined
    while (!signal.aborted) {
      try {
        resourceVersion ??= await this.#list(scope, { ...selection, signal })
        let events = 0
        const timeoutSeconds = Math.round(WATCH_SECONDS * (1 + this.#client.random.uniform()))
        const onOpen = (): void => heard(scope)
        const options = { ...selection, resourceVersion, timeoutSeconds, signal, onOpen }
        for await (const event of this.#client.watch(this.#resource, options)) {
          resourceVersion = this.#take(event)
          heard(scope)
          if (events++ === 0) backoff.reset()
        }
        if (events === 0) await backoff.wait(signal) // a server that ends every watch at once is not asked without a pause
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof Error && 'code' in error)) throw error
        const mustList = hasCode(error, 'api_expired', 'api_gone', 'api_silent')
        if (mustList) resourceVersion = undefined
        this.#fail(scope, error as AdapterError)
        await backoff.wait(signal).catch(() => {})
      }
    }
  }

  async #list(scope: Scope, selection: ObjectSelection & CallOptions): Promise<string> {
    const { items, resourceVersion } = await this.#client.list(this.#resource, selection)
    const gone = new Set(this.#objects.keys())
    if (scope.namespace !== undefined)
      for (const key of gone) if (!key.startsWith(`${scope.namespace}/`)) gone.delete(key)
    for (const object of items) {
      gone.delete(keyOf(object))
      this.#put(object)
    }
    for (const key of gone) this.#drop(key)
    scope.isListed = true
    if (this.isReady) this.#noteListed()
    heard(scope)
    return resourceVersion
  }

  /** @returns from where to go on */
  #take({ type, object }: WatchEvent<T>): string {
    if (type === 'DELETED') this.#drop(keyOf(object), object)
    else if (type !== 'BOOKMARK') this.#put(object)
    return object.metadata!.resourceVersion!
  }

  #fail(scope: Scope, error: AdapterError): void {
    scope.failure = error
    for (const listener of this.#listeners) listener.onFailure?.(error)
  }

  #put(object: T): void {
    const key = keyOf(object)
    const before = this.#objects.get(key)
    if (before?.metadata?.resourceVersion === object.metadata?.resourceVersion && before !== undefined) return
    this.#objects.set(key, object)
    this.#tell(before === undefined ? { type: 'added', object } : { type: 'modified', object, before })
  }

  #drop(key: string, last: T | undefined = this.#objects.get(key)): void {
    if (this.#objects.delete(key) && last !== undefined) this.#tell({ type: 'deleted', object: last })
  }

  #tell(change: ObjectChange<T>): void {
    for (const listener of this.#listeners) listener.onChange?.(change)
  }
}

function heard(scope: Scope): void {
  scope.heardAtMs = performance.now()
  scope.failure = undefined
}

const keyOf = ({ metadata }: KubernetesObject): string => `${metadata?.namespace ?? ''}/${metadata?.name}`
