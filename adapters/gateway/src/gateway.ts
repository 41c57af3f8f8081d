import { once } from 'node:events'
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AdapterError } from '@trimtab/core'
import type { Scheduler } from '@trimtab/serve'
import { answerError } from './answer-error.js'
import { readCompletionRequest } from './completion-request.js'
import { GatewayMetrics } from './gateway-metrics.js'
import { endToEndHeaders, requestHeaders } from './headers.js'
import { HttpError } from './http-error.js'
import { type GatewayLimits, type ResolvedLimits, resolveLimits } from './options.js'
import { createOutputCounter, type OutputCounter } from './output-counter.js'
import { CONTENT_TYPE } from './prometheus-text.js'
import { relay } from './relay.js'
import { BodyBudget, readBody } from './request-body.js'
import { pathOf, type Route, routeOf } from './routes.js'
import { tenantOf } from './tenant.js'
import { Upstream } from './upstream.js'

/** What a gateway stands in front of, who decides the order, and its limits. */
export interface GatewayOptions extends GatewayLimits {
  /** The server behind: `http://127.0.0.1:8000`, with or without `/v1`. */
  readonly upstream: string
  /** Decides who goes when, and learns; the gateway only asks. It stays the caller's. */
  readonly scheduler: Scheduler
  /** Told of every request that was refused or broke off. */
  readonly onFailure?: (error: HttpError) => void
}

export interface Address {
  readonly host: string
  readonly port: number
}

/** A connection may be idle longer than a load balancer before the gateway keeps it (AWS: 60 s): the balancer closes first. */
const KEEP_ALIVE_MS = 65_000
/** Connections that arrive together; the system may cap it. */
const BACKLOG = 4096
const DEADLINE_HEADER = 'x-trimtab-deadline-ms'

/**
 * A reverse proxy in front of a server that speaks OpenAI's protocol: `POST …/chat/completions` and `…/completions` wait in the
 * scheduler for one of its places, everything else passes through. Bodies of answers are sent on byte for byte, as they come.
 *
 * @example
 * const gateway = new Gateway({ upstream: 'http://127.0.0.1:8000', scheduler })
 * const { port } = await gateway.listen(8080)
 */
