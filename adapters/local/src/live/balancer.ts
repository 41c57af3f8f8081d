import { Child } from '../child.js'
import { BALANCER_PROGRAM } from '../programs.js'

/** A pod that can be sent to. */
export interface Backend {
  readonly id: number
  readonly port: number
}

type Message = { readonly port: number } | { readonly drained: number }

/** The process before the pods: who sends to its port is answered by one of them. */
export class Balancer {
  readonly #child: Child<Message>
  readonly #drained = new Map<number, () => void>()
  readonly #listening: Promise<number>

  constructor(niceness: number) {
    let tellPort: (port: number) => void
    const port = new Promise<number>((resolve) => {
      tellPort = resolve
    })
    this.#child = new Child({
      ...{ name: 'the balancer', program: BALANCER_PROGRAM, niceness },
      onMessage: (message) => {
        if ('port' in message) tellPort(message.port)
        else this.#settle(message.drained)
      },
    })
    for (const stream of this.#child.output) stream.resume()
    this.#listening = Promise.race([port, this.#child.failWhenGone()])
    this.#listening.catch(() => {}) // told to who asks
    this.#child.gone.then(() => {
      for (const id of [...this.#drained.keys()]) this.#settle(id)
    })
  }

  get pid(): number {
    return this.#child.pid
  }

  /** Where it listens on loopback. @throws {AdapterError} `process_ended` */
  get port(): Promise<number> {
    return this.#listening
  }

  /** From now on these are sent to, and no others. */
  route(pods: readonly Backend[]): void {
    this.#child.send({ pods: pods.map(({ id, port }) => ({ id, port })) })
  }

  /** Resolves when a pod that `route` left out has answered all. Call it before that. */
  whenDrained(id: number): Promise<void> {
    return new Promise((resolve) => this.#drained.set(id, resolve))
  }

  #settle(id: number): void {
    this.#drained.get(id)?.()
    this.#drained.delete(id)
  }

  async stop(): Promise<void> {
    this.#child.kill()
    await this.#child.gone
  }
}
