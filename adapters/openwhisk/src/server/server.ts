import type { RequestListener, ServerResponse } from 'node:http'
import { type Clock, type Logger, Problems } from '@trimtab/core'
import { HttpServer } from '@trimtab/node/http'
import { type Answer, Credentials, callOf } from './call.js'
import { newId } from './invoke.js'
import type { FunctionPlatform } from './platform.js'
import { NamespaceRoutes } from './routes.js'
import { WhiskError } from './whisk-error.js'

/** A namespace, and by what its callers are known. */
export interface NamespaceAccess {
  readonly name: string
  readonly uuid: string
  readonly key: string
}

/** What a server stands in front of, and where. */
export interface WhiskServerOptions {
  readonly platform: FunctionPlatform
  readonly namespaces: readonly NamespaceAccess[]
  /** Default 0: any that is free. */
  readonly port?: number
  /** Default 127.0.0.1: this machine only. */
  readonly host?: string
  /** Milliseconds since 1970; default: the host's. */
  readonly clock?: Clock
  /** The longest that a blocking call waits before it is told the activation's id; default a minute. */
  readonly mostBlockingMs?: number
  /** Records of activations that are kept of each namespace; default 10,000. */
  readonly mostActivations?: number
  readonly logger?: Logger
}

/**
 * The REST API of OpenWhisk, as far as functions need it: namespaces, limits, actions, invocations, activations. No packages, sequences,
 * triggers or rules. Everything is kept in memory.
 *
 * @example
 * const server = await WhiskServer.listen({ platform, namespaces: [{ name: 'guest', uuid, key }] })
 * openwhisk({ api: `${server.url}/api/v1/`, api_key: `${uuid}:${key}` }).actions.list()
 */
export class WhiskServer {
  readonly #server: HttpServer
  readonly #host: string

  private constructor(server: HttpServer, host: string) {
    this.#server = server
    this.#host = host
  }

  /** @throws {ConfigError} `config_invalid`, `port_unusable` */
  static async listen(options: WhiskServerOptions): Promise<WhiskServer> {
    const { platform, namespaces, port = 0, host = '127.0.0.1', clock = Date, logger } = options
    const { mostBlockingMs = 60_000, mostActivations = 10_000 } = options
    const problems = new Problems()
    problems.checkKeys(options, KEYS, 'options')
    problems.check(namespaces.length > 0, 'namespaces must name one at least')
    problems.check(mostBlockingMs > 0, `mostBlockingMs must be > 0, got ${mostBlockingMs}`)
    problems.check(mostActivations > 0, `mostActivations must be > 0, got ${mostActivations}`)
    problems.throwIfAny('WhiskServer')
    const credentials = new Credentials<NamespaceRoutes>()
    for (const { name, uuid, key } of namespaces)
      credentials.add(uuid, key, new NamespaceRoutes(name, { platform, clock, mostBlockingMs, mostActivations }))
    return new WhiskServer(await HttpServer.listen(answerWith(credentials, clock, logger), port, host), host)
  }

  /** `http://127.0.0.1:3233` */
  get url(): string {
    return `http://${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${this.#server.port}`
  }

  /** Where it listens. */
  get port(): number {
    return this.#server.port
  }

  /** Ends; whoever waits for an answer is cut off. */
  close(): Promise<void> {
    return this.#server.close()
  }
}

const KEYS: readonly (keyof WhiskServerOptions)[] = [
  'platform',
  'namespaces',
  'port',
  'host',
  'clock',
  'mostBlockingMs',
  'mostActivations',
  'logger',
]

const answerWith =
  (credentials: Credentials<NamespaceRoutes>, clock: Clock, logger: Logger | undefined): RequestListener =>
  async (request, response) => {
    const code = newId()
    response.setHeader('x-request-id', code).setHeader('date', new Date(clock.now()).toUTCString())
    try {
      const call = callOf(request)
      send(response, await credentials.ownerOf(request.headers.authorization).answer(call))
    } catch (error) {
      if (!(error instanceof WhiskError)) logger?.error('a request failed', { code, error })
      const { status, message } =
        error instanceof WhiskError ? error : { status: 500, message: 'There was an internal server error.' }
      if (status === 401) response.setHeader('www-authenticate', 'Basic realm="OpenWhisk"')
      send(response, { status, body: { error: message, code } })
    }
  }

function send(response: ServerResponse, { status, body, activationId }: Answer): void {
  if (activationId !== undefined) response.setHeader('x-openwhisk-activation-id', activationId)
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
