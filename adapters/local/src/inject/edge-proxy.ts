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
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    const proxy = new EdgeProxy(server, bytesPerSecond)
    server.on('connection', (caller) => proxy.#join(caller, connect({ port, host: '127.0.0.1', noDelay: true })))
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
    caller.setNoDelay(true)
    for (const socket of [caller, callee]) {
      this.#sockets.add(socket)
      socket.on('error', () => {}) // the close that follows takes the other end down
      socket.on('close', () => {
        this.#sockets.delete(socket)
        caller.destroy()
        callee.destroy()
      })
    }
    this.#pass(caller, callee, false)
    this.#pass(callee, caller, true)
  }

  /** One direction: pieces leave in the order in which they came. */
  #pass(from: Socket, to: Socket, isAnswer: boolean): void {
    const pace = new Pace()
    let heldBytes = 0
    from.on('data', (piece) => {
      const shapes = [...this.#shapes]
      const cameAt = performance.now()
      const leaveAt = pace.next(cameAt, {
        sendMs: shapes.length === 0 ? 0 : (1000 * piece.length) / this.#rateWith(shapes),
        delayMs: isAnswer ? shapes.reduce((sum, shape) => sum + shape.drawDelayMs(), 0) : 0,
      })
      const leave = (): void => {
        heldBytes -= piece.length
        to.write(piece)
        if (heldBytes <= MOST_HELD_BYTES && !to.writableNeedDrain) from.resume()
        const heldMs = performance.now() - cameAt
        for (const shape of shapes) shape.onPassed(piece.length, heldMs)
      }
      heldBytes += piece.length
      if (heldBytes > MOST_HELD_BYTES) from.pause()
      if (leaveAt <= cameAt && heldBytes === piece.length) leave()
      else setTimeout(leave, leaveAt - cameAt)
      if (to.writableNeedDrain) from.pause()
    })
    to.on('drain', () => from.resume())
    from.on('end', () => setTimeout(() => to.end(), Math.max(0, pace.lastLeavesAt - performance.now())))
  }

  #rateWith(shapes: readonly TrafficShape[]): number {
    return shapes.reduce((rate, { bandwidthTaken01 }) => rate * (1 - bandwidthTaken01), this.#bytesPerSecond)
  }
}

/** When pieces leave: one after the other at the pace of the link, none before the one that came before it. */
class Pace {
  lastLeavesAt = 0
  #linkIsFreeAt = 0

  next(now: number, { sendMs, delayMs }: { readonly sendMs: number; readonly delayMs: number }): number {
    this.#linkIsFreeAt = Math.max(this.#linkIsFreeAt, now) + sendMs
    this.lastLeavesAt = Math.max(this.lastLeavesAt, this.#linkIsFreeAt + delayMs)
    return this.lastLeavesAt
  }
}