export class Gateway {
  readonly #limits: ResolvedLimits
  readonly #scheduler: Scheduler
  readonly #upstream: Upstream
  readonly #onFailure: ((error: HttpError) => void) | undefined
  readonly #budget: BodyBudget
  readonly #metrics: GatewayMetrics
  readonly #server: Server
  #inFlight = 0
  #isDraining = false
  #onIdle: (() => void) | undefined
  #drained: Promise<boolean> | undefined

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: GatewayOptions) {
    this.#limits = resolveLimits(options)
    this.#upstream = new Upstream(options.upstream)
    this.#scheduler = options.scheduler
    this.#onFailure = options.onFailure
    this.#budget = new BodyBudget(this.#limits.maxBufferedBytes)
    this.#metrics = new GatewayMetrics({
      stats: () => this.#scheduler.stats(),
      concurrency: () => this.#scheduler.concurrency,
      bufferedBytes: () => this.#budget.bytes,
      isDraining: () => this.#isDraining,
    })
    // keepAlive: a client that vanished without a word is found out by TCP, also while it waits.
    const serverOptions = { keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true, keepAlive: true }
    this.#server = http.createServer(serverOptions, (request, response) => this.#serve(request, response))
    this.#server.on('checkContinue', (request, response) => this.#serve(request, response))
  }

  /**
   * @param port  0: any that is free
   * @param host  where it can be reached; default: this machine only
   * @throws {AdapterError} `listen_failed`
   */
  async listen(port: number, host = '127.0.0.1'): Promise<Address> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) => {
        reject(new AdapterError('listen_failed', `${host}:${port} cannot be listened on: ${cause.message}`, { cause }))
      })
      this.#server.listen({ port, host, backlog: BACKLOG }, resolve)
    })
    return { host, port: (this.#server.address() as AddressInfo).port }
  }

  /**
   * Takes no new requests (503, `/healthz` says so too), and closes when those that are there have their answers.
   *
   * May be called twice: the first time-out counts.
   *
   * @param timeoutMs  then the rest is cut off
   * @returns whether nothing was cut off
   */
  drain(timeoutMs: number): Promise<boolean> {
    this.#drained ??= this.#drain(timeoutMs)
    return this.#drained
  }

  async #drain(timeoutMs: number): Promise<boolean> {
    this.#isDraining = true
    const isDone = await new Promise<boolean>((resolve) => {
      if (this.#inFlight === 0) return resolve(true)
      const timer = setTimeout(() => resolve(false), timeoutMs)
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
    await this.close()
    return isDone
  }

  /** Cuts everything off. May be called twice. */
  async close(): Promise<void> {
    this.#isDraining = true
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    this.#upstream.close()
    await closed
  }

  /** The page behind `/metrics`. */
  renderMetrics(): string {
    return this.#metrics.render()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Sent before the answer to an earlier request: it waits for its turn, for until then nothing tells that its client has left.
    if (!response.socket) await once(response, 'socket')
    const route = routeOf(request.method!, pathOf(request.url!))
    if (route === 'health') return this.#answerHealth(response)
    if (route === 'metrics') return answerText(response, 200, CONTENT_TYPE, this.renderMetrics())
    this.#enter(route, response)
    try {
      if (this.#isDraining)
        throw new HttpError(503, 'draining', 'the gateway is shutting down: send this to another one', {
          retryAfterSeconds: 1,
        })
      if (route === 'other') await this.#pass(request, response)
      else await this.#schedule(request, response)
    } catch (error) {
      this.#fail(response, this.#toHttpError(error))
    }
  }

  /** A request that counts as long as its connection has not seen the end of the answer. */
  #enter(route: Route, response: ServerResponse): void {
    this.#inFlight++
    response.on('error', () => {}) // of a client that has left: `close` follows and says so
    response.on('close', () => {
      const code = response.writableFinished || response.headersSent ? response.statusCode : 499
      this.#metrics.requests.add(1, { route, code: String(code) })
      if (--this.#inFlight === 0) this.#onIdle?.()
    })
  }

  /** Both bodies as they come. */
  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    continueIfAsked(request, response)
    const headers = requestHeaders(request.rawHeaders, this.#hop(request))
    const upstream = this.#upstream.request(request.method!, pathOf(request.url!), headers)
    request.pipe(upstream)
    await relay(upstream, response, { ...this.#limits, head: (answer) => this.#head(answer) })
  }

  /** Reads the request whole, waits for a place, and learns from the answer as it passes. */
  async #schedule(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { maxBodyBytes, deadlineMs } = this.#limits
    const body = await readBody(request, {
      maxBytes: maxBodyBytes,
      budget: this.#budget,
      begin: () => continueIfAsked(request, response),
    })
    try {
      const { model, prompt, maxTokens, answers } = readCompletionRequest(body)
      const arrival = performance.now()
      await this.#scheduler.add(
        async (run) => {
          const start = performance.now()
          this.#metrics.waits.observe((start - arrival) / 1000)
          let counter: OutputCounter | undefined
          const headers = requestHeaders(request.rawHeaders, { ...this.#hop(request), bodyBytes: body.length })
          const upstream = this.#upstream.request('POST', pathOf(request.url!), headers)
          upstream.end(body)
          try {
            await relay(upstream, response, {
              ...this.#limits,
              head: (answer) => {
                counter = createOutputCounter(answer.statusCode!, answer.headers['content-type'])
                return [...this.#head(answer), 'Server-Timing', `queue;dur=${(start - arrival).toFixed(1)}`]
              },
              observe: (chunk) => counter?.add(chunk),
            })
          } finally {
            this.#metrics.services.observe((performance.now() - start) / 1000)
          }
          const count = counter?.finish()
          if (!count) return
          this.#metrics.outputTokens.add(count.tokens, { source: count.source })
          run.reportTokens(count.tokens / answers)
        },
        {
          signal: this.#signalOf(response),
          model,
          prompt,
          maxTokens,
          tenant: tenantOf(request.headers, this.#limits.tenantHeader),
          deadlineMs: deadlineOf(request, deadlineMs),
        },
      )
    } finally {
      this.#budget.give(body.length)
    }
  }

  /** Takes a request out of the queue when its client leaves; from its start on, `relay` watches. */
  #signalOf(response: ServerResponse): AbortSignal | undefined {
    if (this.#scheduler.pending < this.#scheduler.concurrency && !this.#scheduler.isPaused) return undefined
    const left = new AbortController()
    response.on('close', () => {
      if (!response.writableFinished) left.abort(new HttpError(499, 'client_gone', 'the client left'))
    })
    return left.signal
  }

  #hop(request: IncomingMessage): { readonly host: string; readonly clientAddress: string | undefined } {
    return { host: this.#upstream.host, clientAddress: request.socket.remoteAddress }
  }

  #head(answer: IncomingMessage): string[] {
    const headers = endToEndHeaders(answer.rawHeaders)
    if (this.#isDraining) headers.push('Connection', 'close')
    return headers
  }

  #fail(response: ServerResponse, error: HttpError): void {
    this.#metrics.failures.add(1, { reason: error.code })
    if (!response.destroyed) answerError(response, error)
    this.#onFailure?.(error)
  }

  #toHttpError(error: unknown): HttpError {
    if (error instanceof HttpError) return error
    const { code, name, message } = error as { code?: unknown; name?: string; message?: string }
    if (code === 'queue_full')
      return new HttpError(429, 'queue_full', `${message}`, { retryAfterSeconds: this.#secondsToDrain() })
    if (code === 'deadline_passed') return new HttpError(504, 'deadline_passed', `${message}`)
    if (code === 'queue_cleared')
      return new HttpError(503, 'draining', 'the gateway was shut down while the request waited')
    // Nobody knows what a message that was not written here quotes: a log gets the kind, `onFailure` the cause.
    return new HttpError(500, 'gateway_failed', `the gateway failed (${name ?? 'an error'})`, { cause: error })
  }

  /** How long the queue of now takes at the rate so far: 1 … 60 s. */
  #secondsToDrain(): number {
    const { mean } = this.#metrics.services
    const seconds = (this.#scheduler.size / this.#scheduler.concurrency) * mean
    return Math.min(60, Math.max(1, Math.ceil(seconds)))
  }

  #answerHealth(response: ServerResponse): void {
    const status = this.#isDraining ? 'draining' : 'ok'
    const body = JSON.stringify({ status, waiting: this.#scheduler.size, running: this.#scheduler.pending })
    answerText(response, this.#isDraining ? 503 : 200, 'application/json', `${body}\n`)
  }
}

function answerText(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  response.end(text)
}

/** Node leaves the answer to `Expect: 100-continue` to us, so that what is refused is not sent first. */
function continueIfAsked(request: IncomingMessage, response: ServerResponse): void {
  if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue()
}

function deadlineOf(request: IncomingMessage, limitMs: number | undefined): number | undefined {
  const asked = request.headers[DEADLINE_HEADER]
  if (asked === undefined) return limitMs
  const milliseconds = Number(asked)
  if (!(milliseconds > 0))
    throw new HttpError(
      400,
      'deadline_invalid',
      `${DEADLINE_HEADER} must be a number of milliseconds above 0, got ${asked}`,
    )
  return Math.min(milliseconds, limitMs ?? 2 ** 31 - 1)
}
