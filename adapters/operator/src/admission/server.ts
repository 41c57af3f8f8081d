import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { ConfigError, Problems } from '@trimtab/core'
import { readBody } from '@trimtab/node/http'
import type { OperatorContext } from '../context.js'
import { nameOf, WEBHOOK_PATH } from '../names.js'
import { Owners } from '../owners.js'
import { type Part, runPasses } from '../passes.js'
import { renewHeartbeat } from './heartbeat.js'
import { publishAuthorities } from './registration.js'
import { type AdmissionReview, sizePod, toAnswer } from './review.js'
import { CertificateKeeper } from './serving-certificate.js'

/** Where the webhook answers, and as whom. */
export interface AdmissionOptions {
  /** 0: any that is free. */
  readonly port: number
  /** Unlike that of any other replica: the name of the pod. */
  readonly identity: string
  /** By which it is asked for besides its service. */
  readonly hosts?: readonly string[]
  /** Between two looks at certificate and lease; default 10. */
  readonly periodSeconds?: number
}

/** A pod with its question is below the 1.5 MiB that an object may have, twice. */
const LONGEST_BODY = 4 * 2 ** 20
/** The API server waits for 3 s. */
const ANSWER_MS = 2000

/**
 * Sizes new pods as their autoscaler's updater carries it out. It fails open: what cannot be answered is allowed as it is. While it serves it
 * renews its lease; the updater evicts for as long.
 */
export class AdmissionServer implements Part {
  readonly #context: OperatorContext
  readonly #options: Required<AdmissionOptions>
  readonly #certificates: CertificateKeeper
  readonly #owners: Owners
  #server: https.Server | undefined
  #served = ''

  /** @throws {ConfigError} `config_invalid` */
  constructor(context: OperatorContext, options: AdmissionOptions) {
    const { port, identity, hosts = [], periodSeconds = 10 } = options
    const problems = new Problems()
    problems.checkKeys(options, ['port', 'identity', 'hosts', 'periodSeconds'], 'options')
    problems.check(Number.isInteger(port) && port >= 0 && port < 65_536, `port must be 0 … 65,535, got ${port}`)
    problems.check(identity !== '', 'identity must not be empty (the name of the pod is one)')
    problems.check(periodSeconds > 0, `periodSeconds must be above 0, got ${periodSeconds}`)
    problems.throwIfAny('admission server')
    this.#context = context
    this.#options = { port, identity, hosts, periodSeconds }
    const service = `${nameOf('admission')}.${context.namespace}.svc`
    this.#certificates = new CertificateKeeper(context, [service, ...hosts])
    this.#owners = new Owners(context.client)
  }

  /** Where it listens; undefined: not yet. */
  get port(): number | undefined {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port
  }

  /** Serves until `signal` is aborted; questions under way are answered. */
  async run(signal: AbortSignal): Promise<void> {
    const step = (now: AbortSignal): Promise<void> => this.step(now)
    try {
      await runPasses(this.#context, 'admission', step, this.#options.periodSeconds * 1000, signal)
    } finally {
      await this.close()
    }
  }

  /**
   * One look at the certificate, its authorities and the lease; the first one begins to serve.
   * @throws as every method of the client; {ConfigError} `port_unusable`
   */
  async step(signal: AbortSignal): Promise<void> {
    const certificate = await this.#certificates.current(signal)
    const isNews = await publishAuthorities(this.#context.client, certificate.bundle, signal)
    const tls = { cert: certificate.certificate, key: certificate.key }
    this.#server ??= await this.#listen(tls)
    // One that the API server has only just heard of is served with from the next look on; connections go on as they are.
    if (!isNews && tls.cert !== this.#served) this.#serveWith(this.#server, tls)
    await this.#renew(signal)
  }

  /** Ends; questions under way are answered. */
  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeIdleConnections()
    const patience = setTimeout(() => server.closeAllConnections(), ANSWER_MS)
    await closed
    clearTimeout(patience)
  }

  /** Not while autoscalers are unknown: pods would pass as they are. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { identity, periodSeconds } = this.#options
    if (!this.#context.autoscalers.isReady) return
    await renewHeartbeat(this.#context, { identity, leaseSeconds: Math.ceil(periodSeconds * 3) }, signal)
  }

  #serveWith(server: https.Server, tls: { readonly cert: string; readonly key: string }): void {
    server.setSecureContext(tls)
    this.#served = tls.cert
  }

  async #listen(tls: { readonly cert: string; readonly key: string }): Promise<https.Server> {
    const { port } = this.#options
    const server = https.createServer({ minVersion: 'TLSv1.2', requestTimeout: 10_000 }, (request, response) => {
      void this.#answer(request, response)
    })
    this.#serveWith(server, tls)
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) =>
        reject(new ConfigError('port_unusable', `port ${port} cannot be listened on: ${cause.message}`, { cause })),
      )
      server.listen(port, resolve)
    })
    return server
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST' || request.url?.split('?')[0] !== WEBHOOK_PATH)
      return refuse(response, 404, `reviews are taken by POST ${WEBHOOK_PATH}`)
    let review: AdmissionReview
    try {
      const body = await readBody(request, LONGEST_BODY)
      if (body === undefined) return refuse(response, 413, `a review has at most ${LONGEST_BODY} bytes`)
      review = JSON.parse(body)
    } catch (error) {
      return refuse(response, 400, `a review is JSON: ${(error as Error).message}`)
    }
    if (typeof review?.request?.uid !== 'string') return refuse(response, 400, 'a review has a request with a uid')
    const answer = JSON.stringify(toAnswer(review.request.uid, await this.#size(review)))
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  }

  async #size(review: AdmissionReview): ReturnType<typeof sizePod> {
    const { autoscalers, logger } = this.#context
    try {
      return await sizePod(review, autoscalers.values(), this.#owners, AbortSignal.timeout(ANSWER_MS))
    } catch (error) {
      const { namespace, object } = review.request!
      const pod = object?.metadata?.name ?? object?.metadata?.generateName
      logger?.warn('a new pod was let through as it is', { namespace, pod, error: (error as Error).message })
      return []
    }
  }
}

function refuse(response: ServerResponse, code: number, message: string): void {
  response.writeHead(code, { 'content-type': 'text/plain', connection: 'close' }).end(`${message}\n`)
}
