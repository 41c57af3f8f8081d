import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@trimtab/core'
import type { Action, ActivationStatus, JsonObject } from '../protocol.js'
import { ActionStore } from './action-store.js'
import { ActivationLog, summaryOf } from './activation-log.js'
import type { Answer, Call } from './call.js'
import { startActivation } from './invoke.js'
import type { FunctionPlatform } from './platform.js'
import { pageOf, truthOf, wholeOf } from './query.js'
import { Throttle } from './throttle.js'
import { forbidden, malformed, notAllowed, notFound, WhiskError } from './whisk-error.js'

const MOST_CODE_BYTES = 48 * 2 ** 20
const MOST_PAYLOAD_BYTES = 2 ** 20
/** How a name is spelled; one with `/` would be in a package, of which there are none here. */
const NAME = /^\w(?:[\w@ .&-]{0,254}[\w@.&-])?$/

/** What all namespaces share. */
export interface RouteOptions {
  readonly platform: FunctionPlatform
  readonly clock: Clock
  /** The longest that a blocking call waits, ms. */
  readonly mostBlockingMs: number
  /** Records kept of a namespace. */
  readonly mostActivations: number
}

/** What one namespace may be asked. */
export class NamespaceRoutes {
  readonly name: string
  readonly #options: RouteOptions
  readonly #actions: ActionStore
  readonly #activations: ActivationLog
  readonly #throttle = new Throttle()

  constructor(name: string, options: RouteOptions) {
    this.name = name
    this.#options = options
    this.#actions = new ActionStore(name)
    this.#activations = new ActivationLog(options.mostActivations)
  }

  /** @throws {WhiskError} what the caller may not or cannot */
  async answer(call: Call): Promise<Answer> {
    const [root, namespace, collection, name, part] = call.segments
    if (root !== 'namespaces' || call.segments.length > 5) throw notFound()
    if (namespace !== undefined && namespace !== '_' && namespace !== this.name) throw forbidden()
    if (collection === 'actions' && name !== undefined && part === undefined) return this.#action(call, name)
    if (call.method !== 'GET') throw notAllowed()
    return { status: 200, body: this.#read(call.query, collection, name, part) }
  }

  #read(query: URLSearchParams, collection: string | undefined, name: string | undefined, part?: string): unknown {
    if (collection === undefined) return [this.name]
    if (collection === 'limits' && name === undefined) return this.#options.platform.limits(this.name)
    if (collection === 'actions' && name === undefined) return this.#listActions(query)
    if (collection !== 'activations') throw notFound()
    return name === undefined ? this.#listActivations(query) : this.#activation(name, part)
  }

  #listActions(query: URLSearchParams): unknown {
    const { skip, limit } = pageOf(query, 'actions')
    const all = this.#actions.all.slice(skip)
    return truthOf(query, 'count', false) ? { actions: all.length } : all.slice(0, limit).map(withoutCode)
  }

  async #action(call: Call, name: string): Promise<Answer> {
    if (!NAME.test(name)) throw new WhiskError(400, 'The name of the entity contains illegal characters.')
    const { platform, clock } = this.#options
    switch (call.method) {
      case 'GET': {
        const action = this.#actions.get(name)
        return ok(truthOf(call.query, 'code', true) ? action : withoutCode(action))
      }
      case 'PUT': {
        const overwrite = truthOf(call.query, 'overwrite', false)
        const content = await call.body('Action', MOST_CODE_BYTES)
        return ok(await this.#actions.put(name, content, overwrite, { platform, nowMs: clock.now() }))
      }
      case 'DELETE':
        return ok(await this.#actions.remove(name, platform))
      case 'POST':
        return this.#invoke(call, name)
      default:
        throw notAllowed()
    }
  }

  async #invoke({ query, body }: Call, name: string): Promise<Answer> {
    const isBlocking = truthOf(query, 'blocking', false)
    const isResultOnly = truthOf(query, 'result', false)
    const { mostBlockingMs } = this.#options
    const waitMs = wholeOf(query, 'timeout') ?? mostBlockingMs
    if (waitMs > mostBlockingMs) throw malformed(`Timeout must be number of milliseconds up to ${mostBlockingMs}.`)
    const parameters = await body('Request', MOST_PAYLOAD_BYTES)
    const action = this.#actions.get(name)
    const { platform, clock } = this.#options
    const context = { platform, clock, activations: this.#activations, throttle: this.#throttle }
    const { activationId, ended } = startActivation(action, parameters, context)
    const accepted: Answer = { status: 202, body: { activationId }, activationId }
    if (!isBlocking) {
      ended.catch(() => {}) // the caller has gone, and what was not run has no record
      return accepted
    }
    const activation = await within(Math.min(waitMs, action.limits.timeout), ended)
    if (activation === undefined) return accepted
    const { response } = activation
    return { status: HTTP_STATUSES[response.status], body: isResultOnly ? response.result : activation, activationId }
  }

  #listActivations(query: URLSearchParams): unknown {
    const page = pageOf(query, 'activations')
    const name = query.get('name') || undefined
    const filter = { name, since: wholeOf(query, 'since'), upto: wholeOf(query, 'upto') }
    const isFull = truthOf(query, 'docs', false)
    if (truthOf(query, 'count', false)) {
      if (isFull) throw new WhiskError(400, "The parameter 'docs' is not permitted with 'count'.")
      return { activations: this.#activations.count(filter, page.skip) }
    }
    const found = this.#activations.list(filter, page)
    return isFull ? found : found.map(summaryOf)
  }

  #activation(activationId: string, part: string | undefined): unknown {
    if (!/^[0-9a-f]{32}$/.test(activationId)) throw new WhiskError(400, 'The activation id is not valid.')
    const activation = this.#activations.get(activationId)
    switch (part) {
      case undefined:
        return activation
      case 'result':
        return activation.response
      case 'logs':
        return { logs: activation.logs }
      default:
        throw notFound()
    }
  }
}

/** A function that fails by itself is a bad gateway, a platform that fails an error of the server. */
const HTTP_STATUSES: Readonly<Record<ActivationStatus, number>> = {
  success: 200,
  'application error': 502,
  'action developer error': 502,
  'whisk internal error': 500,
}

const ok = (body: unknown): Answer => ({ status: 200, body })

function withoutCode({ exec, ...action }: Action): JsonObject {
  const { code, ...rest } = exec
  return { ...action, exec: rest }
}

/** What comes of a promise in so many milliseconds; undefined: nothing yet. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController()
  const late = sleep(milliseconds, undefined, { signal: timer.signal }).catch(() => undefined)
  promise.catch(() => {}) // where it fails later, nobody waits for it any more
  try {
    return await Promise.race([promise, late])
  } finally {
    timer.abort()
  }
}
