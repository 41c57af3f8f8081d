import type { Bytes } from '@trimtab/core'
import { Children, isAside } from '../children.js'
import type { CriticalPath } from '../path/types.js'
import { CallPaths, NO_PATH } from '../profile/call-paths.js'
import { loadCallPaths, saveCallPaths } from '../profile/call-paths-file.js'
import { readColumnFile, writeColumnFile } from '../profile/column-file.js'
import type { Interval } from '../profile/histogram.js'
import { NameOrder } from '../profile/name-order.js'
import { grown } from '../profile/pair-table.js'
import { framesOf } from '../profile/profile-views.js'
import type { Frame } from '../types.js'
import { SiblingOrders } from './sibling-order.js'
import { type PairKind, SiblingPairs } from './sibling-pairs.js'
import { wilsonInterval } from './wilson.js'

const KIND = 'workflow'
const VERSION = 1

// places in the row of a call path
const CALLS = 0
const PARENTS = 1
const OUTLIVED = 2
const ASIDE = 3
const STRIDE = 4

/** One kind of call: the edge from a call path to the one below it. */
export interface WorkflowEdge {
  /** From the endpoint down to the called frame. */
  readonly frames: readonly Frame[]
  /**
   * `background`: nobody waits for most of its calls. `parallel`: it runs beside one of its siblings. `sequential`: neither.
   * Source: dissertation 3.2.2.
   */
  readonly kind: 'sequential' | 'parallel' | 'background'
  /** Spans. */
  readonly calls: number
  /** Parent spans with at least one. */
  readonly parents: number
  /** Spans that nobody was to wait for, by their kind or reference. */
  readonly asides: number
  /** Spans that ended after their parent all the same, by more than the clocks' tolerance. */
  readonly outlived: number
  /** Part of the calls that came back to a waiting parent. */
  readonly pReturned: number
  /** 95 % interval of the probability behind it. */
  readonly interval: Interval
}

/** Two call paths below the same one; `first` is the one that more often came before the other. */
export interface SiblingPair {
  /** From the endpoint down to the frame that called both. */
  readonly parent: readonly Frame[]
  readonly first: Frame
  /** The same as `first` where one call path is called repeatedly. */
  readonly second: Frame
  /** Parent spans with both. */
  readonly together: number
  /** …where every call of the first was over before one of the second began (3.2.2: i → p ≤ p → j). */
  readonly ordered: number
  /** …where not: counter-examples. `together` = `ordered` + `violated`. */
  readonly violated: number
  /** …where they ran at the same time; the other counter-examples came in another order or in turns. */
  readonly overlapped: number
  /** ordered / together */
  readonly pSequential: number
  /** 95 % interval of the probability behind it. */
  readonly interval: Interval
  readonly kind: PairKind
}

/**
 * The execution history graph of many traces: which calls there are and, of every two siblings, how often one was over before
 * the other began. One trace cannot tell sequential calls from parallel ones that did not meet; many can, and how surely is
 * in the counts. Independent of the order of the traces, and mergeable.
 *
 * Source: dissertation 3.2.2.
 */
export class Workflow {
  readonly #paths = new CallPaths()
  #facts = new Float64Array(16 * STRIDE)
  readonly #pairs = new SiblingPairs()
  readonly #children = new Children()
  readonly #orders = new SiblingOrders()

