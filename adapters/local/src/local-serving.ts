import { randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { AdapterError } from '@trimtab/core'
import { basicAuthorization, HttpClient } from '@trimtab/node/http'
import { runTenants, type TenantDecider, type TenantTick } from '@trimtab/openwhisk'
import { WhiskServer } from '@trimtab/openwhisk/server'
import type { TenantAllocation } from '@trimtab/tasks/serverless'
import { LocalPlatform, type LocalPlatformOptions } from './local-platform.js'
import { PoolTenants } from './pool-tenants.js'

/** A function that is there from the start. */
export interface LocalFunction {
  readonly name: string
  /** Its module, or script that declares `main`. */
  readonly file: string
  /** Of a container; default 256. */
  readonly memoryMiB?: number
  /** What its requests are to stay below; default 500. */
  readonly sloMs?: number
}

/** A step of a local platform's functions, by namespace and name: `guest/hello`. */
export type LocalTick = TenantTick<Readonly<TenantAllocation>>

/** What is served, where, and what scales it. */
export interface LocalServingOptions extends Omit<LocalPlatformOptions, 'files'> {
  readonly functions: readonly LocalFunction[]
  /** Default 0: any that is free. Loopback only. */
  readonly port?: number
  /** Decides how many containers there are of each function; the caller's to dispose of. */
  readonly decider: TenantDecider
  /** Between two decisions; default 1. */
  readonly stepSeconds?: number
  /** Told each step. */
  readonly onTick?: (tick: LocalTick) => void
  /** What keeps the decider from going on; without a listener functions keep what they have in silence. */
  readonly onError?: (error: Error) => void
}

const NAMESPACE = 'guest'
/** Of a function's container, unless it says otherwise. */
export const CONTAINER_MIB = 256
const SLO_MS = 500

/** Functions on loopback behind OpenWhisk's REST API, as processes, scaled by whoever decides. */
export class LocalServing {
  readonly platform: LocalPlatform
  /** Who may call: HTTP Basic. Made anew at each start. */
  readonly uuid: string
  readonly key: string
  readonly #server: WhiskServer
  readonly #stop = new AbortController()

  private constructor(platform: LocalPlatform, server: WhiskServer, { uuid, key }: { uuid: string; key: string }) {
    this.platform = platform
    this.#server = server
    this.uuid = uuid
    this.key = key
  }

  /**
   * Starts the server with its functions in it.
   *
   * @throws {ConfigError} `config_invalid`, `port_unusable`
   * @throws {AdapterError} `function_refused`; what reading a file says
   */
  static async start(options: LocalServingOptions): Promise<LocalServing> {
    const { functions, port = 0, decider, stepSeconds = 1, onTick, onError, ...rest } = options
    const codes = await Promise.all(functions.map(({ file }) => readFile(file, 'utf8')))
    const files = new Map(functions.map(({ file }, i) => [codes[i]!, file]))
    const platform = new LocalPlatform({ ...rest, files })
    const access = { uuid: randomUUID(), key: randomBytes(32).toString('hex') }
    const server = await WhiskServer.listen({ platform, port, namespaces: [{ name: NAMESPACE, ...access }] })
    const serving = new LocalServing(platform, server, access)
    try {
      for (const [i, { name, memoryMiB = CONTAINER_MIB }] of functions.entries())
        await serving.#put(name, codes[i]!, memoryMiB)
    } catch (error) {
      await serving.dispose()
      throw error
    }
    const sloMs = new Map(functions.map((one) => [`${NAMESPACE}/${one.name}`, one.sloMs]))
    const tenants = new PoolTenants(platform.pools, (name) => sloMs.get(name) ?? SLO_MS)
    const scale = async (): Promise<void> => {
      const options = { stepMs: 1000 * stepSeconds, signal: serving.#stop.signal }
      for await (const tick of runTenants(tenants, decider, options)) onTick?.(tick)
    }
    scale().catch((error: Error) => onError?.(error))
    return serving
  }

  /** `http://127.0.0.1:3233`: the API host of OpenWhisk's clients. */
  get url(): string {
    return this.#server.url
  }

  /** Takes no more invocations, serves whoever waits, and ends. */
  async drain(): Promise<void> {
    this.#stop.abort()
    await this.platform.drain()
    await this.#server.close()
  }

  /** Ends at once. May be called twice. */
  async dispose(): Promise<void> {
    this.#stop.abort()
    await this.platform.dispose()
    await this.#server.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose()
  }

  async #put(name: string, code: string, memoryMiB: number): Promise<void> {
    const client = new HttpClient({ url: this.url, authorization: basicAuthorization(this.uuid, this.key) })
    try {
      const { statusCode, body } = await client.send({
        method: 'PUT',
        path: `/api/v1/namespaces/_/actions/${encodeURIComponent(name)}`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ exec: { kind: 'nodejs:default', code }, limits: { memory: memoryMiB } }),
      })
      if (statusCode !== 200) throw new AdapterError('function_refused', `function ${name}: ${body}`)
    } finally {
      client.dispose()
    }
  }
}
