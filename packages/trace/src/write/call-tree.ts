import type { CriticalPath } from '../path/types.js'
import type { Frame } from '../types.js'

/**
 * Time on the path by call path: a node for each different chain of callers, in columns.
 * Callers come before what they call. C: number of nodes.
 */
export interface CallTree {
  readonly frames: readonly Frame[]
  /** C */
  readonly size: number
  /** [C] node of the caller, −1 at the top. */
  readonly parent: Int32Array
  /** [C] index into `frames`. */
  readonly frame: Int32Array
  /** [C] ns that the node itself owns on the path. */
  readonly selfNs: Float64Array
  /** [C] spans that were merged into the node and are on the path. */
  readonly calls: Float64Array
}

/** Nodes and frames are told apart by one number each in a map's key; more of either than this are not to be had. */
const KEY_STRIDE = 2 ** 26

/** Grows a call tree path by path. */
export class CallTreeBuilder {
  readonly #frames: Frame[] = []
  readonly #frameNumbers = new Map<string, number>()
  readonly #nodes = new Map<number, number>()
  readonly #parent: number[] = []
  readonly #frame: number[] = []
  readonly #selfNs: number[] = []
  readonly #calls: number[] = []

  /** The node of `frame` called by `parent` (−1: by nobody), new if it was not there. */
  node(parent: number, service: string, operation: string): number {
    const text = `${service}\u0000${operation}`
    let frame = this.#frameNumbers.get(text)
    if (frame === undefined) {
      frame = this.#frames.length
      this.#frames.push({ service, operation })
      this.#frameNumbers.set(text, frame)
    }
    const key = (parent + 1) * KEY_STRIDE + frame
    let node = this.#nodes.get(key)
    if (node === undefined) {
      node = this.#parent.length
      this.#nodes.set(key, node)
      this.#parent.push(parent)
      this.#frame.push(frame)
      this.#selfNs.push(0)
      this.#calls.push(0)
    }
    return node
  }

  /** Adds to a node: ns of its own, and calls. */
  add(node: number, selfNs: number, calls: number): void {
    this.#selfNs[node]! += selfNs
    this.#calls[node]! += calls
  }

  /** Every span of the path at its place, with all that called it below the path's root. */
  addPath({ trace, root, row, selfNs }: CriticalPath): void {
    const nodes = new Int32Array(trace.size).fill(-1) // [N]
    const isCounted = new Uint8Array(trace.size) // [N]
    const climb: number[] = []
    for (const at of row) {
      if (isCounted[at] === 1) continue
      isCounted[at] = 1
      let top = at
      while (top >= 0 && nodes[top] === -1) {
        climb.push(top)
        top = top === root ? -1 : trace.parent[top]!
      }
      let node = top < 0 ? -1 : nodes[top]!
      while (climb.length > 0) {
        const next = climb.pop()!
        node = this.node(node, trace.names.text(trace.service[next]!), trace.names.text(trace.operation[next]!))
        nodes[next] = node
      }
      this.add(nodes[at]!, selfNs[at]!, 1)
    }
  }

  /** The tree so far; later additions do not change it. */
  finish(): CallTree {
    return {
      frames: [...this.#frames],
      size: this.#parent.length,
      parent: Int32Array.from(this.#parent),
      frame: Int32Array.from(this.#frame),
      selfNs: Float64Array.from(this.#selfNs),
      calls: Float64Array.from(this.#calls),
    }
  }
}

/** The call tree of one path or of many together. */
export function callTree(paths: CriticalPath | Iterable<CriticalPath>): CallTree {
  const builder = new CallTreeBuilder()
  for (const path of Symbol.iterator in paths ? paths : [paths]) builder.addPath(path)
  return builder.finish()
}

/** [C] a node's own value and those of everything below it. */
export function sumUp(parent: Int32Array, own: Float64Array): Float64Array {
  const total = Float64Array.from(own)
  for (let node = total.length - 1; node >= 0; node--) {
    const caller = parent[node]!
    if (caller >= 0) total[caller]! += total[node]!
  }
  return total
}

export interface Visit {
  readonly node: number
  readonly isEntry: boolean
}

/** Every node on the way down and on the way up, the largest `total` first among those of one caller. */
export function* walk(tree: CallTree, total: Float64Array): Generator<Visit, void> {
  const { size, parent } = tree
  const first = new Int32Array(size + 1).fill(-1) // of the nodes below `node`; the last entry: the top
  const next = new Int32Array(size).fill(-1)
  const order = Array.from({ length: size }, (_, node) => node).sort((a, b) => total[a]! - total[b]! || b - a)
  for (const node of order) {
    const caller = parent[node]! < 0 ? size : parent[node]!
    next[node] = first[caller]!
    first[caller] = node
  }
  let node = first[size]!
  while (node >= 0) {
    yield { node, isEntry: true }
    if (first[node]! >= 0) {
      node = first[node]!
      continue
    }
    while (node >= 0) {
      yield { node, isEntry: false }
      if (next[node]! >= 0) {
        node = next[node]!
        break
      }
      node = parent[node]!
    }
  }
}