  /** Takes the calls of one trace and their order. */
  add({ trace, root, background, toleranceNs }: CriticalPath): void {
    const { size, parent, startNs, endNs } = trace
    const pathOf = this.#paths.of(trace, root)
    this.#reserve()
    const facts = this.#facts
    for (let row = 0; row < size; row++) {
      const at = pathOf[row]! * STRIDE
      const above = parent[row]!
      facts[at + CALLS]! += 1
      if (above < 0 || row === root) continue
      if (isAside(trace, background, above, row)) facts[at + ASIDE]! += 1
      else if (endNs[row]! > endNs[above]! + toleranceNs) facts[at + OUTLIVED]! += 1
    }
    this.#children.of(trace)
    const { starts, rows } = this.#children
    for (let row = 0; row < size; row++) {
      const from = starts[row]!
      const to = starts[row + 1]!
      if (to === from) continue
      this.#orders.of(rows.subarray(from, to), pathOf, startNs, endNs, toleranceNs)
      for (let group = 0; group < this.#orders.size; group++) {
        facts[this.#orders.path(group) * STRIDE + PARENTS]! += 1
      }
      this.#orders.each((first, second, order) => this.#pairs.add(first, second, order))
    }
  }

  /** Adds all of `other`. */
  merge(other: Workflow): void {
    const paths = this.#paths.adopt(other.#paths)
    this.#reserve()
    for (let path = 0; path < paths.length; path++) {
      for (let fact = 0; fact < STRIDE; fact++) {
        this.#facts[paths[path]! * STRIDE + fact]! += other.#facts[path * STRIDE + fact]!
      }
    }
    this.#pairs.merge(other.#pairs, paths)
  }

  /** Every kind of call: callers before what they call, then by name. */
  edges(): WorkflowEdge[] {
    const paths = this.#paths
    const order = new NameOrder(paths)
    const isParallel = new Uint8Array(paths.size)
    for (const { first, second, kind } of this.#pairs.list(order.pathRank)) {
      const isAside = first !== second && (this.#isBackground(first) || this.#isBackground(second))
      if (kind === 'parallel' && !isAside) isParallel[first] = isParallel[second] = 1
    }
    const edges: WorkflowEdge[] = []
    for (const path of order.paths) {
      const at = path * STRIDE
      const calls = this.#facts[at + CALLS]!
      const above = paths.parent(path)
      if (calls === 0 || above === NO_PATH || paths.isMarker(above)) continue
      const outlived = this.#facts[at + OUTLIVED]!
      const asides = this.#facts[at + ASIDE]!
      const returned = calls - outlived - asides
      edges.push({
        frames: framesOf(paths, path),
        kind: this.#isBackground(path) ? 'background' : isParallel[path] === 1 ? 'parallel' : 'sequential',
        calls,
        parents: this.#facts[at + PARENTS]!,
        asides,
        outlived,
        pReturned: returned / calls,
        interval: wilsonInterval(returned, calls),
      })
    }
    return edges
  }

  /** Every two siblings that were seen together, by the names of their parents and their own. */
  pairs(): SiblingPair[] {
    const paths = this.#paths
    const frame = (path: number): Frame => ({
      service: paths.names.text(paths.service(path)),
      operation: paths.names.text(paths.operation(path)),
    })
    return this.#pairs
      .list(new NameOrder(paths).pathRank)
      .map(({ first, second, together, ordered, overlapped, kind }) => ({
        parent: framesOf(paths, paths.parent(first)),
        first: frame(first),
        second: frame(second),
        together,
        ordered,
        violated: together - ordered,
        overlapped,
        pSequential: ordered / together,
        interval: wilsonInterval(ordered, together),
        kind,
      }))
  }

  /** [N] the call path of each row, to ask `areParallel` about; valid until the next call or `add`. */
  pathsOf({ trace, root }: CriticalPath): Int32Array {
    const pathOf = this.#paths.of(trace, root)
    this.#reserve()
    return pathOf
  }

  /** Whether calls of two siblings were seen at the same time too often to think that one waits for the other. */
  areParallel(path: number, sibling: number): boolean {
    return this.#pairs.kindOf(path, sibling) === 'parallel'
  }

  /** Everything, in one block: equal workflows are equal bytes, whatever the order in which their traces came. */
  save(): Uint8Array {
    const order = new NameOrder(this.#paths)
    const facts = new Float64Array(order.paths.length * STRIDE)
    for (let place = 0; place < order.paths.length; place++) {
      const at = order.paths[place]! * STRIDE
      facts.set(this.#facts.subarray(at, at + STRIDE), place * STRIDE)
    }
    const { meta, columns } = saveCallPaths(this.#paths, order)
    return writeColumnFile(KIND, VERSION, {
      meta,
      columns: { ...columns, 'paths.facts': facts, ...this.#pairs.save(order.pathRank) },
    })
  }

  /** @throws {FormatError} `file_foreign` (something else), `file_version` (of another version), `file_damaged` */
  static load(bytes: Bytes): Workflow {
    const reader = readColumnFile(KIND, VERSION, bytes)
    const workflow = new Workflow()
    loadCallPaths(workflow.#paths, reader)
    const { size } = workflow.#paths
    workflow.#reserve()
    workflow.#facts.set(reader.counts('paths.facts', size * STRIDE))
    workflow.#pairs.load(size, reader)
    return workflow
  }

  #isBackground(path: number): boolean {
    const at = path * STRIDE
    return 2 * (this.#facts[at + OUTLIVED]! + this.#facts[at + ASIDE]!) > this.#facts[at + CALLS]!
  }

  #reserve(): void {
    this.#facts = grown(this.#facts, this.#paths.size * STRIDE)
  }
}
