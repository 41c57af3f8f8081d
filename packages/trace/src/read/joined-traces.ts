import { TraceError, TrimtabError } from '@trimtab/core'
import { bytesOf, Names } from '../names.js'
import { Repairs } from '../repairs.js'
import type { SpanColumns } from '../span-columns.js'
import { type RowSink, TraceBuilder } from '../trace-builder.js'
import type { Trace } from '../types.js'
import { checkHeld, checkText, READ_LIMITS, type ReadLimits } from './limits.js'
import { type ReadOptions, readInto, type StreamOptions, watchedBuilder } from './read-traces.js'
import type { TraceSource } from './source.js'
import { ZipkinHalves } from './zipkin/halves.js'

/** Something to read that can be opened more than once. */
export interface TraceInput {
  /** For messages. */
  readonly name: string
  /** In place of the limit of the reading. */
  readonly maxBytes?: number | undefined
  /** From the beginning, as often as it is called. */
  open(): TraceSource
}

/** Errors that say what is wrong with one input. */
const OF_AN_INPUT = ['trace_format_unknown', 'trace_too_large', 'trace_packed']

/**
 * Inputs read as one: a trace whose spans lie in several of them, or in several places of one, is one trace, and a span that
 * comes twice counts once.
 *
 * That a trace is complete is known only when all was seen. So several inputs are gone through once for the ids of their
 * traces, and what lies in several places is held until the end; everything else streams. One input alone is read as
 * `readTraces()` does.
 */
export class JoinedTraces {
  readonly #inputs: readonly TraceInput[]
  readonly #options: Pick<ReadOptions, 'format'> & Omit<StreamOptions, 'signal'>
  readonly #limits: ReadLimits
  /** Ids of the traces in several places, once they were looked for. */
  #split: ReadonlySet<string> | undefined

  constructor(
    inputs: readonly TraceInput[],
    options: Pick<ReadOptions, 'format'> & Omit<StreamOptions, 'signal'> = {},
  ) {
    this.#inputs = inputs
    this.#options = options
    this.#limits = { ...READ_LIMITS, ...options.limits }
  }

  /**
   * All traces, from the beginning, as often as it is called.
   * @throws {TraceError} what `readTraces()` throws, with the name of the input
   */
  async *read({
    names = new Names(),
    repairs = new Repairs(),
    signal,
  }: Pick<ReadOptions, 'names' | 'repairs'> & Pick<StreamOptions, 'signal'> = {}): AsyncGenerator<Trace, void> {
    if (this.#inputs.length === 1) {
      yield* this.#readInput(this.#inputs[0]!, watchedBuilder({ names, repairs }), signal)
      return
    }
    this.#split ??= await this.#findSplit(signal)
    const sink = new SplitTraces(this.#split, new TraceBuilder({ names, repairs }), this.#limits)
    for (const input of this.#inputs) {
      const { offered } = sink
      yield* this.#readInput(input, new TraceBuilder({ names, repairs, sink }), signal)
      if (sink.offered === offered) repairs.add('empty_input', () => input.name)
    }
    yield* sink.finish()
  }

  async #findSplit(signal: AbortSignal | undefined): Promise<ReadonlySet<string>> {
    const ids = new SeenIds(this.#limits)
    for (const input of this.#inputs) {
      for await (const _ of this.#readInput(input, new TraceBuilder({ sink: ids }), signal)) {
        // none comes: `ids` takes them all
      }
    }
    return ids.repeated
  }

  async *#readInput(
    input: TraceInput,
    builder: TraceBuilder,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Trace, void> {
    const limits = input.maxBytes === undefined ? this.#limits : { ...this.#limits, maxBytes: input.maxBytes }
    try {
      yield* readInto(input.open(), builder, { ...this.#options, limits, signal })
    } catch (error) {
      if (!(error instanceof TrimtabError) || !OF_AN_INPUT.includes(error.code)) throw error
      throw new TraceError(error.code, `${input.name}: ${error.message}`, { cause: error })
    }
  }
}

/** Takes every trace, keeps its id and forgets its spans. */
class SeenIds implements RowSink {
  readonly repeated = new Set<string>()
  readonly #seen = new Set<string>()
  readonly #limits: ReadLimits
  #bytes = 0

  constructor(limits: ReadLimits) {
    this.#limits = limits
  }

  take(traceId: string): boolean {
    if (this.#seen.has(traceId)) this.repeated.add(traceId)
    else {
      this.#seen.add(traceId)
      this.#bytes += bytesOf(traceId)
      checkText(this.#bytes, this.#limits.maxTextBytes)
    }
    return true
  }
}

/** Takes the traces that lie in several places, until all of them were read. */
class SplitTraces implements RowSink {
  /** Traces, or pieces of them, that it saw. */
  offered = 0
  readonly #ids: ReadonlySet<string>
  readonly #held: TraceBuilder
  readonly #limits: ReadLimits

  constructor(ids: ReadonlySet<string>, held: TraceBuilder, limits: ReadLimits) {
    this.#ids = ids
    this.#held = held
    this.#limits = limits
  }

  take(traceId: string, columns: SpanColumns, rows: Int32Array, repairs: Repairs): boolean {
    this.offered++
    if (!this.#ids.has(traceId)) return false
    this.#held.addRows(traceId, columns, rows, repairs)
    checkHeld(this.#held, this.#limits)
    return true
  }

  *finish(): Generator<Trace, void> {
    new ZipkinHalves(this.#held).separate() // the halves of a call may lie in different inputs
    yield* this.#held.traces()
  }
}
