import type { TimerClock } from '../src/index.js'

/** Time that passes when told to. */
export class FakeClock implements TimerClock {
  #nowMs = 0
  #timers: { readonly atMs: number; readonly callback: () => void }[] = []

  now(): number {
    return this.#nowMs
  }

  callAfter(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Timers that are still to come. */
  get timers(): number {
    return this.#timers.length
  }

  /** Calls what is due on the way, in order, and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    await settled()
    const endMs = this.#nowMs + ms
    for (;;) {
      const due = this.#timers.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (!due) break
      this.#timers = this.#timers.filter((other) => other !== due)
      this.#nowMs = Math.max(this.#nowMs, due.atMs)
      due.callback()
      await settled()
    }
    this.#nowMs = endMs
    await settled()
  }
}

/** When all that was to happen without time passing has happened. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
