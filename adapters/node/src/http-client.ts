import { once } from 'node:events'
import http, { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { AdapterError, Problems } from '@trimtab/core'

/** Where a server is, how it knows us, and what it may take. */
export interface HttpClientOptions {
  /** `https://metrics.example:9090/prefix`; user and password in it are sent as basic authorization. */
  readonly url: string
  /** The header `authorization`. A function is asked for every request, so that a rotated token needs no restart. */
  readonly authorization?: string | (() => string)
  /** Certificates (PEM) of the authorities to trust, in place of the host's. */
  readonly ca?: string
  /** For a whole answer; default 10,000. */
  readonly timeoutMs?: number
  /** The longest answer that is read; default 16 MiB. */
  readonly mostBytes?: number
  /** Requests at once; more wait for one to end. Default 8. */
  readonly mostConnections?: number
}

/** The names of `HttpClientOptions`, for the checks of who adds some of its own. */
export const HTTP_CLIENT_OPTIONS: readonly (keyof HttpClientOptions)[] = [
  'url',
  'authorization',
  'ca',
  'timeoutMs',
  'mostBytes',
  'mostConnections',
]

/** One request; it must do no harm twice: it is sent again where the server has closed an idle connection meanwhile. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Below the client's URL: `/api/v1/query`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A whole answer, whatever its status. */
export interface HttpAnswer {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The header that says user and password. */
export const basicAuthorization = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Short requests to one server, over connections that are kept open: bounded in time and size. */
export class HttpClient {
  /** The server as it may be said: without user and password. */
  readonly url: string
  readonly timeoutMs: number
  readonly #agent: http.Agent
  readonly #ca: string | undefined
  readonly #authorization: () => string | undefined
  readonly #mostBytes: number

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: HttpClientOptions) {
    const { url, authorization, ca, timeoutMs = 10_000, mostBytes = 16 * 2 ** 20, mostConnections = 8 } = options
    const problems = new Problems()
    problems.checkKeys(options, HTTP_CLIENT_OPTIONS, 'options')
    problems.check(timeoutMs > 0 && timeoutMs < 2 ** 31, `timeoutMs must be 1 … 2^31 - 1, got ${timeoutMs}`)
    problems.check(mostBytes > 0, `mostBytes must be > 0, got ${mostBytes}`)
    problems.check(mostConnections >= 1, `mostConnections must be at least 1, got ${mostConnections}`)
    const base = URL.canParse(url) ? new URL(url) : undefined
    const isHttp = base?.protocol === 'http:' || base?.protocol === 'https:'
    problems.check(isHttp, `url must be http://… or https://…, got ${base?.protocol ?? JSON.stringify(url)}`)
    problems.throwIfAny('HTTP client')
    this.url = `${base!.origin}${base!.pathname.replace(/\/$/, '')}`
    this.timeoutMs = timeoutMs
    this.#mostBytes = mostBytes
    this.#ca = ca
    const { username, password } = base!
    const ofUrl = username && basicAuthorization(decodeURIComponent(username), decodeURIComponent(password))
    this.#authorization =
      typeof authorization === 'function' ? authorization : () => authorization ?? (ofUrl || undefined)
    const { Agent } = base!.protocol === 'https:' ? https : http
    this.#agent = new Agent({ keepAlive: true, maxSockets: mostConnections })
  }

  /**
   * Sends a request and reads the whole answer, of any status.
   *
   * @throws {AdapterError} `http_unreachable`, `http_timeout`, `http_too_large`, `http_broken_off`; the signal's reason
   */
  async send(request: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer> {
    try {
      return await this.#exchange(request, signal)
    } catch (error) {
      if (!(error instanceof ClosedWhileIdle)) throw error
      return this.#exchange(request, signal)
    }
  }

  /** Closes the connections; requests under way fail. May be called twice. */
  dispose(): void {
    this.#agent.destroy()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  async #exchange(request: HttpRequest, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    signal?.throwIfAborted()
    const sent = this.#open(request)
    let isLate = false
    const cut = (): void => void sent.destroy()
    const timer = setTimeout(() => {
      isLate = true
      cut()
    }, this.timeoutMs)
    signal?.addEventListener('abort', cut, { once: true })
    let answer: IncomingMessage | undefined
    try {
      sent.end(request.body)
      ;[answer] = (await once(sent, 'response')) as [IncomingMessage]
      return { statusCode: answer.statusCode!, headers: answer.headers, body: await this.#read(answer) }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof AdapterError) throw error
      if (isLate)
        throw new AdapterError('http_timeout', `${this.url}: no whole answer in ${this.timeoutMs} ms (raise timeoutMs)`)
      if (answer) throw new AdapterError('http_broken_off', `${this.url}: the answer broke off`, { cause: error })
      if (sent.reusedSocket && codeOf(error) === 'ECONNRESET') throw new ClosedWhileIdle()
      throw new AdapterError('http_unreachable', `${this.url}: ${reasonOf(error)}`, { cause: error })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cut)
    }
  }

  #open({ method, path, query, headers, body }: HttpRequest): ClientRequest {
    const url = new URL(this.url + path)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    const authorization = this.#authorization()
    const sent = (url.protocol === 'https:' ? https : http).request(url, {
      method,
      agent: this.#agent,
      ...(this.#ca !== undefined && { ca: this.#ca }),
      headers: {
        'user-agent': 'trimtab',
        ...headers,
        ...(authorization !== undefined && { authorization }),
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    })
    return sent.on('error', () => {}) // whoever waits is told; one that comes after the answer tells nobody anything
  }

  async #read(answer: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > this.#mostBytes) {
        const message = `${this.url}: an answer of more than ${this.#mostBytes} bytes (ask for less, or raise mostBytes)`
        throw new AdapterError('http_too_large', message)
      }
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  }
}

/** The server had closed the idle connection when the request went out on it: nothing was answered, another one may do. */
class ClosedWhileIdle extends Error {}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

function reasonOf(error: unknown): string {
  const code = codeOf(error) ?? ''
  const { message } = error as Error
  const reason = message || code // of several addresses that were tried only the code is left
  return /CERT|VERIFY|SELF_SIGNED/.test(code) ? `${reason} (name the authority in ca)` : reason
}
