import type { Summary } from '@trimtab/control'

/**
 * Sends one summary at a time. Of those that come meanwhile the newest of each member waits, for it says all that the older ones did:
 * these are dropped, and counted. One that failed is not sent again, the next step brings a newer one.
 */
export class SummarySender {
  readonly #send: (summary: Summary) => Promise<void>
  readonly #waiting = new Map<string, Summary>()
  #work: Promise<void> | undefined
  #sent = 0
  #dropped = 0

  /** @param send  rejects when the summary did not arrive */
  constructor(send: (summary: Summary) => Promise<void>) {
    this.#send = send
  }

  /** Summaries that arrived. */
  get sent(): number {
    return this.#sent
  }

  /** Summaries that did not: a newer one was there first, or the server did not take them. */
  get dropped(): number {
    return this.#dropped
  }

  push(summary: Summary): void {
    if (this.#waiting.has(summary.member)) this.#dropped++
    this.#waiting.set(summary.member, summary)
    this.#work ??= this.#drain()
  }

  /** Resolves when nothing waits. */
  async settled(): Promise<void> {
    await this.#work
  }

  async #drain(): Promise<void> {
    for (const [member, summary] of this.#waiting) {
      this.#waiting.delete(member)
      try {
        await this.#send(summary)
        this.#sent++
      } catch {
        this.#dropped++ // whoever sends has said why
      }
    }
    this.#work = undefined
  }
}
