import http, { type ClientRequest } from 'node:http'
import https from 'node:https'
import { ConfigError } from '@trimtab/core'

/**
 * How long an unused connection is kept. Below the 5 s of uvicorn (vLLM, SGLang) and of Node: a request that meets a connection that
 * the other side has just closed is lost, and it may not be sent twice.
 */
const IDLE_CONNECTION_MS = 4000

/** The server behind the gateway, and the connections to it. */
export class Upstream {
  /** `host:port` for the header `Host`. */
  readonly host: string
  readonly #url: URL
  readonly #prefix: string
  readonly #agent: http.Agent

  /**
   * @param base  `http://host:8000`, with or without `/v1`, with or without a path before it
   * @throws {ConfigError} `config_invalid`
   */
  constructor(base: string) {
    this.#url = parse(base)
    this.host = this.#url.host
    this.#prefix = this.#url.pathname.replace(/\/$/, '').replace(/\/v1$/, '')
    const options = { keepAlive: true, noDelay: true, timeout: IDLE_CONNECTION_MS }
    this.#agent = this.#url.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options)
  }

  /** @param headers  name, value, name, value, … with `Host` among them */
  request(method: string, path: string, headers: readonly string[]): ClientRequest {
    const { protocol, hostname, port } = this.#url
    const send = protocol === 'https:' ? https.request : http.request
    return send({
      protocol,
      hostname: hostname.replace(/^\[(.*)\]$/, '$1'), // IPv6
      port,
      method,
      path: this.#prefix + path,
      headers: headers as string[],
      agent: this.#agent,
    })
  }

  close(): void {
    this.#agent.destroy()
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
