import { grown, IdColumn } from './ids.js'
import { Names } from './names.js'

/** Where times stop being believed, µs: whole µs are exact below it (2^53 µs is 285 years). */
export const MAX_TIME_US: number = Number.MAX_SAFE_INTEGER

/** The longest span that is exact to the ns: 2^53 ns, 104 days. Longer ones lack a start (they begin in 1970). */
export const MAX_LENGTH_US = 9_007_199_254_740

// Bits of `SpanColumns.flags` beside those of a trace: what a reader saw and assembly tells or acts on.
/** The span names itself among its parents. */
export const SELF_REFERENCE = 4
/** The span names several parents; the first was taken. */
export const SEVERAL_PARENTS = 8
/** The span says that its id is also that of its caller's span (Zipkin). */
export const SHARED_ID = 16

const FIRST_CAPACITY = 256
const NUMBERS = [
  'trace',
  'service',
  'operation',
  'instance',
  'host',
  'startUs',
  'startNs',
  'endUs',
  'endNs',
  'kind',
  'flags',
] as const

/**
 * Spans as readers write them: a growing column for each attribute, no object for a span.
 *
 * `const row = columns.push()`, then fill the row. A time is two numbers, whole µs and the ns (0…999) beyond them, so
 * that 64-bit nanoseconds fit without a bigint. Growth replaces the arrays: read them from here after each `push()`.
 */
export class SpanColumns {
  size = 0
  /** Number of the trace, from `TraceBuilder.traceNumber…()`. */
  trace: Int32Array = new Int32Array(FIRST_CAPACITY)
  readonly id: IdColumn
  /** Of the parent span; `clear(row)` for none. */
  readonly parent: IdColumn
  startUs: Float64Array = new Float64Array(FIRST_CAPACITY)
  startNs: Uint16Array = new Uint16Array(FIRST_CAPACITY)
  /** NaN: no end was given. */
  endUs: Float64Array = new Float64Array(FIRST_CAPACITY)
  endNs: Uint16Array = new Uint16Array(FIRST_CAPACITY)
  /** Numbers of `TraceBuilder.names`. */
  service: Int32Array = new Int32Array(FIRST_CAPACITY)
  operation: Int32Array = new Int32Array(FIRST_CAPACITY)
  instance: Int32Array = new Int32Array(FIRST_CAPACITY)
  host: Int32Array = new Int32Array(FIRST_CAPACITY)
  /** Index into `KINDS`. */
  kind: Uint8Array = new Uint8Array(FIRST_CAPACITY)
  /** `FOLLOWS_FROM | ERROR | SELF_REFERENCE | SEVERAL_PARENTS | SHARED_ID`. */
  flags: Uint8Array = new Uint8Array(FIRST_CAPACITY)
  #capacity = FIRST_CAPACITY

  constructor() {
    const texts = new Names()
    this.id = new IdColumn(FIRST_CAPACITY, texts)
    this.parent = new IdColumn(FIRST_CAPACITY, texts)
  }

  /** A new row: no id, no parent, no end, no instance, no host, internal, no flags. Trace, start, service and operation are the caller's to set. */
  push(): number {
    if (this.size === this.#capacity) this.#grow()
    const row = this.size++
    this.id.form[row] = 0
    this.parent.form[row] = 0
    this.endUs[row] = Number.NaN
    this.instance[row] = 0
    this.host[row] = 0
    this.kind[row] = 0
    this.flags[row] = 0
    return row
  }

  /** Takes back the newest row. */
  pop(): void {
    this.size--
  }

  /** Makes `to` say what `from` says. @param source  the columns of `from`, with the same names */
  copyRow(from: number, to: number, source: SpanColumns = this): void {
    for (const column of NUMBERS) this[column][to] = source[column][from]!
    this.id.copyRow(from, to, source.id)
    this.parent.copyRow(from, to, source.parent)
  }

  /** Forgets all rows and the texts of their ids; the room stays. */
  clear(): void {
    this.size = 0
    if (this.id.texts.size > 1) {
      this.id.texts = new Names()
      this.parent.texts = this.id.texts
    }
  }

  /** A start in µs, whole or not (fractions are rounded to ns). */
  setStartUs(row: number, us: number): void {
    const whole = Math.floor(us)
    this.startUs[row] = whole
    this.startNs[row] = 0
    if (whole !== us) addNs(this.startUs, this.startNs, row, Math.round((us - whole) * 1000))
  }

  /** An end in µs, whole or not; NaN for none. */
  setEndUs(row: number, us: number): void {
    const whole = Math.floor(us)
    this.endUs[row] = whole
    this.endNs[row] = 0
    if (whole !== us) addNs(this.endUs, this.endNs, row, Math.round((us - whole) * 1000))
  }

  /** The end as µs after the start, which is set already. */
  setDurationUs(row: number, us: number): void {
    const whole = Math.floor(us)
    this.endUs[row] = this.startUs[row]! + whole
    this.endNs[row] = this.startNs[row]!
    if (whole !== us) addNs(this.endUs, this.endNs, row, Math.round((us - whole) * 1000))
  }

  /** A start in whole ns as an unsigned 64-bit number in two halves. */
  setStartWords(row: number, high: number, low: number): void {
    const rest = (high >>> 0) * 296 + (low >>> 0) // 2^32 = 4294967 · 1000 + 296
    const us = Math.floor(rest / 1000)
    this.startUs[row] = (high >>> 0) * 4294967 + us
    this.startNs[row] = rest - us * 1000
  }

  /** An end in whole ns as an unsigned 64-bit number in two halves. */
  setEndWords(row: number, high: number, low: number): void {
    const rest = (high >>> 0) * 296 + (low >>> 0)
    const us = Math.floor(rest / 1000)
    this.endUs[row] = (high >>> 0) * 4294967 + us
    this.endNs[row] = rest - us * 1000
  }

  #grow(): void {
    const capacity = this.#capacity * 2
    this.trace = grown(this.trace, new Int32Array(capacity))
    this.id.grow(capacity)
    this.parent.grow(capacity)
    this.startUs = grown(this.startUs, new Float64Array(capacity))
    this.startNs = grown(this.startNs, new Uint16Array(capacity))
    this.endUs = grown(this.endUs, new Float64Array(capacity))
    this.endNs = grown(this.endNs, new Uint16Array(capacity))
    this.service = grown(this.service, new Int32Array(capacity))
    this.operation = grown(this.operation, new Int32Array(capacity))
    this.instance = grown(this.instance, new Int32Array(capacity))
    this.host = grown(this.host, new Int32Array(capacity))
    this.kind = grown(this.kind, new Uint8Array(capacity))
    this.flags = grown(this.flags, new Uint8Array(capacity))
    this.#capacity = capacity
  }
}

/** Adds up to 1000 ns to a time of two numbers. */
function addNs(us: Float64Array, ns: Uint16Array, row: number, by: number): void {
  const sum = ns[row]! + by
  us[row] = us[row]! + Math.floor(sum / 1000)
  ns[row] = sum % 1000
}
