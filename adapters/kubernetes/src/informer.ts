import type { AdapterError } from '@trimtab/core'
import type { KubernetesClient } from './client.js'
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
export interface InformerOptions extends ObjectSelection {
  /** Without a byte from the server for so long, all is listed again; default 90,000. */
  readonly silenceMs?: number
}

/** A watch ends after this or up to twice as long: those of many clients do not begin at once. */
const WATCH_SECONDS = 300

/**
 * A copy of the objects of one kind that follows the server: one list, then a watch that goes on where it ended. It lists again only
 * when the server has forgotten where we were (410) or is silent; changes that it missed are told then.
 */
export class Informer<T extends KubernetesObject> {
  /** Why the server cannot be followed now; undefined while it can. */
  failure: AdapterError | undefined
  readonly #client: KubernetesClient
  readonly #resource: ApiResource<T>
  readonly #options: InformerOptions
  readonly #listeners = new Set<InformerListener<T>>()
  readonly #objects = new Map<string, T>()
  #heardAtMs = Number.NEGATIVE_INFINITY
  #isListed = false

  constructor(client: KubernetesClient, resource: ApiResource<T>, options: InformerOptions = {}) {
    this.#client = client
    this.#resource = resource
    this.#options = options
  }

  /** Tells `listener` from now on, first of all that is there already; the returned function ends it. */
  listen(listener: InformerListener<T>): () => void {
    this.#listeners.add(listener)
    for (const object of this.#objects.values()) listener.onChange?.({ type: 'added', object })
    return () => this.#listeners.delete(listener)
  }

  /** Whether the first list has come in: before, an absent object means nothing. */
  get isReady(): boolean {
    return this.#isListed
  }

  /** How long ago the server was last heard, in ms: how old the copy may be. Infinite before the first list. */
  get silentForMs(): number {
    return performance.now() - this.#heardAtMs
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
    const backoff = this.#client.createBackoff()
    let resourceVersion: string | undefined
    while (!signal.aborted) {
      try {
        resourceVersion ??= await this.#list(signal)
        let events = 0
        const timeoutSeconds = Math.round(WATCH_SECONDS * (1 + this.#client.random.uniform()))
        const options = { ...this.#options, resourceVersion, timeoutSeconds, signal }
        for await (const event of this.#client.watch(this.#resource, options)) {
          resourceVersion = this.#take(event)
          if (events++ === 0) backoff.reset()
        }
        if (events === 0) await backoff.wait(signal) // a server that ends every watch at once is not asked without a pause
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof Error && 'code' in error)) throw error
        const mustList = hasCode(error, 'api_expired', 'api_gone', 'api_silent')
        if (mustList) resourceVersion = undefined
        this.#fail(error as AdapterError)
        await backoff.wait(signal).catch(() => {})
      }
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const { items, resourceVersion } = await this.#client.list(this.#resource, { ...this.#options, signal })
    const gone = new Set(this.#objects.keys())
    for (const object of items) {
      gone.delete(keyOf(object))
      this.#put(object)
    }
    for (const key of gone) this.#drop(key)
    this.#isListed = true
    this.#heard()
    return resourceVersion
  }

  /** @returns from where to go on */
  #take({ type, object }: WatchEvent<T>): string {
    if (type === 'DELETED') this.#drop(keyOf(object), object)
    else if (type !== 'BOOKMARK') this.#put(object)
    this.#heard()
    return object.metadata!.resourceVersion!
  }

  #heard(): void {
    this.#heardAtMs = performance.now()
    this.failure = undefined
  }

  #fail(error: AdapterError): void {
    this.failure = error
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

const keyOf = ({ metadata }: KubernetesObject): string => `${metadata?.namespace ?? ''}/${metadata?.name}`
