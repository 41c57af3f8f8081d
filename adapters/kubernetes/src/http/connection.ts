import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { AdapterError } from '@trimtab/core'
import type { Cluster, Identity } from '../config/cluster.js'
import { toTransportError } from '../errors.js'

/** One request to the API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/api/v1/pods`, escaped. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Default `application/json`; patches say which kind they are. */
  readonly contentType?: string
  /** Default `application/json`; a table is asked for by `application/json;as=Table;v=v1;g=meta.k8s.io`. */
  readonly accept?: string
  /** Tries of this request; default: the client's. */
  readonly attempts?: number
  readonly signal?: AbortSignal | undefined
}

/** What an answer must not exceed: a page of 500 large objects stays far below. */
const MOST_ANSWER_BYTES = 256 * 1024 * 1024

/** Below the 90 s of kube-apiserver: a write that meets a connection that is just being closed may not be sent twice. */
const IDLE_CONNECTION_MS = 30_000

/** Connections to one API server, kept open between requests. */
export class Connection {
  readonly #cluster: Cluster
  readonly #agent: http.Agent
  readonly #silenceMs: number

  /** @param silenceMs  without an answer for so long, a request is given up */
  constructor(cluster: Cluster, silenceMs: number) {
    this.#cluster = cluster
    this.#silenceMs = silenceMs
    const { Agent } = cluster.server.protocol === 'https:' ? https : http
    this.#agent = new Agent({ keepAlive: true, keepAliveMsecs: 15_000, timeout: IDLE_CONNECTION_MS })
  }

  /**
   * Sends a request; the body of the answer is the caller's to read.
   * @throws {AdapterError} `api_unreachable`, `api_untrusted`, `api_broken_off`, `api_silent`; the reason of the signal
   */
  send(request: ApiRequest, identity: Identity): Promise<IncomingMessage> {
    const { server, authority, serverName, isUnverified } = this.#cluster
    const { method, signal } = request
    const body = request.body === undefined ? undefined : JSON.stringify(request.body)
    const asked = `${method} ${request.path}`
    const sender = server.protocol === 'https:' ? https : http
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const sent = sender.request({
        agent: this.#agent,
        protocol: server.protocol,
        hostname: server.hostname.replace(/^\[(.*)\]$/, '$1'), // IPv6
        port: server.port,
        path: pathWithQuery(server.pathname, request),
        method,
        ca: authority,
        cert: identity.certificate,
        key: identity.key,
        ...(serverName === undefined ? {} : { servername: serverName }),
        rejectUnauthorized: !isUnverified,
        headers: { ...headersOf(request, body), ...copyOf(identity.headers) },
      })
      const timer = setTimeout(() => sent.destroy(silent(asked, this.#silenceMs)), this.#silenceMs)
      const abort = (): void => void sent.destroy(signal?.reason)
      signal?.addEventListener('abort', abort, { once: true })
      sent.on('error', (error) => {
        if (signal?.aborted) reject(signal.reason)
        else reject(error instanceof AdapterError ? error : toTransportError(error, asked))
      })
      sent.on('response', (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      sent.on('close', () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      })
      sent.end(body)
    })
  }

  /**
   * The whole body of an answer.
   * @throws {AdapterError} `api_silent` between two pieces, `api_broken_off`, `api_too_large`
   */
  async read(answer: IncomingMessage, asked: string): Promise<string> {
    const chunks: Buffer[] = []
    let bytes = 0
    const restless = setTimeout(() => answer.destroy(silent(asked, this.#silenceMs)), this.#silenceMs)
    try {
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        restless.refresh()
        bytes += chunk.length
        if (bytes > MOST_ANSWER_BYTES)
          throw new AdapterError('api_too_large', `${asked}: an answer of more than ${MOST_ANSWER_BYTES} bytes`)
        chunks.push(chunk)
      }
    } catch (error) {
      throw error instanceof AdapterError ? error : toTransportError(error as Error, asked)
    } finally {
      clearTimeout(restless)
    }
    return Buffer.concat(chunks).toString()
  }

  /** Closes what is open; requests under way fail. */
  close(): void {
    this.#agent.destroy()
  }
}

/** Nothing came for so long. */
export const silent = (asked: string, silenceMs: number): AdapterError =>
  new AdapterError('api_silent', `${asked}: the API server was silent for ${silenceMs} ms`)

function headersOf(
  { contentType, accept = 'application/json' }: ApiRequest,
  body: string | undefined,
): http.OutgoingHttpHeaders {
  const said = { accept, 'user-agent': 'trimtab' }
  if (body === undefined) return said
  return { ...said, 'content-type': contentType ?? 'application/json', 'content-length': Buffer.byteLength(body) }
}

const copyOf = (headers: Identity['headers']): http.OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )

function pathWithQuery(prefix: string, { path, query = {} }: ApiRequest): string {
  const said = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const search = new URLSearchParams(said).toString()
  return prefix.replace(/\/$/, '') + path + (search === '' ? '' : `?${search}`)
}
