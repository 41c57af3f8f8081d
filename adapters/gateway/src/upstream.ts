import http, { type ClientRequest } from 'node:http'
import https from 'node:https'
import net from 'node:net'
import { ConfigError } from '@trimtab/core'
import { HttpError } from './http-error.js'

/**
 * How long an unused connection is kept. Below the 5 s of uvicorn (vLLM, SGLang) and of Node: a request that meets a connection that
 * the other side has just closed is lost, and it may not be sent twice.
 */
const IDLE_CONNECTION_MS = 4000
const PROBE_TIMEOUT_MS = 5000

/** One server behind the gateway, the connections to it, and what it works on. */
export class Upstream {
  /** `host:port` for the header `Host`. */
  readonly host: string
  /** Why it cannot be reached; undefined while it is held to be well. */
  failure: HttpError | undefined
  /** Requests that it works on, and their tokens as predicted. */
  running = 0
  workTokens = 0
  readonly #url: URL
  readonly #hostname: string
  readonly #prefix: string
  readonly #agent: http.Agent

  /**
   * @param base  `http://host:8000`, with or without `/v1`, with or without a path before it
   * @throws {ConfigError} `config_invalid`
   */
  constructor(base: string) {
    this.#url = parse(base)
    this.host = this.#url.host
    this.#hostname = this.#url.hostname.replace(/^\[(.*)\]$/, '$1') // IPv6
    this.#prefix = this.#url.pathname.replace(/\/$/, '').replace(/\/v1$/, '')
    const options = { keepAlive: true, noDelay: true, timeout: IDLE_CONNECTION_MS }
    this.#agent = this.#url.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options)
  }

  /** @param headers  name, value, name, value, … with `Host` among them */
  request(method: string, path: string, headers: readonly string[]): ClientRequest {
    const { protocol, port } = this.#url
    const send = protocol === 'https:' ? https.request : http.request
    return send({
      protocol,
      hostname: this.#hostname,
      port,
      method,
      path: this.#prefix + path,
      headers: headers as string[],
      agent: this.#agent,
    })
  }

  /**
   * Whether it takes connections, or answers 2xx at a path; `failure` says so from then on.
   * @param path  below its own, `/health` of vLLM
   */
  async probe(path: string | undefined): Promise<void> {
    try {
      await (path === undefined ? this.#connect() : this.#get(path))
      this.failure = undefined
    } catch (cause) {
      const message = `${this.host} is not there or not well (${(cause as Error).message})`
      this.failure = new HttpError(502, 'upstream_unreachable', message, { cause })
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #connect(): Promise<void> {
    const port = Number(this.#url.port || (this.#url.protocol === 'https:' ? 443 : 80))
    return new Promise((resolve, reject) => {
      const socket = net.connect({ host: this.#hostname, port, timeout: PROBE_TIMEOUT_MS })
      socket.on('connect', () => {
        socket.destroy()
        resolve()
      })
      socket.on('timeout', () => socket.destroy(new Error('no connection in time')))
      socket.on('error', reject)
    })
  }

  #get(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = this.request('GET', path, ['Host', this.host])
      request.setTimeout(PROBE_TIMEOUT_MS, () => request.destroy(new Error(`no answer to GET ${path} in time`)))
      request.on('error', reject)
      request.on('response', (answer) => {
        answer.resume()
        const { statusCode = 0 } = answer
        if (statusCode >= 200 && statusCode < 300) resolve()
        else reject(new Error(`${statusCode} to GET ${path}`))
      })
      request.end()
    })
  }
}

function parse(base: string): URL {
  const url = URL.canParse(base) ? new URL(base) : undefined
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash) return url
  throw new ConfigError(
    'config_invalid',
    `gateway: upstream must be the URL of a server without user, query and fragment, got ${JSON.stringify(base)} (say http://127.0.0.1:8000)`,
  )
}
