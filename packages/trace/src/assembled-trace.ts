import { idText } from './ids.js'
import type { Names } from './names.js'
import type { Repairs } from './repairs.js'
import type { Trace } from './types.js'

const BYTES_PER_ROW = 8 + 8 + 4 * 9 + 2

/** A trace in one block of memory: all columns are views on the same buffer. */
export class AssembledTrace implements Trace {
  readonly traceId: string
  readonly size: number
  readonly names: Names
  readonly repairs: Repairs
  readonly startNs: Float64Array
  readonly endNs: Float64Array
  readonly parent: Int32Array
  readonly service: Int32Array
  readonly operation: Int32Array
  readonly instance: Int32Array
  readonly host: Int32Array
  readonly kind: Uint8Array
  readonly flags: Uint8Array
  root = 0
  /** The origin: whole µs and the ns beyond them. */
  originUs = 0
  originRestNs = 0
  /** [N, 3] high, low and form of each id, as in `IdColumn`. */
  readonly ids: Int32Array
  /** [N] which of the spans handed over each row is. */
  readonly inputRow: Int32Array
  /** Ids that had to be changed to be unique, by row. */
  renamed: Map<number, string> | undefined
  readonly #idTexts: Names

  constructor(traceId: string, size: number, names: Names, idTexts: Names, repairs: Repairs) {
    this.traceId = traceId
    this.size = size
    this.names = names
    this.#idTexts = idTexts
    this.repairs = repairs
    const buffer = new ArrayBuffer(size * BYTES_PER_ROW)
    this.startNs = new Float64Array(buffer, 0, size)
    this.endNs = new Float64Array(buffer, size * 8, size)
    this.parent = new Int32Array(buffer, size * 16, size)
    this.service = new Int32Array(buffer, size * 20, size)
    this.operation = new Int32Array(buffer, size * 24, size)
    this.instance = new Int32Array(buffer, size * 28, size)
    this.host = new Int32Array(buffer, size * 32, size)
    this.ids = new Int32Array(buffer, size * 36, size * 3)
    this.inputRow = new Int32Array(buffer, size * 48, size)
    this.kind = new Uint8Array(buffer, size * 52, size)
    this.flags = new Uint8Array(buffer, size * 53, size)
  }

  get originUnixNs(): bigint {
    return BigInt(this.originUs) * 1000n + BigInt(this.originRestNs)
  }

  spanId(row: number): string {
    const renamed = this.renamed?.get(row)
    if (renamed !== undefined) return renamed
    return idText(this.ids[row * 3]!, this.ids[row * 3 + 1]!, this.ids[row * 3 + 2]!, this.#idTexts)
  }
}
