import http, { type ClientRequest, type IncomingHttpHeaders } from 'node:http'

export interface Sent {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  /** Pieces as they came. */
  readonly pieces: readonly Buffer[]
}

export interface SendOptions {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Buffer
  readonly agent?: http.Agent
  /** Told of the request before anything comes back. */
  readonly watch?: (request: ClientRequest) => void
}

/** One request to this machine over a connection of its own; rejects when the answer breaks off. */
export function send(port: number, options: SendOptions = {}): Promise<Sent> {
  const { method = 'GET', path = '/', headers = {}, body, agent, watch } = options
  return new Promise((resolve, reject) => {
    const request = http.request(
      { port, host: '127.0.0.1', method, path, headers, agent: agent ?? false },
      (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode, headers, rawHeaders } = response
          resolve({ status: statusCode!, headers, rawHeaders, body: Buffer.concat(pieces), pieces })
        })
      },
    )
    request.on('error', reject)
    watch?.(request)
    request.end(body)
  })
}

export interface Ask {
  readonly user?: number
  readonly model?: string
  readonly stream?: boolean
  readonly content?: string
  /** How the double is to answer; see protocol-double.mjs. */
  readonly double?: object
  readonly [field: string]: unknown
}

/** A chat completion, for the double. */
export function ask(
  port: number,
  { content = 'Say something', ...fields }: Ask = {},
  options: SendOptions = {},
): Promise<Sent> {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], stream: true, ...fields })
  const headers = { 'Content-Type': 'application/json', ...options.headers }
  return send(port, { method: 'POST', path: '/v1/chat/completions', ...options, headers, body: options.body ?? body })
}
