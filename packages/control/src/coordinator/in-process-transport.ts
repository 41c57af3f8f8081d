import type { BaseModel, CoordinatorTransport, ModelExchange, ModelOffer, Summary } from './transport.js'

/** Connects members of one process: what is published has arrived when `publish` returns. */
export class InProcessTransport implements CoordinatorTransport {
  readonly models: ModelExchange = new InProcessModels()
  readonly #listeners = new Set<(summary: Summary) => void>()
  readonly #last = new Map<string, Summary>()
  #lives = 0

  enter(): Promise<number> {
    return Promise.resolve(++this.#lives)
  }

  publish(summary: Summary): void {
    const hasLeft = summary.numbers[0] === 0
    if (hasLeft) this.#last.delete(summary.member)
    else this.#last.set(summary.member, summary)
    for (const take of this.#listeners) take(summary)
  }

  onSummary(take: (summary: Summary) => void): () => void {
    this.#listeners.add(take)
    for (const summary of this.#last.values()) take(summary)
    return () => this.#listeners.delete(take)
  }
}

class InProcessModels implements ModelExchange {
  readonly #models = new Map<string, BaseModel>()
  readonly #listeners = new Set<(offer: ModelOffer) => void>()

  get(category: string): Promise<BaseModel | undefined> {
    return Promise.resolve(this.#models.get(category))
  }

  replace(category: string, bytes: Uint8Array, over: number): Promise<number | undefined> {
    const version = this.#models.get(category)?.version ?? 0
    if (version !== over) return Promise.resolve(undefined)
    this.#models.set(category, { version: version + 1, bytes: bytes.slice() })
    return Promise.resolve(version + 1)
  }

  offer(offer: ModelOffer): void {
    for (const take of this.#listeners) take(offer)
  }

  onOffer(take: (offer: ModelOffer) => void): () => void {
    this.#listeners.add(take)
    return () => this.#listeners.delete(take)
  }
}
