import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** What one anomaly does to the way through a proxy; whoever hands it in changes it as it goes. */
export interface TrafficShape {
  /** How long the next piece on its way back to the caller is held. */
  drawDelayMs(): number
  /** Part of the way's bytes a second that others take, 0 … 1. */
  bandwidthTaken01: number
  /** Told of every piece that this shape was there for, once it has passed. */
  onPassed(bytes: number, heldMs: number): void
}

/** Where a proxy leads, and how wide the way is. */
export interface EdgeProxyOptions {
  /** Where the callee listens, on this machine. */
  readonly port: number
  /** What the way takes; default 12.5 million, a link of 100 Mbit/s. */
  readonly bytesPerSecond?: number
}

const MOST_HELD_BYTES = 1 << 20 // of one direction of one connection; then the sender waits

/**
 * Stands between a caller and a callee: a TCP proxy on loopback that passes bytes on at the pace of a link, the callee's answers as late as
 * its shapes want. Without a shape bytes pass as they come.
 */
export class EdgeProxy {
  readonly #server: Server
  readonly #bytesPerSecond: number
  readonly #sockets = new Set<Socket>()
  readonly #shapes = new Set<TrafficShape>()

  private constructor(server: Server, bytesPerSecond: number) {
    this.#server = server
    this.#bytesPerSecond = bytesPerSecond
  }

  /** Listens on a port that is free. @throws what the system says */
  static async listen({ port, bytesPerSecond = 12.5e6 }: EdgeProxyOptions): Promise<EdgeProxy> {
    const server = createServer({ allowHalfOpen: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    const proxy = new EdgeProxy(server, bytesPerSecond)
    server.on('connection', (caller) => proxy.#join(caller, connect({ port, host: '127.0.0.1', allowHalfOpen: true })))
    return proxy
  }

  /** Where callers find it. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** From now on the shape is there for whatever comes. */
  add(shape: TrafficShape): void {
    this.#shapes.add(shape)
  }

  /** What it holds leaves when it was to. */
  remove(shape: TrafficShape): void {
    this.#shapes.delete(shape)
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #join(caller: Socket, callee: Socket): void {
    for (const socket of [caller, callee]) {
      socket.setNoDelay(true)
      this.#sockets.add(socket)
      socket.on('error', () => {}) // the close that follows takes the other end down
      socket.on('close', () => {
        this.#sockets.delete(socket)
        caller.destroy()
        callee.destroy()
      })
    }
    new OneWay(caller, callee, this.#bytesPerSecond, () => ({ shapes: [...this.#shapes], isDelayed: false }))
    new OneWay(callee, caller, this.#bytesPerSecond, () => ({ shapes: [...this.#shapes], isDelayed: true }))
  }
}

interface Treatment {
  readonly shapes: readonly TrafficShape[]
  readonly isDelayed: boolean
}

interface HeldPiece {
  readonly bytes: Buffer
  readonly shapes: readonly TrafficShape[]
  readonly cameAt: number
  readonly leavesAt: number
}

/** One direction of a connection: pieces leave in the order in which they came, at the pace of the link. */
class OneWay {
  readonly #from: Socket
  readonly #to: Socket
  readonly #bytesPerSecond: number
  readonly #held: HeldPiece[] = []
  #heldBytes = 0
  #linkIsFreeAt = 0
  #lastLeavesAt = 0
  #isEnded = false

  constructor(from: Socket, to: Socket, bytesPerSecond: number, treat: () => Treatment) {
    this.#from = from
    this.#to = to
    this.#bytesPerSecond = bytesPerSecond
    from.on('data', (bytes) => this.#hold(bytes, treat()))
    from.on('end', () => {
      this.#isEnded = true
      if (this.#held.length === 0) to.end()
    })
    to.on('drain', () => this.#goOn())
  }

  #hold(bytes: Buffer, { shapes, isDelayed }: Treatment): void {
    const now = performance.now()
    const rate = shapes.reduce((left, { bandwidthTaken01 }) => left * (1 - bandwidthTaken01), this.#bytesPerSecond)
    const sendMs = shapes.length === 0 ? 0 : (1000 * bytes.length) / rate
    const delayMs = isDelayed ? shapes.reduce((sum, shape) => sum + shape.drawDelayMs(), 0) : 0
    this.#linkIsFreeAt = Math.max(this.#linkIsFreeAt, now) + sendMs
    this.#lastLeavesAt = Math.max(this.#lastLeavesAt, this.#linkIsFreeAt + delayMs)
    this.#held.push({ bytes, shapes, cameAt: now, leavesAt: this.#lastLeavesAt })
    this.#heldBytes += bytes.length
    if (this.#held.length === 1) this.#letGo()
    this.#goOn()
  }

  /** Only the first piece has a timer: timers may fire out of turn, bytes must not. */
  #letGo(): void {
    for (;;) {
      const first = this.#held[0]
      if (!first) break
      const waitMs = first.leavesAt - performance.now()
      if (waitMs > 0) {
        setTimeout(() => this.#letGo(), waitMs)
        return
      }
      this.#held.shift()
      this.#heldBytes -= first.bytes.length
      this.#to.write(first.bytes)
      const heldMs = performance.now() - first.cameAt
      for (const shape of first.shapes) shape.onPassed(first.bytes.length, heldMs)
    }
    this.#goOn()
    if (this.#isEnded) this.#to.end()
  }

  #goOn(): void {
    if (this.#heldBytes > MOST_HELD_BYTES || this.#to.writableNeedDrain) this.#from.pause()
    else this.#from.resume()
  }
}
