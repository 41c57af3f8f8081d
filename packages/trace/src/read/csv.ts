import { TraceError } from '@trimtab/core'
import type { TraceBuilder } from '../trace-builder.js'
import { ERROR, FOLLOWS_FROM, KINDS, type SpanKind, type Trace } from '../types.js'
import type { ByteCursor } from './byte-cursor.js'
import { ByteNames } from './byte-names.js'
import { CsvRow } from './csv-row.js'
import { ExactTime, MICROSECONDS } from './exact-time.js'

/** What a span table must have. */
export const NEEDED_COLUMNS = ['trace', 'span', 'parent', 'service', 'operation', 'start_us', 'duration_us'] as const
const OPTIONAL_COLUMNS = ['trace_start_unix_us', 'kind', 'reference', 'instance', 'host', 'error'] as const
type Column = (typeof NEEDED_COLUMNS)[number] | (typeof OPTIONAL_COLUMNS)[number]

const LINE_FEED = 0x0a
const FLUSH_ROWS = 1 << 15

/** A trace of a span table, with what the table's other columns say in the trace's first row. */
export interface LabelledTrace {
  readonly trace: Trace
  readonly labels: Readonly<Record<string, string>>
}

/**
 * Reads a comma-separated table of spans, one a row, columns in any order. `start_us` counts from `trace_start_unix_us`
 * where a row of the trace has that; a parent that is empty or −1 is none.
 *
 * Where the rows of each trace stand together, traces are given out on the way; otherwise at the end of the table.
 *
 * @returns yields traces, and nothing when the cursor needs more bytes
 * @throws {TraceError} `trace_format_unknown` if columns are missing
 */
export function* readCsv(cursor: ByteCursor, builder: TraceBuilder): Generator<LabelledTrace | undefined, void> {
  const row = new CsvRow(cursor)
  yield* cursor.whole(() => {
    cursor.skipByteOrderMark()
    row.read()
  })
  const table = new SpanTable(cursor, row, builder)
  while (yield* cursor.whole(table.readRows)) yield* table.finish()
  yield* table.finish()
}

class SpanTable {
  readonly #cursor: ByteCursor
  readonly #row: CsvRow
  readonly #builder: TraceBuilder
  readonly #names: ByteNames
  /** Place of each known column, −1 if the table lacks it. */
  readonly #place: Readonly<Record<Column, number>>
  readonly #labels: readonly (readonly [name: string, place: number])[]
  readonly #width: number
  readonly #time = new ExactTime()
  /** By number of the trace: whole µs, and the ns beyond. */
  #starts: { readonly us: number; readonly ns: number }[] = []
  #labelsOf = new Map<string, Record<string, string>>()
  #lastTrace = -1
  #isInterleaved = false

