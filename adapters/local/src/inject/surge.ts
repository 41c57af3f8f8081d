import { Agent, request } from 'node:http'
import type { Disturbance, DisturbanceTotals } from './disturbance.js'

/** Where requests go beyond the usual ones. */
export interface SurgeTarget {
  /** Sent as POST. */
  readonly url: string
  /** At level 1. */
  readonly ratePerSecond: number
}

const TICK_MS = 20

/** Requests beyond the usual ones: an open loop, whatever becomes of those before. */
export class Surge implements Disturbance {
  readonly #target: SurgeTarget
  readonly #agent = new Agent({ keepAlive: true })
  readonly #timer: NodeJS.Timeout
  #level = 0
  #due = 0
  #at = performance.now()
  #sent = 0
  #answered = 0
  #failed = 0

  constructor(target: SurgeTarget) {
    this.#target = target
    this.#timer = setInterval(() => this.#sendDue(), TICK_MS)
  }

  /** @param level  0 … 1: of the target's rate */
  setLevel(level: number): void {
    this.#sendDue() // what was due at the old level
    this.#level = level
  }

  /** Requests since the start: `sent`, `answered`, `failed`. */
  measure(): DisturbanceTotals {
    return { sent: this.#sent, answered: this.#answered, failed: this.#failed }
  }

  /** Sends no more; what is on its way is cut off. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#agent.destroy()
  }

  #sendDue(): void {
    const now = performance.now()
    this.#due += (this.#level * this.#target.ratePerSecond * (now - this.#at)) / 1000
    this.#at = now
    for (; this.#due >= 1; this.#due--) this.#send()
  }

  #send(): void {
    this.#sent++
    const sent = request(this.#target.url, { method: 'POST', agent: this.#agent }, (response) => {
      response.resume().on('end', () => this.#answered++)
    })
    sent.on('error', () => this.#failed++)
    sent.end()
  }
}
