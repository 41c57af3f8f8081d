// The event streams of watches: from a revision on, with bookmarks, until their time is up.
import type { ServerResponse } from 'node:http'
import type { StandInClock } from './clock.js'
import { apiVersionOf, type Kind } from './kinds.js'
import type { Stored } from './objects.js'
import { inVersion, type Registry } from './registry.js'
import type { Change } from './store.js'

export interface WatchRequest {
  readonly kind: Kind
  readonly namespace: string | undefined
  readonly selects: (object: Stored) => boolean
  /** Empty or 0: all objects there are come first. */
  readonly resourceVersion: string
  readonly timeoutMs: number
  readonly wantsBookmarks: boolean
  /** As a table or as it is. */
  readonly shape: (object: Stored) => object
}

export class Watches {
  readonly #registry: Registry
  readonly #clock: StandInClock
  readonly #bookmarkMs: number
  readonly #open = new Set<ServerResponse>()

  constructor(registry: Registry, bookmarkMs: number) {
    this.#registry = registry
    this.#clock = registry.clock
    this.#bookmarkMs = bookmarkMs
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size
  }

  /** Cuts all connections of watches, as a server that dies does. */
  drop(): void {
    for (const response of this.#open) response.destroy()
  }

  serve(request: WatchRequest, response: ServerResponse): void {
    const { store } = this.#registry
    response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' })
    response.flushHeaders()
    const send = (type: string, object: object): void => void response.write(`${JSON.stringify({ type, object })}\n`)
    const from = Number(request.resourceVersion || '0')
    if (from > 0 && from < store.oldestRevision) {
      const message = `too old resource version: ${from} (${store.oldestRevision})`
      send('ERROR', {
        apiVersion: 'v1',
        kind: 'Status',
        metadata: {},
        status: 'Failure',
        reason: 'Expired',
        code: 410,
        message,
      })
      response.end()
      return
    }
    this.#open.add(response)
    const tell = (change: Change): void => this.#tell(change, request, send)
    if (from === 0) {
      for (const object of store.list(request.kind.collection, request.namespace).filter(request.selects))
        send('ADDED', request.shape(inVersion(request.kind, object)))
    } else for (const change of store.since(from)) tell(change)
    const stop = (): void => {
      for (const end of ends.splice(0)) end()
      this.#open.delete(response)
    }
    const ends = [
      store.listen(tell),
      this.#repeatBookmarks(request, send),
      this.#clock.after(request.timeoutMs, () => {
        stop() // nothing is said after the end
        response.end()
      }),
    ]
    response.on('close', stop)
  }

  /** An object that begins or ceases to be selected comes or goes, whatever happened to it. */
  #tell(
    { type, collection, object, before }: Change,
    { kind, namespace, selects, shape }: WatchRequest,
    send: (type: string, object: object) => void,
  ): void {
    if (collection !== kind.collection || (namespace !== undefined && object.metadata.namespace !== namespace)) return
    const was = before !== undefined && selects(before)
    const is = type !== 'DELETED' && selects(object)
    if (!was && !is) return
    send(is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED', shape(inVersion(kind, object)))
  }

  #repeatBookmarks({ kind, wantsBookmarks }: WatchRequest, send: (type: string, object: object) => void): () => void {
    if (!wantsBookmarks) return () => {}
    const next = (): (() => void) =>
      this.#clock.after(this.#bookmarkMs, () => {
        const metadata = { resourceVersion: String(this.#registry.store.revision), creationTimestamp: null }
        send('BOOKMARK', { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata })
        callOff = next()
      })
    let callOff = next()
    return () => callOff()
  }
}
