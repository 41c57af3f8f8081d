import { ConfigError, TraceError } from '@trimtab/core'
import { Names } from '../names.js'
import { Repairs } from '../repairs.js'
import type { SpanColumns } from '../span-columns.js'
import { type RowSink, TraceBuilder } from '../trace-builder.js'
import type { Trace } from '../types.js'
import { JsonCursor } from './json/cursor.js'
import { READ_LIMITS } from './limits.js'
import { readOtlpJson } from './otlp-json/index.js'
import { readOtlpProtobuf } from './otlp-protobuf/index.js'

/** What exporters send. */
export type BatchFormat = 'otlp-json' | 'otlp-protobuf'

/** What came of a batch. */
export interface BatchTally {
  /** Spans taken. */
  readonly spans: number
  /** Spans without an id or with fields of the wrong type: left out. */
  readonly rejected: number
  /** The first few of them; empty where there are none. */
  readonly reasons: readonly string[]
}

/** How much may be held. */
export interface LiveTracesOptions {
  /** Spans of traces that are not given out yet. Default 200,000. */
  readonly maxSpans?: number
}

/**
 * Traces out of the batches of many exporters, as they come: a trace is given out when nothing of it came between two sweeps.
 * Spans that come later make another trace of the same id. So whoever sweeps once a second decides that a second's quiet ends a trace.
 */
export class LiveTraces {
  readonly #maxSpans: number
  readonly #sink: RowSink = { take: (id, columns, rows, repairs) => this.#keepGrowing(id, columns, rows, repairs) }
  #names = new Names()
  /** Traces that something came of since the last sweep, and those before. */
  #recent = this.#createBuilder()
  #older = this.#createBuilder()
  readonly #touched = new Set<string>()

  /** @throws {ConfigError} `config_invalid` */
  constructor({ maxSpans = 200_000 }: LiveTracesOptions = {}) {
    if (!(Number.isInteger(maxSpans) && maxSpans > 0))
      throw new ConfigError('config_invalid', `maxSpans must be a whole number above 0, got ${maxSpans}`)
    this.#maxSpans = maxSpans
  }

  /** Spans held. */
  get size(): number {
    return this.#recent.size + this.#older.size
  }

  /** Whether there is room for another batch only after a sweep. */
  get isFull(): boolean {
    const { size, bytes } = this.#names
    return this.size >= this.#maxSpans || size > READ_LIMITS.maxNames || bytes > READ_LIMITS.maxTextBytes
  }

  /**
   * Takes a batch: one ExportTraceServiceRequest. One that cannot be read to its end leaves nothing behind.
   * @throws {TraceError} `batch_malformed`
   */
  add(bytes: Uint8Array, format: BatchFormat): BatchTally {
    const repairs = new Repairs()
    const faults = (): number => repairs.count('unreadable_input') + repairs.count('truncated_input')
    let spans = 0
    const take: RowSink['take'] = (id, columns, rows, ofTrace) => {
      if (faults() > 0) return true // all of the batch was read by now
      spans += rows.length
      this.#touched.add(id)
      this.#recent.addRows(id, columns, rows, ofTrace)
      return true
    }
    const batch = new TraceBuilder({ names: this.#names, repairs, sink: { take } })
    const cursor = new JsonCursor(bytes)
    const reading = format === 'otlp-json' ? readOtlpJson(cursor, batch) : readOtlpProtobuf(cursor, batch, 'none')
    for (const _ of reading); // the sink takes them all
    const reasons = repairs.list().flatMap(({ code, examples }) => examples.map((where) => `${code}, ${where}`))
    if (faults() > 0)
      throw new TraceError('batch_malformed', `the batch is no ExportTraceServiceRequest as ${format}: ${reasons[0]}`)
    return { spans, rejected: repairs.count('unreadable_span'), reasons }
  }

  /** The traces of which nothing came since the last sweep; all of them where these alone would make no room. */
  sweep(): Trace[] {
    const traces = this.#older.finish()
    const emptied = this.#older
    this.#older = this.#recent
    this.#recent = emptied
    this.#touched.clear()
    return this.isFull ? traces.concat(this.finish()) : traces
  }

  /** All traces that are held, finished or not. */
  finish(): Trace[] {
    const traces = [...this.#older.finish(), ...this.#recent.finish()]
    this.#touched.clear()
    this.#names = new Names() // what was given out keeps the old ones
    this.#recent = this.#createBuilder()
    this.#older = this.#createBuilder()
    return traces
  }

  #createBuilder(): TraceBuilder {
    return new TraceBuilder({ names: this.#names, sink: this.#sink })
  }

  /** Of an older trace something more came: it goes back to the recent ones. */
  #keepGrowing(id: string, columns: SpanColumns, rows: Int32Array, repairs: Repairs): boolean {
    if (columns === this.#recent.columns || !this.#touched.has(id)) return false
    this.#recent.addRows(id, columns, rows, repairs)
    return true
  }
}
