import type { Trace } from '@trimtab/trace'
import type { CollectedWindow } from './collected-window.js'

/** What a loop looks at, step by step: the traces of a window that became complete since it looked last, each once. */
export class UnseenTraces {
  readonly #window: Pick<CollectedWindow, 'traces' | 'recent'>
  #seen: number

  /** @param window  must keep traces for longer than a step: what it has forgotten is not seen. What is in it now counts as seen. */
  constructor(window: Pick<CollectedWindow, 'traces' | 'recent'>) {
    this.#window = window
    this.#seen = window.traces
  }

  /** Oldest first. */
  take(): Trace[] {
    const kept = this.#window.recent()
    const fresh = kept.slice(Math.max(0, kept.length - (this.#window.traces - this.#seen)))
    this.#seen = this.#window.traces
    return fresh
  }
}
