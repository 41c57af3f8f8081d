import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net'

/** A cable to a port of loopback, by TCP. While it is cut, what goes in on either side is lost, and nobody is told. */
export class Cable {
  readonly #server: Server
  readonly #ends = new Set<Socket>()
  #isCut = false

  private constructor(port: number) {
    this.#server = createServer((near) => {
      const far = createConnection(port, '127.0.0.1')
      this.#join(near, far)
      this.#join(far, near)
    })
  }

  static async to(port: number): Promise<Cable> {
    const cable = new Cable(port)
    await once(cable.#server.listen(0, '127.0.0.1'), 'listening')
    return cable
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  cut(): void {
    this.#isCut = true
  }

  /** Connections that have lost something are broken; new ones hold. */
  mend(): void {
    this.#isCut = false
    for (const end of this.#ends) end.destroy()
  }

  stop(): void {
    this.#server.close()
    for (const end of this.#ends) end.destroy()
  }

  #join(from: Socket, to: Socket): void {
    this.#ends.add(from)
    from.on('data', (bytes) => {
      if (!this.#isCut) to.write(bytes)
    })
    from.on('error', () => {}) // 'close' follows
    from.on('close', () => {
      this.#ends.delete(from)
      if (!this.#isCut) to.destroy()
    })
  }
}
