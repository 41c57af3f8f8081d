import { backOffMs, type Sleep, sleep as timerSleep } from '@trimtab/control'
import { AdapterError, Problems, TrimtabError } from '@trimtab/core'
import { printable } from '@trimtab/core/text'
import {
  basicAuthorization,
  HTTP_CLIENT_OPTIONS,
  type HttpAnswer,
  HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  retryAfterMs,
} from '@trimtab/node/http'
import type { JsonObject, NamespaceLimits, WhiskActionLimits } from '../protocol.js'
import { type ActionReport, type ActivationReport, readAction, readActivation, readNamespaceLimits } from './reports.js'

/** Where the platform is, and who asks. */
export interface WhiskClientOptions extends Omit<HttpClientOptions, 'authorization'> {
  /** `uuid:key`; a function is asked for every request. */
  readonly auth: string | (() => string)
  /** Default `_`: the one that the credentials belong to. */
  readonly namespace?: string
  /** How often reads and changes are tried while the platform is throttled (429), ill (5xx) or away; default 4. */
  readonly attempts?: number
  /** Between tries; default: the host's timer. */
  readonly sleep?: Sleep
}

/** Which activations are listed: those that began from `since` up to `upto`, both included, unix ms; the latest first. */
export interface ActivationQuery {
  readonly name?: string | undefined
  readonly since?: number | undefined
  readonly upto?: number | undefined
  readonly skip?: number | undefined
  /** At most 200. */
  readonly limit?: number | undefined
}

/** A page of activations. */
export interface ActivationPage {
  /** How many records came, read or not. */
  readonly length: number
  readonly activations: readonly ActivationReport[]
  /** The platform's clock, unix ms, in whole seconds; undefined: it does not say. */
  readonly timeMs: number | undefined
}

/** The longest that a server may make us wait. */
const LONGEST_WAIT_MS = 30_000
const MOST_LISTED = 200

/**
 * Asks one namespace of a platform over its REST API.
 *
 * Errors are `AdapterError`s: `whisk_denied` (401, 403), `whisk_not_found`, `whisk_conflict` (409), `whisk_throttled` (429), `whisk_refused` (any
 * other 4xx), `whisk_failed` (5xx), `whisk_answer_invalid`, and `http_*` of the network.
 */
