import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { readBody } from '@trimtab/node/http'
import type { JsonObject } from '../protocol.js'
import { malformed, notFound, tooLarge, unauthorised } from './whisk-error.js'

/** One request, as routes see it. */
export interface Call {
  readonly method: string
  /** Behind `/api/v1/`: `['namespaces', '_', 'actions', 'hello']`. */
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  /** The body; empty: an empty object. @throws {WhiskError} 400, 413 */
  body(field: string, mostBytes: number): Promise<JsonObject>
}

/** What is sent back. */
export interface Answer {
  readonly status: number
  readonly body: unknown
  readonly activationId?: string
}

/** @throws {WhiskError} 404: no path of the API */
export function callOf(request: IncomingMessage): Call {
  const url = new URL(request.url ?? '/', 'http://any')
  const match = /^\/api\/v1(?:\/|$)(.*)$/.exec(url.pathname)
  if (match === null) throw notFound()
  return {
    method: request.method ?? 'GET',
    segments: match[1]!.split('/').filter(Boolean).map(decode),
    query: url.searchParams,
    async body(field, mostBytes) {
      const text = await readBody(request, mostBytes)
      if (text === undefined) throw tooLarge(field, mostBytes)
      return text.trim() === '' ? {} : objectOf(text)
    },
  }
}

/** Whose name a caller's credentials stand for: found by their hash, so that the time it takes tells nothing. */
export class Credentials<T> {
  readonly #owners = new Map<string, T>()

  add(uuid: string, key: string, owner: T): void {
    this.#owners.set(hash(`${uuid}:${key}`), owner)
  }

  /** @throws {WhiskError} 401 */
  ownerOf(authorization: string | undefined): T {
    const [, encoded] = /^Basic (.+)$/i.exec(authorization ?? '') ?? []
    const owner = encoded && this.#owners.get(hash(Buffer.from(encoded, 'base64').toString()))
    if (!owner) throw unauthorised()
    return owner
  }
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64')

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw notFound() // no name is spelled like that
  }
}

function objectOf(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw malformed((error as Error).message)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('it must be an object')
  return value as JsonObject
}
