// Lists in chunks: all pages of one list show the moment of its first.
import type { Stored } from './objects.js'
import { expired } from './status-error.js'
import type { Store } from './store.js'

export interface Page {
  readonly items: readonly Stored[]
  readonly resourceVersion: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

interface Rest {
  readonly items: readonly Stored[]
  readonly revision: number
}

export class Pages {
  readonly #store: Store
  readonly #rests = new Map<string, Rest>()
  #tokens = 0

  constructor(store: Store) {
    this.#store = store
  }

  /** @throws StatusError 410 where the moment of the first page is forgotten */
  take(list: () => readonly Stored[], limit: number, token: string | undefined): Page {
    const rest = token === undefined ? { items: list(), revision: this.#store.revision } : this.#rests.get(token)
    if (rest === undefined || rest.revision < this.#store.oldestRevision)
      throw expired('The provided continue parameter is too old to display a consistent list result.')
    const resourceVersion = String(rest.revision)
    if (limit === 0 || rest.items.length <= limit) return { items: rest.items, resourceVersion }
    const next = `page-${++this.#tokens}`
    const later = rest.items.slice(limit)
    this.#rests.set(next, { items: later, revision: rest.revision })
    return { items: rest.items.slice(0, limit), resourceVersion, continue: next, remainingItemCount: later.length }
  }
}
