import { TraceError } from '@trimtab/core'
import type { Names } from '../names.js'
import { Repairs } from '../repairs.js'
import { TraceBuilder } from '../trace-builder.js'
import type { Trace } from '../types.js'
import { type LabelledTrace, readCsv } from './csv.js'
import { detectFormat, type TraceFormat, unknownFormat } from './format.js'
import { readJaeger } from './jaeger/index.js'
import { JsonCursor } from './json/cursor.js'
import { checkLimits, READ_LIMITS, type ReadLimits } from './limits.js'
import { readOtlpJson } from './otlp-json/index.js'
import { readOtlpProtobuf } from './otlp-protobuf/index.js'
import { RepeatWatch } from './repeat-watch.js'
import { chunksOf, packingOf, type TraceSource, type Unpacker, UnpackFault, wholeOf } from './source.js'
import { readZipkin } from './zipkin/index.js'

/** How spans are read, and where what was mended is told. */
export interface ReadOptions {
  /** Default: what the first bytes say. */
  readonly format?: TraceFormat | undefined
  /** Share them between readings whose traces are to be compared. */
  readonly names?: Names | undefined
  /** Counts what was mended outside any trace; what was mended in a trace is in its own `repairs`. */
  readonly repairs?: Repairs | undefined
}

/** What a reading of a source may be told beside its format. */
export interface StreamOptions {
  readonly signal?: AbortSignal | undefined
  /** Default: `READ_LIMITS`. */
  readonly limits?: Partial<ReadLimits> | undefined
  /** Unpacks zstd. Default: the runtime's `DecompressionStream`, where it can. */
  readonly zstd?: Unpacker | undefined
}

/**
 * Reads traces as they come, in any of the formats, packed or not. Memory is bounded by the largest trace where the
 * format keeps a trace together (Jaeger, Zipkin lists of lists, span tables); elsewhere by the input's spans; in any case by the limits.
 *
 * @throws {TraceError} `trace_format_unknown` for input that is no traces at all; `trace_too_large` beyond a limit; `trace_packed` for zstd that
 * this runtime does not unpack; whatever can be mended is a repair. What the source throws, and the signal's reason, come through.
 */
export async function* readTraces(
  source: TraceSource,
  options: ReadOptions & StreamOptions = {},
): AsyncGenerator<Trace, void> {
  yield* readInto(source, watchedBuilder(options), options)
}

/** A builder that says of traces that come again. */
export function watchedBuilder({
  names,
  repairs = new Repairs(),
}: Pick<ReadOptions, 'names' | 'repairs'>): TraceBuilder {
  return new TraceBuilder({ names, repairs, sink: new RepeatWatch(repairs) })
}

/** The same, with the spans in a builder of the caller's, which says what becomes of them. */
export function readInto(
  source: TraceSource,
  builder: TraceBuilder,
  options: Pick<ReadOptions, 'format'> & StreamOptions,
): AsyncGenerator<Trace, void> {
  return feed(source, builder, options, (cursor) => readAny(cursor, builder, options.format))
}

/**
 * Reads a table of spans, one a row (`readCsv`), and what its further columns say of each trace.
 *
 * @throws {TraceError} `trace_format_unknown` if columns are missing; `trace_too_large` beyond a limit
 */
export async function* readSpanTable(
  source: TraceSource,
  options: Omit<ReadOptions, 'format'> & StreamOptions = {},
): AsyncGenerator<LabelledTrace, void> {
  const builder = new TraceBuilder(options)
  yield* feed(source, builder, options, (cursor) => readCsv(cursor, builder))
}

/**
 * Reads all traces of an input that lies there whole.
 *
 * @throws {TraceError} `trace_format_unknown` for input that is no traces at all, `trace_packed` for gzip and zstd, which
 * only `readTraces()` unpacks
 */
export function parseTraces(input: Uint8Array | string, options: ReadOptions = {}): Trace[] {
  const bytes = wholeOf(input)!
  const packing = packingOf(bytes)
  if (packing) throw new TraceError('trace_packed', `the input is ${packing}, which is unpacked by readTraces() only`)
  const builder = watchedBuilder(options)
  const traces: Trace[] = []
  for (const trace of readAny(new JsonCursor(bytes), builder, options.format)) if (trace) traces.push(trace)
  return traces
}

function* readAny(
  cursor: JsonCursor,
  builder: TraceBuilder,
  format: TraceFormat | undefined,
): Generator<Trace | undefined, void> {
  const found = format ?? (yield* cursor.whole(() => detectFormat(cursor)))
  switch (found) {
    case 'jaeger':
      return yield* readJaeger(cursor, builder)
    case 'csv':
      for (const step of readCsv(cursor, builder)) yield step?.trace
      return
    case 'otlp-json':
      return yield* readOtlpJson(cursor, builder)
    case 'zipkin':
      return yield* readZipkin(cursor, builder)
    case 'otlp-protobuf':
      return yield* readOtlpProtobuf(cursor, builder)
    case 'none':
      return
    default:
      return found satisfies never
  }
}

/** Runs a reading over a source's bytes; what it needs more of is fetched. */
async function* feed<T>(
  source: TraceSource,
  builder: TraceBuilder,
  { signal, limits, zstd }: StreamOptions,
  open: (cursor: JsonCursor) => Generator<T | undefined, void>,
): AsyncGenerator<T, void> {
  const whole = wholeOf(source)
  const isReady = whole !== undefined && !packingOf(whole)
  const chunks = chunksOf(isReady ? [] : (whole ?? source), signal, zstd)
  const cursor = new JsonCursor(isReady ? whole : undefined)
  const reading = open(cursor)
  const within = { ...READ_LIMITS, ...limits }
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = reading.next()
      if (done) return
      if (value) yield value
      else await fetch(chunks, cursor, builder.repairs, () => checkLimits(cursor, builder, within))
    }
  } finally {
    reading.return()
    await chunks.return()
  }
}

/**
 * Chunks until the reading can go on.
 * @param check  called before each
 */
async function fetch(
  chunks: AsyncGenerator<Uint8Array, void>,
  cursor: JsonCursor,
  repairs: Repairs,
  check: () => void,
): Promise<void> {
  do {
    check()
    try {
      const { done, value } = await chunks.next()
      if (done) cursor.close()
      else cursor.append(value)
    } catch (reason) {
      if (!(reason instanceof UnpackFault)) throw reason
      const { what } = reason
      if (cursor.position === 0 && cursor.end === 0) throw unknownFormat(what, { cause: reason.cause })
      repairs.add('unreadable_input', () => what)
      cursor.close()
    }
  } while (!cursor.isFed)
}
