import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Run, Scheduler } from '@trimtab/serve'
import { type CompletionRequest, readCompletionRequest } from './completion-request.js'
import { decoderOf } from './content-encoding.js'
import { dispatch } from './dispatch.js'
import type { GatewayMetrics, ModelSeries } from './gateway-metrics.js'
import { requestHeaders } from './headers.js'
import { HttpError } from './http-error.js'
import type { ResolvedLimits } from './options.js'
import { createOutputCounter, type OutputCounter } from './output-counter.js'
import { relay } from './relay.js'
import { BodyBudget, readBody } from './request-body.js'
import { pathOf } from './routes.js'
import { tenantOf, WaitingTenants } from './tenant.js'
import type { Upstreams } from './upstreams.js'

const DEADLINE_HEADER = 'x-trimtab-deadline-ms'

/** What completions need of the gateway around them. */
export interface CompletionsOptions {
  readonly limits: ResolvedLimits
  readonly scheduler: Scheduler
  readonly upstreams: Upstreams
  readonly metrics: GatewayMetrics
  /** The client may send its body. */
  begin(request: IncomingMessage, response: ServerResponse): void
  /** Headers of an answer that the client gets. */
  head(answer: IncomingMessage): string[]
}

/** Requests that wait for their turn: read whole, ordered, sent when a place is free, learned from as the answer passes. */
export class Completions {
  readonly budget: BodyBudget
  readonly #options: CompletionsOptions
  readonly #tenants: WaitingTenants
  #unpacked: Promise<unknown> = Promise.resolve()

  constructor(options: CompletionsOptions) {
    this.#options = options
    this.budget = new BodyBudget(options.limits.maxBufferedBytes)
    this.#tenants = new WaitingTenants(options.limits.tenantCapacity)
  }

  /** @throws {HttpError} whatever it is refused with, or broke off by */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { limits, begin } = this.#options
    const decode = decoderOf(request.headers['content-encoding'], limits.maxBodyBytes)
    const body = await readBody(request, {
      maxBytes: limits.maxBodyBytes,
      budget: this.budget,
      begin: () => begin(request, response),
    })
    try {
      const read = async (): Promise<CompletionRequest> => readCompletionRequest(decode ? await decode(body) : body)
      await this.#schedule(request, response, body, decode ? await this.#oneAtATime(read) : await read())
    } finally {
      this.budget.give(body.length)
    }
  }

  /** However many bodies come packed, one is unpacked in memory. */
  #oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#unpacked.then(work)
    this.#unpacked = result.catch(() => {}) // its own client is told
    return result
  }

  async #schedule(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    { model, prompt, promptTokens, maxTokens, answers }: CompletionRequest,
  ): Promise<void> {
    const { limits, scheduler } = this.#options
    if (response.destroyed) throw new HttpError(499, 'client_gone', 'the client left while its request was read')
    const tenant = tenantOf(request.headers, limits.tenantHeader)
    const deadlineMs = deadlineOf(request, limits.deadlineMs)
    const arrivalMs = performance.now()
    const start = this.#tenants.enter(tenant)
    try {
      await scheduler.add(
        (run) => {
          start()
          return this.#send(request, response, { body, model, answers, arrivalMs, deadlineMs, run })
        },
        { signal: this.#signalOf(response), model, prompt, promptTokens, maxTokens, answers, tenant, deadlineMs },
      )
    } finally {
      start()
    }
  }

  /** The request has a place: it goes to an upstream, and its answer to the client. */
  async #send(request: IncomingMessage, response: ServerResponse, waited: Waited): Promise<void> {
    const { limits, upstreams, metrics, head } = this.#options
    const { body, arrivalMs, deadlineMs = Number.POSITIVE_INFINITY, run } = waited
    const startMs = performance.now()
    const series = metrics.of(waited.model)
    series.waits.observe((startMs - arrivalMs) / 1000)
    let counter: OutputCounter | undefined
    let isBegun = false
    const observe = (chunk: Buffer): void => {
      counter?.add(chunk)
      if (isBegun || !counter?.hasBegun) return
      isBegun = true
      series.firstTokens.observe((performance.now() - arrivalMs) / 1000)
    }
    try {
      await dispatch(
        upstreams,
        (upstream, refuse) => {
          const sentMs = performance.now()
          const hop = { host: upstream.host, clientAddress: request.socket.remoteAddress, bodyBytes: body.length }
          const sent = upstream.request('POST', pathOf(request.url!), requestHeaders(request.rawHeaders, hop))
          sent.end(body)
          return relay(sent, response, {
            ...limits,
            refuse,
            head: (answer) => {
              counter = createOutputCounter(answer.statusCode!, answer.headers)
              return [...head(answer), 'Server-Timing', `queue;dur=${(sentMs - arrivalMs).toFixed(1)}`]
            },
            observe,
          })
        },
        {
          tokens: run.expectedTokens,
          untilMs: startMs + limits.upstreamWaitMs,
          deadlineMs: arrivalMs + deadlineMs,
          client: response,
          onRefusal: (reason) => metrics.refusals.add(1, { reason }),
        },
      )
    } finally {
      series.services.observe((performance.now() - startMs) / 1000)
    }
    if (counter) await this.#learn(counter, series, waited)
  }

  async #learn(counter: OutputCounter, series: ModelSeries, { answers, run }: Waited): Promise<void> {
    const count = await counter.finish()
    if (count.tokens === undefined) {
      this.#options.metrics.uncounted.add(1, { reason: count.reason })
      return
    }
    series.outputTokens[count.source].add(count.tokens)
    series.predictedTokens.add(run.expectedTokens)
    if (count.tokens > 0) series.predictionRatios.observe(run.expectedTokens / count.tokens)
    run.reportTokens(count.tokens / answers)
  }

  /** Takes a request out of the queue when its client leaves; from its start on, `relay` watches. */
  #signalOf(response: ServerResponse): AbortSignal | undefined {
    const { scheduler } = this.#options
    if (scheduler.pending < scheduler.concurrency && !scheduler.isPaused) return undefined
    const left = new AbortController()
    response.on('close', () => {
      if (!response.writableFinished) left.abort(new HttpError(499, 'client_gone', 'the client left'))
    })
    return left.signal
  }
}

/** A request whose turn has come. */
interface Waited extends Pick<CompletionRequest, 'model' | 'answers'> {
  readonly body: Buffer
  readonly arrivalMs: number
  readonly deadlineMs: number | undefined
  readonly run: Run
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
