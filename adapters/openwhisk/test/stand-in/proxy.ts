import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as it went by. */
export interface SeenRequest {
  readonly method: string
  /** Behind `/api/v1/namespaces/_`, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
}

/** An answer in place of the server's. */
export interface Fault {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Stands between client and server, writes down what goes by, and answers wrongly where it is told to. */
export class FaultyProxy {
  readonly seen: SeenRequest[] = []
  /** How many the server has answered. */
  answered = 0
  /** What is answered in the server's place. */
  fault: ((request: SeenRequest) => Fault | undefined) | undefined
  /** What is made of the JSON of an answer. */
  rewrite: ((value: unknown, request: SeenRequest) => unknown) | undefined
  readonly #target: string
  readonly #server = createServer((request, response) => void this.#pass(request, response))

  private constructor(target: string) {
    this.#target = target
  }

  static async open(target: string): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { pathname, searchParams } = new URL(request.url!, this.#target)
    const body = Buffer.concat(chunks).toString()
    const path = pathname.replace(/^\/api\/v1\/namespaces\/[^/]+/, '')
    const seen = { method: request.method!, path, query: searchParams, body }
    this.seen.push(seen)
    const fault = this.fault?.(seen)
    if (fault !== undefined) return void response.writeHead(fault.status, fault.headers).end(fault.body ?? '')
    const answer = await fetch(this.#target + request.url, {
      method: request.method!,
      headers: { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' },
      ...(body !== '' && { body }),
    })
    const text = await answer.text()
    this.answered++
    const id = answer.headers.get('x-openwhisk-activation-id')
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      date: answer.headers.get('date') ?? '',
      ...(id !== null && { 'x-openwhisk-activation-id': id }),
    })
    response.end(this.rewrite ? JSON.stringify(this.rewrite(JSON.parse(text), seen)) : text)
  }
}
