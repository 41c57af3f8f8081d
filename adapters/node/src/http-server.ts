import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '@trimtab/core'

/** A small server on one port. */
export class HttpServer {
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  /**
   * Listens.
   * @param port  0: any that is free
   * @throws {ConfigError} `port_unusable`
   */
  static async listen(answer: RequestListener, port: number, host = '0.0.0.0'): Promise<HttpServer> {
    const server = createServer({ requestTimeout: 10_000 }, answer)
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) =>
        reject(new ConfigError('port_unusable', `port ${port} cannot be listened on: ${cause.message}`, { cause })),
      )
      server.listen(port, host, resolve)
    })
    return new HttpServer(server)
  }

  /** Where it listens. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends; whoever waits for an answer is cut off. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }
}
