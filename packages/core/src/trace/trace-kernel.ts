import * as abi from '../abi.js'
import type { TraceCore } from '../core.js'
import { CoreError, TrimtabError } from '../errors.js'
import { Arena } from '../memory/arena.js'

/** The columns of a trace that the path depends on; rows in any order, N of them. */
export interface PathColumns {
  /** [N] whole ns; both ends finite, `endNs` never before `startNs`. */
  readonly startNs: Float64Array
  readonly endNs: Float64Array
  /** [N] row of the parent, −1 for a root; without cycles. */
  readonly parent: Int32Array
  /** [N] 3 producer, 4 consumer, anything else. */
  readonly kind: Uint8Array
  /** [N] bit 1: the span follows from its parent. */
  readonly flags: Uint8Array
}

/** What path of a trace is wanted; spans are rows of the trace. */
export interface PathRequest {
  readonly root: number
  readonly mode: 'blocking' | 'to-trace-end' | 'firm'
  /** Siblings that overlap by no more follow each other; not used by `firm`. */
  readonly toleranceNs: number
  readonly followsFromBlocks: boolean
  readonly consumerBlocks: boolean
  readonly lateIsBackground: boolean
}

/**
 * The critical path of a trace of N spans, in S sections; times in ns from the start of the trace. Views until the next call.
 */
export interface PathResult {
  /** S */
  readonly size: number
  /** [S] in time order; whole spans in the algorithm's order for `firm`. */
  readonly row: Int32Array
  /** [S] In a tiling each section ends where the next starts: both are views on the same S + 1 numbers. */
  readonly startNs: Float64Array
  readonly endNs: Float64Array
  /** [N] 1 where nothing waits for the span. */
  readonly background: Uint8Array
  /**
   * [N] NaN where the span has no part in what the root waits for. The columns that came in where every span has all of its
   * own times.
   */
  readonly windowStartNs: Float64Array
  readonly windowEndNs: Float64Array
  /** Where the path ends, ns. */
  readonly finishNs: number
  readonly clamped: number
  readonly dropped: number
  readonly overlapsTrimmed: number
}

const SMALLEST = 64 // spans that the first block has room for
/** How memory says that it cannot hold a block: none can, or this one not beside what it holds. */
const TOO_LARGE: readonly string[] = ['config_invalid', 'core_out_of_memory']

/**
 * Critical-path extraction in the core (assembly/trace): O(n log n), nothing recursive, 87 bytes a span.
 * The block grows to the largest trace seen and is kept, so that small traces in a row allocate nothing in the core.
 */
export class TraceKernel {
  readonly #core: TraceCore
  #arena: Arena
  #capacity = SMALLEST

  constructor(core: TraceCore) {
    this.#core = core
    this.#arena = new Arena(core, core.exports.path_bytes(SMALLEST), 'TraceKernel')
  }

  /**
   * @param order  sorts rows of siblings with the same times in place; called only where that decides something
   * @throws {CoreError} `core_out_of_memory` beyond 24 million spans; the kernel can still be used
   */
  extract(columns: PathColumns, request: PathRequest, order: (rows: Int32Array) => void): PathResult {
    const n = columns.startNs.length
    this.#reserve(n)
    const { exports, memory } = this.#core
    const block = this.#arena.pointer
    exports.path_layout(block, n)
    const { buffer } = memory
    const at = (which: number): number => exports.path_column(block, which)
    new Float64Array(buffer, at(abi.PATH_START), n).set(columns.startNs)
    new Float64Array(buffer, at(abi.PATH_END), n).set(columns.endNs)
    new Int32Array(buffer, at(abi.PATH_PARENT), n).set(columns.parent)
    new Uint8Array(buffer, at(abi.PATH_KIND), n).set(columns.kind)
    new Uint8Array(buffer, at(abi.PATH_FLAGS), n).set(columns.flags)
    exports.path_begin(block, request.root, optionBits(request), request.toleranceNs)
    for (let tied = exports.path_resume(block); tied > 0; tied = exports.path_resume(block)) {
      order(new Int32Array(buffer, at(abi.PATH_TIED), tied))
    }
    return this.#read(columns, request.mode === 'firm')
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#arena.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #reserve(n: number): void {
    if (n <= this.#capacity) return
    const capacity = Math.max(n, Math.min(2 * this.#capacity, 1 << 20)) // doubling for small ones, to the point for large
    const bytes = this.#core.exports.path_bytes(capacity)
    this.#arena.dispose()
    try {
      this.#arena = new Arena(this.#core, bytes, 'TraceKernel', { spans: capacity })
      this.#capacity = capacity
    } catch (cause) {
      this.#capacity = SMALLEST
      this.#arena = new Arena(this.#core, this.#core.exports.path_bytes(SMALLEST), 'TraceKernel')
      if (!(cause instanceof TrimtabError) || !TOO_LARGE.includes(cause.code)) throw cause
      throw new CoreError(
        'core_out_of_memory',
        `the path of ${n} spans takes ${bytes} bytes of the core's memory, which holds ${this.#core.usedBytes} bytes and ends at 4 GiB, 2 GiB a block: give each trace a core of its own, or split it at its top spans`,
        { cause },
      )
    }
  }

  /** @param isWhole  the sections are whole spans, not a tiling */
  #read(columns: PathColumns, isWhole: boolean): PathResult {
    const n = columns.startNs.length
    const { exports } = this.#core
    const block = this.#arena.pointer
    const { buffer } = exports.memory
    const at = (which: number): number => exports.path_column(block, which)
    const get = (which: number): number => exports.path_get(block, which)
    const window = (which: number): Float64Array => new Float64Array(buffer, at(which), n).slice()

    const size = get(abi.PATH_SECTIONS)
    const finishNs = get(abi.PATH_FINISH)
    const first = isWhole ? 0 : 2 * n - size // a tiling is written backwards from the end of the columns
    const row = new Int32Array(buffer, at(abi.PATH_SECTION_ROW) + 4 * first, size).slice()
    const startNs = new Float64Array(size + 1)
    startNs.set(new Float64Array(buffer, at(abi.PATH_SECTION_START) + 8 * first, size))
    startNs[size] = finishNs
    const sections = {
      startNs: startNs.subarray(0, size),
      endNs: isWhole ? Float64Array.from(row, (span) => columns.endNs[span]!) : startNs.subarray(1),
    }
    const isCut = get(abi.PATH_CUT) === 1
    return {
      size,
      row,
      ...sections,
      background: isCut ? new Uint8Array(buffer, at(abi.PATH_KIND), n).slice() : new Uint8Array(n),
      windowStartNs: isCut ? window(abi.PATH_START) : columns.startNs,
      windowEndNs: isCut ? window(abi.PATH_END) : columns.endNs,
      finishNs,
      clamped: get(abi.PATH_CLAMPED),
      dropped: get(abi.PATH_DROPPED),
      overlapsTrimmed: get(abi.PATH_TRIMMED),
    }
  }
}

function optionBits(request: PathRequest): number {
  return (
    (request.mode === 'to-trace-end' ? abi.PATH_TO_TRACE_END : 0) |
    (request.mode === 'firm' ? abi.PATH_FIRM : 0) |
    (request.followsFromBlocks ? abi.PATH_FOLLOWS_FROM_BLOCKS : 0) |
    (request.consumerBlocks ? abi.PATH_CONSUMER_BLOCKS : 0) |
    (request.lateIsBackground || request.mode === 'firm' ? abi.PATH_LATE_IS_BACKGROUND : 0)
  )
}
