import { Assembler } from './assemble.js'
import { Names } from './names.js'
import { type RepairCode, Repairs } from './repairs.js'
import { SpanColumns } from './span-columns.js'
import { TraceIds } from './trace-ids.js'
import { ERROR, FOLLOWS_FROM, KINDS, type SpanKind, type Trace } from './types.js'

/** One span as a reader that need not hurry hands it over. Times are whole µs (any clock) and the ns beyond them. */
export interface SpanRow {
  /** Default: the trace without an id. */
  readonly traceId?: string | undefined
  readonly id: string
  readonly parentId?: string | null | undefined
  readonly service: string
  readonly operation: string
  /** µs; a fraction is rounded to ns. */
  readonly startUs: number
  /** Added to `startUs`, 0…999. */
  readonly startNs?: number | undefined
  /** µs; without it and `durationUs` (or NaN) the end is missing. */
  readonly endUs?: number | undefined
  /** Added to `endUs`, 0…999. */
  readonly endNs?: number | undefined
  /** In place of `endUs`. */
  readonly durationUs?: number | undefined
  readonly kind?: SpanKind | undefined
  readonly isFollowsFrom?: boolean | undefined
  readonly isError?: boolean | undefined
  readonly instance?: string | undefined
  readonly host?: string | undefined
}

/** Where the spans of a trace may go instead of being assembled at once. */
export interface RowSink {
  /**
   * @param rows  of the trace, in `columns`
   * @param repairs  of the trace so far
   * @returns whether it took them
   */
  take(traceId: string, columns: SpanColumns, rows: Int32Array, repairs: Repairs): boolean
}

/**
 * Spans in, assembled traces out: what every reader fills.
 *
 * Spans may come in any order and from any number of traces; the answer does not depend on it. Nothing throws: a span
 * that cannot be used is left out and what can be mended is mended, each counted in the repairs of its trace (or here,
 * when nothing of the trace is left). Times are exact to the ns within 104 days (2^53 ns) of the trace's root.
 *
 * Two ways to hand over a span: `add()` takes an object; readers in a hurry write to `columns` themselves.
 */
export class TraceBuilder {
  readonly names: Names
  /** What was mended outside any trace. */
  readonly repairs: Repairs
  /** `push()` a row, then fill it in. */
  readonly columns: SpanColumns = new SpanColumns()
  /** Numbers for `columns.trace`; they hold until `finish()`. */
  readonly traceIds: TraceIds = new TraceIds()
  readonly #assembler: Assembler
  readonly #sink: RowSink | undefined
  readonly #repairsOfTraces = new Map<number, Repairs>()
  #order = new Int32Array(0)

  /** @param options  `sink` is offered every trace before it is assembled */
  constructor(
    options: {
      readonly names?: Names | undefined
      readonly repairs?: Repairs | undefined
      readonly sink?: RowSink | undefined
    } = {},
  ) {
    this.names = options.names ?? new Names()
    this.repairs = options.repairs ?? new Repairs()
    this.#sink = options.sink
    this.#assembler = new Assembler(this.columns, this.names)
  }

  /** Spans handed over since the last `finish()`. */
  get size(): number {
    return this.columns.size
  }

  /** Takes one span; what cannot be read as it stands is mended or left out by `finish`, and counted. */
  add(span: SpanRow): void {
    const { columns, names } = this
    const row = columns.push()
    columns.trace[row] = this.traceIds.ofText(span.traceId ?? '')
    columns.id.setText(row, `${span.id ?? ''}`) // callers without types number their spans
    columns.parent.setText(row, `${span.parentId ?? ''}`)
    columns.service[row] = names.number(span.service)
    columns.operation[row] = names.number(span.operation)
    columns.setStartUs(row, span.startUs)
    if (span.startNs) columns.startNs[row] = span.startNs
    if (span.durationUs !== undefined) columns.setDurationUs(row, span.durationUs)
    else columns.setEndUs(row, span.endUs ?? Number.NaN)
    if (span.endNs) columns.endNs[row] = span.endNs
    columns.kind[row] = Math.max(0, KINDS.indexOf(span.kind ?? 'internal'))
    columns.flags[row] = (span.isFollowsFrom ? FOLLOWS_FROM : 0) | (span.isError ? ERROR : 0)
    if (span.instance) columns.instance[row] = names.number(span.instance)
    if (span.host) columns.host[row] = names.number(span.host)
  }

  /** Takes spans of one trace from another builder with the same names, and what was mended in them. */
  addRows(traceId: string, from: SpanColumns, rows: Int32Array, repairs: Repairs): void {
    const { columns } = this
    const trace = this.traceIds.ofText(traceId)
    for (const row of rows) {
      const to = columns.push()
      columns.copyRow(row, to, from)
      columns.trace[to] = trace
    }
    this.#repairsOf(trace).merge(repairs)
  }

  /** Counts what a reader mended in the trace with this number. */
  repair(code: RepairCode, trace: number, where: () => string): void {
    this.#repairsOf(trace).add(code, where)
  }

  #repairsOf(trace: number): Repairs {
    let repairs = this.#repairsOfTraces.get(trace)
    if (!repairs) {
      repairs = new Repairs()
      this.#repairsOfTraces.set(trace, repairs)
    }
    return repairs
  }

  /** Assembles what was handed over since the last call, one trace for each id, first met first. */
  finish(): Trace[] {
    return [...this.traces()]
  }

  /** `finish()` one trace at a time, for readers that pass them on; no span may be handed over until it has ended. */
  *traces(): Generator<Trace, void, undefined> {
    const { columns, traceIds } = this
    const starts = this.#groupRows(traceIds.size)
    try {
      for (let number = 0; number < traceIds.size; number++) {
        const repairs = this.#repairsOfTraces.get(number) ?? new Repairs()
        const from = starts[number]!
        const to = starts[number + 1]!
        const rows = this.#order.subarray(from, to)
        if (this.#sink && to > from && this.#sink.take(traceIds.text(number), columns, rows, repairs)) continue
        const trace = this.#assembler.assemble(traceIds.text(number), this.#order, from, to, repairs)
        if (trace) yield trace
        else this.repairs.merge(repairs)
      }
    } finally {
      columns.clear()
      traceIds.clear()
      this.#repairsOfTraces.clear()
    }
  }

  /** Writes the rows to `#order`, trace by trace. @returns [traces + 1] where each trace starts */
  #groupRows(traces: number): Int32Array {
    const { trace, size } = this.columns
    if (this.#order.length < size) this.#order = new Int32Array(size * 2)
    const starts = new Int32Array(traces + 1)
    for (let row = 0; row < size; row++) starts[trace[row]! + 1]!++
    for (let number = 0; number < traces; number++) starts[number + 1]! += starts[number]!
    const next = starts.slice()
    for (let row = 0; row < size; row++) this.#order[next[trace[row]!]!++] = row
    return starts
  }
}
