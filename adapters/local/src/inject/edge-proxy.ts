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
  /** What the way takes, from the next piece on. */
  bytesPerSecond: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #shapes = new Set<TrafficShape>()
  #leadsTo: number
  #bytes = 0
  #busyMs = 0

  private constructor(server: Server, port: number, bytesPerSecond: number) {
    this.#server = server
    this.#leadsTo = port
    this.bytesPerSecond = bytesPerSecond
  }

  /** Listens on a port that is free. @throws what the system says */
  static async listen({ port, bytesPerSecond = 12.5e6 }: EdgeProxyOptions): Promise<EdgeProxy> {
    const server = createServer({ allowHalfOpen: true })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    const proxy = new EdgeProxy(server, port, bytesPerSecond)
    server.on('connection', (caller) => proxy.#join(caller))
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

  /** Whoever comes from now on is led to another port of this machine; connections that are open stay where they are. */
  leadTo(port: number): void {
    this.#leadsTo = port
  }

  /** Totals since it listens: what passed, and for how long pieces kept the link busy, both directions together; without a shape that is none. */
  measure(): { readonly bytes: number; readonly busyMs: number } {
    return { bytes: this.#bytes, busyMs: this.#busyMs }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #join(caller: Socket): void {
    const callee = connect({ port: this.#leadsTo, host: '127.0.0.1', allowHalfOpen: true })
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
    new OneWay(caller, callee, (bytes) => this.#treat(bytes, false))
    new OneWay(callee, caller, (bytes) => this.#treat(bytes, true))
  }

  /** What is done to a piece. */
  #treat(bytes: number, isAnswer: boolean): Treatment {
    const shapes = [...this.#shapes]
    const rate = shapes.reduce((left, { bandwidthTaken01 }) => left * (1 - bandwidthTaken01), this.bytesPerSecond)
    const sendMs = shapes.length === 0 ? 0 : (1000 * bytes) / rate
    this.#bytes += bytes
    this.#busyMs += sendMs
    return { shapes, sendMs, delayMs: isAnswer ? shapes.reduce((sum, shape) => sum + shape.drawDelayMs(), 0) : 0 }
  }
}

interface Treatment {
  readonly shapes: readonly TrafficShape[]
  /** How long the link takes for it. */
  readonly sendMs: number
  /** How long it is held after that. */
  readonly delayMs: number
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
  readonly #held: HeldPiece[] = []
  #heldBytes = 0
  #linkIsFreeAt = 0
  #lastLeavesAt = 0
  #isEnded = false

  constructor(from: Socket, to: Socket, treat: (bytes: number) => Treatment) {
    this.#from = from
    this.#to = to
    from.on('data', (bytes) => this.#hold(bytes, treat(bytes.length)))
    from.on('end', () => {
      this.#isEnded = true
      if (this.#held.length === 0) to.end()
    })
    to.on('drain', () => this.#goOn())
  }

  #hold(bytes: Buffer, { shapes, sendMs, delayMs }: Treatment): void {
    const now = performance.now()
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
