import { randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { AdapterError } from '@trimtab/core'
import { basicAuthorization, HttpClient } from '@trimtab/node/http'
import { WhiskServer } from '@trimtab/openwhisk/server'
import type { TenantRule } from '@trimtab/tasks/serverless'
import { LocalPlatform, type LocalPlatformOptions } from './local-platform.js'
import { Scaler, type ScalerStep } from './scaler.js'

/** A function that is there from the start. */
export interface LocalFunction {
  readonly name: string
  /** Its module, or script that declares `main`. */
  readonly file: string
  /** Of a container; default 256. */
  readonly memoryMiB?: number
}

/** What is served, where, and what scales it. */
export interface LocalServingOptions extends Omit<LocalPlatformOptions, 'files'> {
  readonly functions: readonly LocalFunction[]
  /** Default 0: any that is free. Loopback only. */
  readonly port?: number
  /** Of each function. */
  readonly createRule: (name: string) => TenantRule
  /** Between two decisions of a rule; default 1. */
  readonly stepSeconds?: number
  /** Told each step of each function; what it is given is overwritten by the next. */
  readonly onStep?: (step: ScalerStep) => void
  /** What keeps the scaler from going on; without a listener functions keep what they have in silence. */
  readonly onError?: (error: Error) => void
}

const NAMESPACE = 'guest'

/** Functions on loopback behind OpenWhisk's REST API, as processes, scaled by a rule each. */
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
    const { functions, port = 0, createRule, stepSeconds = 1, onStep, onError, ...rest } = options
    const codes = await Promise.all(functions.map(({ file }) => readFile(file, 'utf8')))
    const files = new Map(functions.map(({ file }, i) => [codes[i]!, file]))
    const platform = new LocalPlatform({ ...rest, files })
    const access = { uuid: randomUUID(), key: randomBytes(32).toString('hex') }
    const server = await WhiskServer.listen({ platform, port, namespaces: [{ name: NAMESPACE, ...access }] })
    const serving = new LocalServing(platform, server, access)
    try {
      for (const [i, { name, memoryMiB = 256 }] of functions.entries()) await serving.#put(name, codes[i]!, memoryMiB)
    } catch (error) {
      await serving.dispose()
      throw error
    }
    const scaler = new Scaler({ pools: platform.pools, createRule, stepSeconds, ...(onStep && { onStep }) })
    scaler.run(serving.#stop.signal).catch((error: Error) => onError?.(error))
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
