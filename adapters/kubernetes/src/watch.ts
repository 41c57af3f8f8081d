import type { IncomingMessage } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import { AdapterError } from '@trimtab/core'
import { KubernetesError, toTransportError } from './errors.js'
import { silent } from './http/connection.js'
import type { Requester } from './http/requester.js'
import { type ApiResource, type ObjectSelection, pathOf } from './resource.js'
import type { KubernetesObject, Status } from './types.js'

/** One change. A bookmark is none: it only says up to where nothing was missed. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: T
}

/** From where, and how patient. */
export interface ObjectWatchOptions {
  /** Of a list, or of the last event. */
  readonly resourceVersion: string
  /** The server ends the watch after this; default 300. */
  readonly timeoutSeconds?: number
  /** Without a byte for so long, the watch is given up; default 90,000: bookmarks come every minute. */
  readonly silenceMs?: number
  readonly signal?: AbortSignal
  /** The server has taken the watch. */
  readonly onOpen?: () => void
}

/** No event is as large: a line without an end is no watch. */
const LONGEST_LINE = 64 * 1024 * 1024

/**
 * One watch, until the server ends it.
 * @throws {KubernetesError} `api_expired` (410): the version is too old, list again
 * @throws {AdapterError} `api_silent`, `api_broken_off`, `api_unreadable`
 */
export async function* watchOnce<T extends KubernetesObject>(
  requester: Requester,
  resource: ApiResource<T>,
  options: ObjectSelection & ObjectWatchOptions,
): AsyncGenerator<WatchEvent<T>, void> {
  const {
    namespace,
    labelSelector,
    fieldSelector,
    resourceVersion,
    timeoutSeconds = 300,
    silenceMs = 90_000,
    signal,
    onOpen,
  } = options
  const path = pathOf(resource, namespace)
  const asked = `watch ${path}`
  const query = {
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion,
    timeoutSeconds,
    labelSelector,
    fieldSelector,
  }
  const answer = await requester.stream({ method: 'GET', path, query, signal })
  onOpen?.()
  try {
    for await (const line of linesOf(answer, asked, silenceMs)) yield toEvent(line, asked)
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    answer.destroy()
  }
}

async function* linesOf(answer: IncomingMessage, asked: string, silenceMs: number): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8')
  const restless = setTimeout(() => answer.destroy(silent(asked, silenceMs)), silenceMs)
  let rest = ''
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      restless.refresh()
      const lines = (rest + decoder.write(chunk)).split('\n')
      rest = lines.pop()!
      if (rest.length > LONGEST_LINE) throw new AdapterError('api_unreadable', `${asked}: an event without an end`)
      yield* lines.filter((line) => line !== '')
      restless.refresh()
    }
  } catch (error) {
    throw error instanceof AdapterError ? error : toTransportError(error as Error, asked)
  } finally {
    clearTimeout(restless)
  }
}

function toEvent<T>(line: string, asked: string): WatchEvent<T> {
  let event: { type: string; object: T & Status }
  try {
    event = JSON.parse(line)
  } catch (cause) {
    throw new AdapterError('api_unreadable', `${asked}: an event that is not JSON (${(cause as Error).message})`, {
      cause,
    })
  }
  if (event.type !== 'ERROR') return event as WatchEvent<T>
  const { code = 500 } = event.object
  throw new KubernetesError(code, code === 410 ? { ...event.object, reason: 'Expired' } : event.object, asked)
}
