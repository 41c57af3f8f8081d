import { type Bytes, FormatError } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'

const MAGIC = 'TRIMTAB\n'
const HEAD = 16 // magic, then the header's length as u32 twice, so that a damaged length shows

type Column = Float64Array | Int32Array

/** What a saved aggregate is: typed arrays by name and JSON values for the rest. */
export interface ColumnFile {
  readonly meta: Readonly<Record<string, unknown>>
  readonly columns: Readonly<Record<string, Column>>
}

interface Header {
  readonly kind: string
  readonly version: number
  readonly meta: ColumnFile['meta']
  /** name, 'f64' or 'i32', length; the data follow in this order, each on a multiple of 8 bytes */
  readonly columns: readonly (readonly [string, 'f64' | 'i32', number])[]
}

const padded = (bytes: number): number => Math.ceil(bytes / 8) * 8

/** One self-describing block of bytes: magic, JSON header, little-endian columns. */
export function writeColumnFile(kind: string, version: number, file: ColumnFile): Uint8Array {
  const columns = Object.entries(file.columns)
  const header: Header = {
    kind,
    version,
    meta: file.meta,
    columns: columns.map(([name, column]) => [name, column instanceof Float64Array ? 'f64' : 'i32', column.length]),
  }
  const json = new TextEncoder().encode(JSON.stringify(header))
  const dataAt = padded(HEAD + json.length)
  const bytes = new Uint8Array(columns.reduce((at, [, column]) => at + padded(column.byteLength), dataAt))
  bytes.set(new TextEncoder().encode(MAGIC))
  const view = new DataView(bytes.buffer)
  view.setUint32(8, json.length, true)
  view.setUint32(12, json.length, true)
  bytes.set(json, HEAD)
  let at = dataAt
  for (const [, column] of columns) {
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at)
    at += padded(column.byteLength)
  }
  return bytes
}

/**
 * Reads what `writeColumnFile` wrote.
 * @throws {FormatError} `file_foreign` (something else), `file_version` (newer), `file_damaged` (cut off or altered)
 */
export function readColumnFile(kind: string, version: number, file: Bytes): ColumnReader {
  const bytes = copyBytes(file, `a saved ${kind}`)
  if (bytes.length < HEAD || new TextDecoder().decode(bytes.subarray(0, 8)) !== MAGIC) {
    throw new FormatError('file_foreign', `this is no saved ${kind}: it does not start with ${JSON.stringify(MAGIC)}`)
  }
  const view = new DataView(bytes.buffer)
  const length = view.getUint32(8, true)
  if (length !== view.getUint32(12, true) || HEAD + length > bytes.length) {
    throw damaged(kind, `its header is not whole (${bytes.length} bytes)`)
  }
  const header = parseHeader(kind, bytes.subarray(HEAD, HEAD + length))
  if (header.kind !== kind) {
    throw new FormatError('file_foreign', `this is a saved ${header.kind}, not a saved ${kind}`)
  }
  if (header.version !== version) {
    throw new FormatError(
      'file_version',
      `this saved ${kind} has version ${header.version}, this package reads ${version}; use the version that wrote it`,
    )
  }
  const columns: Record<string, Column> = {}
  let at = padded(HEAD + length)
  for (const [name, type, size] of header.columns) {
    const width = type === 'f64' ? 8 : 4
    if (at + padded(size * width) > bytes.length) {
      throw damaged(kind, `it ends within its column ${name} (${bytes.length} bytes)`)
    }
    const data = bytes.slice(at, at + size * width).buffer
    columns[name] = type === 'f64' ? new Float64Array(data) : new Int32Array(data)
    at += padded(size * width)
  }
  if (at !== bytes.length) throw damaged(kind, `${bytes.length - at} bytes follow its end`)
  return new ColumnReader(kind, header.meta, columns)
}

function parseHeader(kind: string, bytes: Uint8Array): Header {
  let header: Partial<Header>
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) ?? {}
  } catch (cause) {
    throw new FormatError('file_damaged', `this saved ${kind} is damaged: its header is not JSON`, { cause })
  }
  const { columns } = header
  const isColumn = (column: unknown): boolean =>
    Array.isArray(column) &&
    typeof column[0] === 'string' &&
    (column[1] === 'f64' || column[1] === 'i32') &&
    Number.isSafeInteger(column[2]) &&
    column[2] >= 0
  const hasMeta = typeof header.meta === 'object' && header.meta !== null
  if (typeof header.kind !== 'string' || !hasMeta || !Array.isArray(columns) || !columns.every(isColumn)) {
    throw damaged(kind, 'its header is not complete')
  }
  return header as Header
}

const damaged = (kind: string, why: string): FormatError =>
  new FormatError('file_damaged', `this saved ${kind} is damaged: ${why}; save it again`)

/** The columns of a file, each checked as it is taken. */
export class ColumnReader {
  readonly meta: ColumnFile['meta']
  readonly #kind: string
  readonly #columns: Readonly<Record<string, Column>>

  constructor(kind: string, meta: ColumnFile['meta'], columns: Readonly<Record<string, Column>>) {
    this.#kind = kind
    this.meta = meta
    this.#columns = columns
  }

  /** The error to throw for contents that cannot be. */
  damaged(why: string): FormatError {
    return damaged(this.#kind, why)
  }

  /**
   * Whole numbers in low … high − 1.
   * @throws {FormatError} `file_damaged`
   */
  integers(name: string, length: number | undefined, low: number, high: number): Int32Array {
    const column = this.#column(name, Int32Array, length)
    for (const value of column) {
      if (value < low || value >= high) throw this.damaged(`${name} holds ${value}, outside ${low} … ${high - 1}`)
    }
    return column
  }

  /**
   * Counts, times or words of exact sums: whole, not negative.
   * @throws {FormatError} `file_damaged`
   */
  counts(name: string, length: number): Float64Array {
    const column = this.#column(name, Float64Array, length)
    for (const value of column) {
      if (!(Number.isSafeInteger(value) && value >= 0)) throw this.damaged(`${name} holds ${value}, which is no count`)
    }
    return column
  }

  /**
   * A list of strings out of `meta`.
   * @throws {FormatError} `file_damaged`
   */
  strings(name: string, length?: number): string[] {
    const list = this.meta[name]
    if (!Array.isArray(list) || list.some((text) => typeof text !== 'string')) {
      throw this.damaged(`${name} is no list of strings`)
    }
    if (length !== undefined && list.length !== length) {
      throw this.damaged(`${name} holds ${list.length} strings instead of ${length}`)
    }
    return list
  }

  #column<C extends Column>(name: string, type: new () => C, length: number | undefined): C {
    const column = this.#columns[name]
    if (!(column instanceof type)) throw this.damaged(`its column ${name} is missing`)
    if (length !== undefined && column.length !== length) {
      throw this.damaged(`its column ${name} holds ${column.length} numbers instead of ${length}`)
    }
    return column
  }
}