  /** @param row  holds the header */
  constructor(cursor: ByteCursor, row: CsvRow, builder: TraceBuilder) {
    this.#cursor = cursor
    this.#row = row
    this.#builder = builder
    this.#names = new ByteNames(builder.names)
    const header = Array.from({ length: row.size }, (_, field) => row.text(field).trim())
    const known: readonly string[] = [...NEEDED_COLUMNS, ...OPTIONAL_COLUMNS]
    this.#place = Object.fromEntries(known.map((name) => [name, header.indexOf(name)])) as Record<Column, number>
    this.#labels = header.flatMap((name, place) => (known.includes(name) ? [] : [[name, place] as const]))
    this.#width = header.length
    const missing = NEEDED_COLUMNS.filter((name) => this.#place[name] < 0)
    if (missing.length > 0) {
      const seen = header.slice(0, 20).join(', ').slice(0, 200)
      throw new TraceError(
        'trace_format_unknown',
        `a span table lacks the columns ${missing.join(', ')}; it has ${seen} (the first line must name ${NEEDED_COLUMNS.join(', ')})`,
      )
    }
  }

  /** @returns false at the end of the table, true when it is time to give out traces */
  readonly readRows = (): boolean => {
    const cursor = this.#cursor
    for (;;) {
      const { at, position } = cursor
      if (!this.#row.read()) return false
      if (this.#row.size < this.#width || this.#row.isBroken) {
        const code =
          cursor.isClosed && cursor.isOver() && cursor.before !== LINE_FEED ? 'truncated_input' : 'unreadable_span'
        const { size } = this.#row
        this.#builder.repairs.add(code, () => `byte ${position}: ${size} of ${this.#width} fields`)
      } else if (!this.#add()) {
        cursor.at = at
        return true
      }
      cursor.commit()
    }
  };

  *finish(): Generator<LabelledTrace, void> {
    const { columns } = this.#builder
    const { trace, startUs, startNs, endUs, endNs } = columns
    for (let row = 0; row < columns.size; row++) {
      const start = this.#starts[trace[row]!]
      if (!start) continue
      for (const [us, ns] of [
        [startUs, startNs],
        [endUs, endNs],
      ] as const) {
        const below = ns[row]! + start.ns
        us[row] = us[row]! + start.us + (below >= 1000 ? 1 : 0)
        ns[row] = below % 1000
      }
    }
    const labels = this.#labelsOf
    this.#starts = []
    this.#labelsOf = new Map()
    this.#lastTrace = -1
    for (const trace of this.#builder.traces()) yield { trace, labels: labels.get(trace.traceId) ?? {} }
  }

  /** @returns false if the traces at hand are to be given out before this row is read */
  #add(): boolean {
    const { columns, traceIds } = this.#builder
    const place = this.#place
    const row = this.#row
    const traces = traceIds.size
    const trace = traceIds.ofText(row.text(place.trace))
    if (trace !== this.#lastTrace) {
      if (traceIds.size === traces) this.#isInterleaved = true
      else if (columns.size >= FLUSH_ROWS && !this.#isInterleaved) return false
      else this.#labelsOf.set(traceIds.text(trace), this.#readLabels())
      this.#lastTrace = trace
    }
    const at = columns.push()
    columns.trace[at] = trace
    row.writeId(place.span, columns.id, at)
    const parent = row.text(place.parent)
    if (parent !== '-1') columns.parent.setText(at, parent)
    columns.service[at] = row.name(place.service, this.#names)
    columns.operation[at] = row.name(place.operation, this.#names)
    row.readTime(place.start_us, this.#time, MICROSECONDS)
    this.#time.writeStart(columns, at)
    if (!row.isEmpty(place.duration_us)) {
      row.readTime(place.duration_us, this.#time, MICROSECONDS)
      this.#time.writeLength(columns, at)
    }
    this.#addOptional(at, trace)
    return true
  }

  #addOptional(at: number, trace: number): void {
    const { columns } = this.#builder
    const row = this.#row
    const { trace_start_unix_us, kind, reference, instance, host, error } = this.#place
    if (trace_start_unix_us >= 0 && !row.isEmpty(trace_start_unix_us)) {
      row.readTime(trace_start_unix_us, this.#time, MICROSECONDS)
      this.#starts[trace] = { us: this.#time.us, ns: this.#time.ns }
    }
    if (kind >= 0) columns.kind[at] = Math.max(0, KINDS.indexOf(row.text(kind).toLowerCase() as SpanKind))
    if (reference >= 0 && row.text(reference) === 'follows-from') columns.flags[at] = FOLLOWS_FROM
    if (error >= 0 && ['true', '1'].includes(row.text(error).toLowerCase())) columns.flags[at]! |= ERROR
    if (instance >= 0) columns.instance[at] = row.name(instance, this.#names)
    if (host >= 0) columns.host[at] = row.name(host, this.#names)
  }

  #readLabels(): Record<string, string> {
    return Object.fromEntries(this.#labels.map(([name, place]) => [name, this.#row.text(place)]))
  }
}
