import { ConfigError } from '@trimtab/core'
import { type PathRequest, type PathResult, TraceKernel } from '@trimtab/core/internal'
import type { TraceCore } from '@trimtab/core/trace'
import { Repairs } from '../repairs.js'
import type { Trace } from '../types.js'
import { clockResolution } from './clock-resolution.js'
import { checkPathOptions, type PathOptions } from './options.js'
import type { CriticalPath } from './types.js'

/**
 * Finds critical paths with one kernel, whose memory serves trace after trace.
 *
 * The answer does not depend on the order of the spans; siblings with the same times are told apart by their ids.
 * Source: dissertation 3.2.2, Algorithm 3.1; `blocking` corrects it so that sections add up.
 *
 * @example
 * const finder = new PathFinder(await createCore())
 * for await (const trace of readTraces(file)) profile.add(finder.find(trace))
 */
export class PathFinder {
  readonly #kernel: TraceKernel
  readonly #options: PathOptions

  /** @throws {ConfigError} `config_invalid` */
  constructor(core: TraceCore, options: PathOptions = {}) {
    checkPathOptions(options)
    this.#options = options
    this.#kernel = new TraceKernel(core)
  }

  /**
   * @param root  row of the span whose latency is to be explained; default: `options.root`, else the trace's root
   * @throws {ConfigError} `root_unknown`: the trace has no such span
   * @throws {CoreError} `core_out_of_memory` (beyond 24 million spans)
   */
  find(trace: Trace, root: number = this.#rootOf(trace)): CriticalPath {
    if (!(Number.isInteger(root) && root >= 0 && root < trace.size)) {
      throw new ConfigError('root_unknown', `trace ${trace.traceId} has rows 0 … ${trace.size - 1}, got root ${root}`)
    }
    const request = this.#request(trace, root)
    const result = this.#kernel.extract(trace, request, (rows) => sortById(trace, rows))
    let selfNs: Float64Array | undefined
    return {
      trace,
      mode: request.mode,
      root,
      latencyNs: result.finishNs - trace.startNs[root]!,
      toleranceNs: request.toleranceNs,
      size: result.size,
      row: result.row,
      startNs: result.startNs,
      endNs: result.endNs,
      get selfNs() {
        selfNs ??= selfTimes(result, trace.size) // a column that many do without
        return selfNs
      },
      background: result.background,
      windowStartNs: result.windowStartNs,
      windowEndNs: result.windowEndNs,
      repairs: repairsOf(trace, root, result),
    }
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#kernel.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #rootOf(trace: Trace): number {
    const { root } = this.#options
    if (root === undefined) return trace.root
    for (let row = 0; row < trace.size; row++) if (trace.spanId(row) === root) return row
    throw new ConfigError(
      'root_unknown',
      `trace ${trace.traceId} has no span ${root}: leave root out or name one of its ids`,
    )
  }

  #request(trace: Trace, root: number): PathRequest {
    const { mode = 'blocking', overlapTolerance = 0, followsFrom, producerConsumer, lateChild } = this.#options
    return {
      root,
      mode,
      toleranceNs: overlapTolerance === 'auto' ? clockResolution(trace).resolutionNs : overlapTolerance * 1000,
      followsFromBlocks: followsFrom === 'blocking',
      consumerBlocks: producerConsumer === 'blocking',
      lateIsBackground: lateChild === 'background',
    }
  }
}

function selfTimes({ size, row, startNs, endNs }: PathResult, n: number): Float64Array {
  const selfNs = new Float64Array(n)
  for (let i = 0; i < size; i++) selfNs[row[i]!]! += endNs[i]! - startNs[i]!
  return selfNs
}

function sortById(trace: Trace, rows: Int32Array): void {
  const ids = Array.from(rows, (row) => ({ row, id: trace.spanId(row) }))
  ids.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  for (let i = 0; i < ids.length; i++) rows[i] = ids[i]!.row
}

function repairsOf(trace: Trace, root: number, result: PathResult): Repairs {
  const repairs = new Repairs()
  const { windowStartNs, windowEndNs, background, clamped, dropped, overlapsTrimmed } = result
  const where = (row: number) => () => `${trace.traceId}/${trace.spanId(row)}`
  let wanted = clamped + dropped
  for (let row = 0; wanted > 0 && row < trace.size; row++) {
    if (row === root) continue
    const isInside = windowStartNs[row]! <= windowEndNs[row]!
    if (isInside) {
      if (windowStartNs[row] === trace.startNs[row] && windowEndNs[row] === trace.endNs[row]) continue
      repairs.add('clamped', where(row))
    } else {
      const parent = trace.parent[row]!
      if (background[row] === 1 || parent < 0 || !(windowStartNs[parent]! <= windowEndNs[parent]!)) continue
      repairs.add('dropped', where(row))
    }
    wanted--
  }
  if (overlapsTrimmed > 0) repairs.add('overlap_trimmed', () => trace.traceId, overlapsTrimmed)
  return repairs
}
