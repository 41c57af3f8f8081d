import { once } from 'node:events'
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AdapterError } from '@trimtab/core'
import { METRICS_CONTENT_TYPE } from '@trimtab/core/text'
import type { Scheduler } from '@trimtab/serve'
import { answerError } from './answer-error.js'
import { Completions } from './completions.js'
import { GatewayMetrics } from './gateway-metrics.js'
import { endToEndHeaders, requestHeaders } from './headers.js'
import { HttpError } from './http-error.js'
import { isBearer, isLoopback } from './metrics-access.js'
import { type GatewayLimits, type ResolvedLimits, resolveLimits } from './options.js'
import { relay } from './relay.js'
import { pathOf, type Route, routeOf } from './routes.js'
import { Upstreams } from './upstreams.js'

/** What a gateway stands in front of, who decides the order, and its limits. */
export interface GatewayOptions extends GatewayLimits {
  /** The server behind, or several that are alike: `http://127.0.0.1:8000`, with or without `/v1`. */
  readonly upstream: string | readonly string[]
  /** Decides who goes when, and learns. It stays the caller's; of several upstreams each has its share of the places, while it is up. */
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

/**
 * A reverse proxy in front of servers that speak OpenAI's protocol or Anthropic's: `POST …/chat/completions`, `…/completions`,
 * `…/responses` and `…/messages` wait in the scheduler for one of their places, everything else passes through. Bodies of answers are
 * sent on byte for byte, as they come.
 *
 * @example
 * const gateway = new Gateway({ upstream: 'http://127.0.0.1:8000', scheduler })
 * const { port } = await gateway.listen(8080)
 */
export class Gateway {
  readonly #limits: ResolvedLimits
  readonly #scheduler: Scheduler
  readonly #upstreams: Upstreams
  readonly #completions: Completions
  readonly #onFailure: ((error: HttpError) => void) | undefined
  readonly #metrics: GatewayMetrics
  readonly #server: Server
  readonly #placesEach: number
  /** Reached from this machine only. */
  #isPrivate = true
  #inFlight = 0
  #isDraining = false
  #onIdle: (() => void) | undefined
  #drained: Promise<boolean> | undefined

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: GatewayOptions) {
    const { upstream, scheduler } = options
    this.#limits = resolveLimits(options)
    this.#upstreams = new Upstreams(typeof upstream === 'string' ? [upstream] : upstream, this.#limits.healthPath, () =>
      this.#sharePlaces(),
    )
    this.#placesEach = Math.ceil(scheduler.concurrency / this.#upstreams.all.length)
    this.#scheduler = scheduler
    this.#onFailure = options.onFailure
    this.#metrics = new GatewayMetrics({
      stats: () => this.#scheduler.stats(),
      concurrency: () => this.#scheduler.concurrency,
      bufferedBytes: () => this.#completions.budget.bytes,
      isDraining: () => this.#isDraining,
      upstreams: () => this.#upstreams.all,
    })
    this.#completions = new Completions({
      limits: this.#limits,
      scheduler,
      upstreams: this.#upstreams,
      metrics: this.#metrics,
      begin: continueIfAsked,
      head: (answer) => this.#head(answer),
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
    const bound = this.#server.address() as AddressInfo
    this.#isPrivate = isLoopback(bound.address)
    return { host, port: bound.port }
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
    this.#upstreams.close()
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
    if (route === 'metrics') return this.#answerMetrics(request, response)
    this.#enter(route, response)
    try {
      if (this.#isDraining)
        throw new HttpError(503, 'draining', 'the gateway is shutting down: send this to another one', {
          retryAfterSeconds: 1,
        })
      if (route === 'other') await this.#pass(request, response)
      else await this.#completions.serve(request, response)
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
    const upstream = this.#upstreams.leastLoaded()
    const hop = { host: upstream.host, clientAddress: request.socket.remoteAddress }
    const sent = upstream.request(request.method!, pathOf(request.url!), requestHeaders(request.rawHeaders, hop))
    request.pipe(sent)
    await relay(sent, response, { ...this.#limits, head: (answer) => this.#head(answer) })
  }

  /** Places of upstreams that are down are not given away. */
  #sharePlaces(): void {
    if (this.#upstreams.all.length > 1) this.#scheduler.concurrency = this.#placesEach * Math.max(1, this.#upstreams.up)
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
    if (code === 'never_fits') return new HttpError(413, 'never_fits', `${message}`)
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

  #answerMetrics(request: IncomingMessage, response: ServerResponse): void {
    const { metricsToken } = this.#limits
    const isAllowed =
      metricsToken === undefined ? this.#isPrivate : isBearer(request.headers.authorization, metricsToken)
    if (isAllowed) answerText(response, 200, METRICS_CONTENT_TYPE, this.renderMetrics())
    else
      answerError(
        response,
        new HttpError(
          401,
          'metrics_token_needed',
          '/metrics needs Authorization: Bearer TOKEN, of the metrics token (--metrics-token)',
        ),
      )
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
