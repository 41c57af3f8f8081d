import type { IncomingMessage } from 'node:http'
import { AdapterError, Problems, type RandomSource } from '@trimtab/core'
import { retryAfterMs } from '@trimtab/node/http'
import type { Cluster } from '../config/cluster.js'
import { hasCode, KubernetesError } from '../errors.js'
import type { Status } from '../types.js'
import { Backoff, type BackoffOptions } from './backoff.js'
import { type ApiRequest, Connection } from './connection.js'

/** How patient a client is. */
export interface RequesterOptions {
  /** Jitter of waits; another seed for each replica, or all come back at once. */
  readonly random: Pick<RandomSource, 'uniform'>
  /** Tries of one request; default 5. */
  readonly attempts?: number
  readonly backoff?: BackoffOptions
  /** Without an answer for so long, a request is given up; default 30,000. */
  readonly silenceMs?: number
  /** A `Retry-After` beyond this is not waited for; default 60,000. */
  readonly longestWaitMs?: number
  /** Told of each try that failed, also of those that are repeated. */
  readonly onFailure?: (error: AdapterError) => void
}

/**
 * Sends requests until they are answered. Repeated are: reads that met a broken connection, silence or 500 … 504; anything that was not taken: a
 * refused connection, 429 and 503 with `Retry-After`; after a 401 once, with credentials read anew. A write that may have
 * been carried out is never sent twice.
 */
export class Requester {
  readonly connection: Connection
  readonly #cluster: Cluster
  readonly #options: RequesterOptions

  /** @throws {ConfigError} `config_invalid` */
  constructor(cluster: Cluster, options: RequesterOptions) {
    const { attempts = 5, silenceMs = 30_000, backoff = {}, longestWaitMs = 60_000 } = options
    const problems = new Problems()
    problems.checkKeys(options, ['random', 'attempts', 'backoff', 'silenceMs', 'longestWaitMs', 'onFailure'], 'options')
    problems.checkKeys(backoff, ['firstMs', 'mostMs'], 'options.backoff')
    problems.check(
      Number.isInteger(attempts) && attempts >= 1,
      `attempts must be a whole number above 0, got ${attempts}`,
    )
    const { firstMs = 1, mostMs = 1 } = backoff
    for (const [name, value] of Object.entries({
      silenceMs,
      longestWaitMs,
      'backoff.firstMs': firstMs,
      'backoff.mostMs': mostMs,
    }))
      problems.check(value > 0 && value < 2 ** 31, `${name} must be above 0 and below 2^31, got ${value}`)
    problems.throwIfAny('Kubernetes client')
    this.#cluster = cluster
    this.#options = options
    this.connection = new Connection(cluster, silenceMs)
  }

  /**
   * The answer as JSON.
   * @throws {KubernetesError} what the server said no to
   * @throws {AdapterError} `api_unreachable`, `api_untrusted`, `api_broken_off`, `api_silent`, `api_unreadable`
   */
  json<T>(request: ApiRequest): Promise<T> {
    return this.#repeat(request, async (answer) => {
      const asked = nameOf(request)
      const body = await this.connection.read(answer, asked)
      try {
        return JSON.parse(body) as T
      } catch (cause) {
        throw new AdapterError('api_unreadable', `${asked}: the answer is not JSON (${(cause as Error).message})`, {
          cause,
        })
      }
    })
  }

  /** The answer as it comes in, for watches. @throws as `json` */
  stream(request: ApiRequest): Promise<IncomingMessage> {
    return this.#repeat(request, async (answer) => answer)
  }

  async #repeat<T>(request: ApiRequest, read: (answer: IncomingMessage) => Promise<T>): Promise<T> {
    const { random, backoff: pace, longestWaitMs = 60_000, onFailure } = this.#options
    const attempts = request.attempts ?? this.#options.attempts ?? 5
    const backoff = new Backoff(random, pace)
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(await this.#authorised(request))
      } catch (error) {
        request.signal?.throwIfAborted()
        onFailure?.(error as AdapterError)
        const leastMs = waitBefore(error, request.method === 'GET')
        if (attempt >= attempts || leastMs === undefined || leastMs > longestWaitMs) throw error
        await backoff.wait(request.signal, leastMs)
      }
    }
  }

  /** Sends with the credentials that are held, and once more with new ones when these are refused. */
  async #authorised(request: ApiRequest): Promise<IncomingMessage> {
    const identity = await this.#cluster.credentials()
    const answer = await this.connection.send(request, identity)
    if (answer.statusCode !== 401) return this.#accepted(answer, request)
    answer.resume()
    const renewed = await this.#cluster.credentials(identity)
    return this.#accepted(await this.connection.send(request, renewed), request)
  }

  async #accepted(answer: IncomingMessage, request: ApiRequest): Promise<IncomingMessage> {
    const { statusCode = 0 } = answer
    if (statusCode >= 200 && statusCode < 300) return answer
    const asked = nameOf(request)
    const body = await this.connection.read(answer, asked)
    throw new KubernetesError(statusCode, toStatus(body), asked, { retryAfterMs: retryAfterMs(answer) })
  }
}

const nameOf = ({ method, path }: ApiRequest): string => `${method} ${path}`

/** A proxy before the server answers in words of its own: they are the message. */
function toStatus(body: string): Status {
  try {
    const answer = JSON.parse(body)
    if (answer?.kind === 'Status') return answer
  } catch {
    // no JSON: a page or a line of text
  }
  return { message: body.trim().slice(0, 300) }
}

/** How long to wait at least before a failed request is sent again; undefined: it is not. */
function waitBefore(error: unknown, isRead: boolean): number | undefined {
  if (hasCode(error, 'api_unreachable')) return 0
  if (hasCode(error, 'api_broken_off', 'api_silent', 'api_unreadable')) return isRead ? 0 : undefined
  const { httpStatus, retryAfterMs } = error as Partial<KubernetesError>
  if (httpStatus === undefined) return undefined
  if (retryAfterMs !== undefined) return retryAfterMs
  return isRead && (httpStatus === 429 || (httpStatus >= 500 && httpStatus <= 504)) ? 0 : undefined
}