export class WhiskClient {
  readonly #http: HttpClient
  readonly #base: string
  readonly #attempts: number
  readonly #sleep: Sleep

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: WhiskClientOptions) {
    const { auth, namespace = '_', attempts = 4, sleep = timerSleep, ...http } = options
    const problems = new Problems()
    problems.checkKeys(options, [...HTTP_CLIENT_OPTIONS, 'auth', 'namespace', 'attempts', 'sleep'], 'options')
    problems.check(typeof auth === 'function' || /^[^:]+:.+$/.test(auth), 'auth must be uuid:key')
    problems.check(attempts >= 1, `attempts must be at least 1, got ${attempts}`)
    problems.throwIfAny('OpenWhisk client')
    this.#http = new HttpClient({ ...http, authorization: () => authorizationOf(auth) })
    this.#base = `/api/v1/namespaces/${encodeURIComponent(namespace)}`
    this.#attempts = attempts
    this.#sleep = sleep
  }

  /** The platform as it may be said. */
  get url(): string {
    return this.#http.url
  }

  /** What the namespace may take, as it is now. */
  async limits(signal?: AbortSignal): Promise<NamespaceLimits> {
    return readNamespaceLimits((await this.#ask({ method: 'GET', path: '/limits' }, signal)).value)
  }

  /** All actions. */
  async actions(signal?: AbortSignal): Promise<ActionReport[]> {
    const found = new Map<string, ActionReport>()
    for (let skip = 0; ; skip += MOST_LISTED) {
      const query = { limit: String(MOST_LISTED), skip: String(skip) }
      const page = listOf((await this.#ask({ method: 'GET', path: '/actions', query }, signal)).value)
      for (const action of page.map(readAction)) found.set(action.name, action)
      if (page.length < MOST_LISTED) return [...found.values()]
    }
  }

  /** One action without its code. @throws {AdapterError} `whisk_not_found` */
  async action(name: string, signal?: AbortSignal): Promise<ActionReport> {
    const request = { method: 'GET', path: pathOf(name), query: { code: 'false' } } as const
    return readAction((await this.#ask(request, signal)).value)
  }

  /** Makes a new version of an action with these limits; what is not named stays. @throws {AdapterError} `whisk_conflict`, `whisk_refused` */
  async changeLimits(name: string, limits: Partial<WhiskActionLimits>, signal?: AbortSignal): Promise<ActionReport> {
    const request = { method: 'PUT', path: pathOf(name), query: { overwrite: 'true' }, ...json({ limits }) } as const
    return readAction((await this.#ask(request, signal)).value)
  }

  /**
   * Calls an action and waits until it has ended, `waitMs` at most; an error of its own is no error here. Tried once.
   * @returns the activation's id
   * @throws {AdapterError} `whisk_throttled`, …
   */
  async invoke(name: string, parameters: JsonObject, waitMs: number, signal?: AbortSignal): Promise<string> {
    const query = { blocking: 'true', timeout: String(waitMs) }
    const answer = await this.#http.send(
      { method: 'POST', path: this.#base + pathOf(name), query, ...json(parameters) },
      signal,
    )
    const id = answer.headers['x-openwhisk-activation-id'] ?? idOf(answer.body)
    if (typeof id !== 'string') throw this.#refusal(answer)
    return id
  }

  /** A page of activations that have ended. */
  async activations(
    { name, since, upto, skip, limit = MOST_LISTED }: ActivationQuery,
    signal?: AbortSignal,
  ): Promise<ActivationPage> {
    const query = Object.fromEntries(
      Object.entries({ name, since, upto, skip, limit }).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, String(value)]],
      ),
    )
    const { value, timeMs } = await this.#ask({ method: 'GET', path: '/activations', query }, signal)
    const page = listOf(value)
    return { length: page.length, activations: page.flatMap((record) => readActivation(record) ?? []), timeMs }
  }

  /** Closes the connections. May be called twice. */
  dispose(): void {
    this.#http.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  async #ask(request: HttpRequest, signal: AbortSignal = new AbortController().signal): Promise<Answered> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#try({ ...request, path: this.#base + request.path }, signal)
      if ('value' in outcome) return outcome
      if (attempt >= this.#attempts || !outcome.isPassing) throw outcome.error
      await this.#sleep(Math.min(LONGEST_WAIT_MS, outcome.afterMs ?? backOffMs(attempt)), signal)
      signal.throwIfAborted()
    }
  }

  async #try(request: HttpRequest, signal: AbortSignal): Promise<Outcome> {
    let answer: HttpAnswer
    try {
      answer = await this.#http.send(request, signal)
    } catch (error) {
      signal.throwIfAborted()
      return { error, isPassing: error instanceof TrimtabError }
    }
    const { statusCode, body } = answer
    if (statusCode === 200) return { value: parse(body), timeMs: timeOf(answer) }
    return {
      error: this.#refusal(answer),
      isPassing: statusCode === 429 || statusCode >= 500,
      afterMs: retryAfterMs(answer),
    }
  }

  #refusal({ statusCode, body }: HttpAnswer): AdapterError {
    const code = CODES[statusCode] ?? (statusCode >= 500 ? 'whisk_failed' : 'whisk_refused')
    return new AdapterError(code, printable(`${this.url}: HTTP ${statusCode}, ${errorOf(body) ?? body.slice(0, 200)}`))
  }
}

interface Answered {
  readonly value: unknown
  readonly timeMs: number | undefined
}

type Outcome =
  | Answered
  | { readonly error: unknown; readonly isPassing: boolean; readonly afterMs?: number | undefined }

const CODES: Readonly<Record<number, string>> = {
  401: 'whisk_denied',
  403: 'whisk_denied',
  404: 'whisk_not_found',
  409: 'whisk_conflict',
  429: 'whisk_throttled',
}

function authorizationOf(auth: WhiskClientOptions['auth']): string {
  const [uuid = '', ...key] = (typeof auth === 'function' ? auth() : auth).split(':')
  return basicAuthorization(uuid, key.join(':'))
}

/** `hello`, or `package/hello`. */
const pathOf = (name: string): string => `/actions/${name.split('/').map(encodeURIComponent).join('/')}`

const json = (body: JsonObject): Pick<HttpRequest, 'headers' | 'body'> => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

function timeOf({ headers }: HttpAnswer): number | undefined {
  const timeMs = Date.parse(headers.date ?? '')
  return Number.isNaN(timeMs) ? undefined : timeMs
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    const message = `no answer of OpenWhisk's API: ${printable(body.slice(0, 200))} (is the URL right?)`
    throw new AdapterError('whisk_answer_invalid', message, { cause })
  }
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new AdapterError('whisk_answer_invalid', 'a list of OpenWhisk must be an array')
  return value
}

const fieldOf = (body: string, name: string): unknown => {
  try {
    return JSON.parse(body)?.[name]
  } catch {
    return undefined // somebody else answered, a proxy
  }
}
const idOf = (body: string): unknown => fieldOf(body, 'activationId')
const errorOf = (body: string): string | undefined => {
  const error = fieldOf(body, 'error')
  return typeof error === 'string' ? error : undefined
}
