import type { Repairs } from '../repairs.js'
import type { RowSink } from '../trace-builder.js'
import { Fingerprints } from './fingerprints.js'

const MOST_IDS = 1 << 17 // 2 MB

/** Says of traces that come again after they were handed on; those after the first 131,072 of a reading it does not know. */
export class RepeatWatch implements RowSink {
  readonly #repairs: Repairs
  readonly #seen = new Fingerprints()

  constructor(repairs: Repairs) {
    this.#repairs = repairs
  }

  /** Takes none. */
  take(traceId: string): boolean {
    if (this.#seen.has(traceId)) this.#repairs.add('repeated_trace', () => traceId)
    else if (this.#seen.size < MOST_IDS) this.#seen.add(traceId)
    return false
  }
}
