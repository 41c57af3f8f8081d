import { Names } from '../names.js'
import type { Trace } from '../types.js'
import { grown, PairTable } from './pair-table.js'

const UNKNOWN = -1
/** The parent of a call path that starts at a root. */
export const NO_PATH = -1
/** What stands for a service and for an operation in the frame between a root and what hangs below no root. */
const NOWHERE = -1

/**
 * The call paths of many traces: root frame, its child's frame, …, a frame being service and operation. Each different path
 * is one number; a path knows its parent and its last frame, so a chain of a million frames costs a million small rows.
 *
 * Spans that hang below no root (their parent was never collected) get paths below the root's, behind a marker frame:
 * nothing is left out and nothing pretends to have been called by the root.
 */
export class CallPaths {
  readonly names: Names = new Names()
  readonly #frames = new PairTable()
  readonly #paths = new PairTable()
  #root = new Int32Array(16)
  #depth = new Int32Array(16)
  #isDetached = new Int32Array(16)
  #known = 0
  readonly #translations = new WeakMap<Names, Int32Array>()
  #pathOf = new Int32Array(64)
  #stack = new Int32Array(64)

  get size(): number {
    return this.#paths.size
  }

  /** The path one frame shorter; NO_PATH above a root. */
  parent(path: number): number {
    return this.#paths.first(path)
  }

  /** Number in `names`; −1 in the marker frame. */
  service(path: number): number {
    return this.#frames.first(this.#paths.second(path))
  }

  /** Number in `names`; −1 in the marker frame. */
  operation(path: number): number {
    return this.#frames.second(this.#paths.second(path))
  }

  /** The first frame of the path, as a path: the endpoint of the requests that took it. */
  root(path: number): number {
    return this.#root[path]!
  }

  /** Frames above it, the marker frame counted. */
  depth(path: number): number {
    return this.#depth[path]!
  }

  /** Whether the path is the marker frame. */
  isMarker(path: number): boolean {
    return this.service(path) === NOWHERE
  }

  /** Whether the path goes through the marker frame. */
  isDetached(path: number): boolean {
    return this.#isDetached[path] === 1
  }

  /** The path `parent` → (service, operation), numbers in `names`; made if it is new. */
  path(parent: number, service: number, operation: number): number {
    const path = this.#paths.number(parent, this.#frames.number(service, operation))
    if (path === this.#root.length) {
      this.#root = grown(this.#root, path + 1)
      this.#depth = grown(this.#depth, path + 1)
      this.#isDetached = grown(this.#isDetached, path + 1)
    }
    if (path < this.#known) return path
    this.#known = path + 1
    if (parent === NO_PATH) this.#root[path] = path
    else {
      this.#root[path] = this.#root[parent]!
      this.#depth[path] = this.#depth[parent]! + 1
      this.#isDetached[path] = service === NOWHERE ? 1 : this.#isDetached[parent]!
    }
    return path
  }

  /** Own numbers of another table's strings: UNKNOWN where `number()` has not been asked yet. */
  translation(names: Names): Int32Array {
    let own = this.#translations.get(names)
    if (!own || own.length < names.size) {
      const longer = new Int32Array(Math.max(64, 2 * names.size)).fill(UNKNOWN)
      if (own) longer.set(own)
      this.#translations.set(names, longer)
      own = longer
    }
    return own
  }

  /** The own number of `names.text(number)`; `own` is the translation of these names. */
  number(names: Names, own: Int32Array, number: number): number {
    const known = own[number]!
    if (known !== UNKNOWN) return known
    const text = names.text(number)
    const found = this.names.find(text)
    own[number] = found < 0 ? this.names.number(unshared(text)) : found
    return own[number]!
  }

  /** [N] the path of each row, seen from the row `root`; the array is used again by the next call. */
  of(trace: Trace, root: number): Int32Array {
    const { size, parent, names, service, operation } = trace
    if (this.#pathOf.length < size) {
      this.#pathOf = new Int32Array(2 * size)
      this.#stack = new Int32Array(2 * size)
    }
    const pathOf = this.#pathOf.fill(UNKNOWN, 0, size)
    const stack = this.#stack
    const own = this.translation(names)
    const step = (above: number, row: number): number =>
      this.path(above, this.number(names, own, service[row]!), this.number(names, own, operation[row]!))
    pathOf[root] = step(NO_PATH, root)
    for (let row = 0; row < size; row++) {
      let top = 0
      let at = row
      while (at >= 0 && pathOf[at] === UNKNOWN) {
        stack[top++] = at
        at = parent[at]!
      }
      if (top === 0) continue
      let above = at >= 0 ? pathOf[at]! : this.path(pathOf[root]!, NOWHERE, NOWHERE)
      while (top > 0) {
        const below = stack[--top]!
        above = step(above, below)
        pathOf[below] = above
      }
    }
    return pathOf
  }

  /** [other.size] own numbers of the other table's paths, made where new: what merging maps by. */
  adopt(other: CallPaths): Int32Array {
    const own = this.translation(other.names)
    const paths = new Int32Array(other.size)
    for (let path = 0; path < other.size; path++) {
      const above = other.parent(path)
      const service = other.service(path)
      paths[path] = this.path(
        above === NO_PATH ? NO_PATH : paths[above]!,
        service === NOWHERE ? NOWHERE : this.number(other.names, own, service),
        service === NOWHERE ? NOWHERE : this.number(other.names, own, other.operation(path)),
      )
    }
    return paths
  }
}

let lastText = ''
let lastCopy = ''

/** A copy that shares no memory with the text it was cut from, which would otherwise be kept alive as a whole. */
export function unshared(text: string): string {
  if (text !== lastText) {
    lastCopy = JSON.parse(JSON.stringify(text)) as string
    lastText = lastCopy
  }
  return lastCopy
}
