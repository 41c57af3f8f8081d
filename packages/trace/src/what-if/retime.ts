import { Children } from '../children.js'
import type { CriticalPath } from '../path/types.js'
import type { Workflow } from '../workflow/workflow.js'
import { type Factors, REMOVED } from './change.js'
import { EndedSiblings, NO_TELLING } from './ended-siblings.js'

/** How long a request would have taken. ns. */
export interface Retimed {
  readonly estimateNs: number
  /** No larger than the estimate. */
  readonly optimisticNs: number
  /** No smaller than the estimate. */
  readonly pessimisticNs: number
}

// the three answers are worked out side by side
const ESTIMATE = 0
const OPTIMISTIC = 1
const PESSIMISTIC = 2
const ANSWERS = 3

/**
 * Replays a request with spans whose own time is different.
 *
 * A span works, calls children, and works on when they are back; the gaps between its children are its own work. A child
 * that began after siblings were over waited for them: in the new time it begins as long after the last of them as it did,
 * the gap scaled with its parent's own time. A span ends as long after its last child as it did. So later siblings move with
 * earlier ones, and parents shrink and grow with the children they waited for, up to the root.
 *
 * Which siblings a child waited for is a guess, hence the bounds:
 * - estimate: for all that were over when it began, but for those that a `workflow` knows to run beside it (by their call
 *   paths, where only one sibling has it: of repeated calls nobody can tell which is which);
 * - pessimistic: where any sibling was still running when it began, it may have begun by its own clock: it moves forward
 *   with nothing and is delayed by everything that was over;
 * - optimistic: it waited just for that sibling, of those that were over, that is best for it to have waited for.
 * What own time is multiplied by has its bounds too: calls to a service that gets faster may get faster with it.
 *
 * Each answer is monotone in the times that go into it, so latencies come in the order optimistic ≤ estimate ≤ pessimistic,
 * and faster spans never make a request slower. O(N log N), nothing is recursive.
 */
export class Retimer {
  readonly #workflow: Workflow | undefined
  readonly #children = new Children()
  // [N]
  #order = new Int32Array(64) // parents before children
  #durations = new Float64Array(64 * ANSWERS)
  // [children of one span], times since the span's start
  #rows = new Int32Array(64)
  #paths = new Int32Array(64)
  #starts = new Float64Array(64)
  #ends = new Float64Array(64) // when the next could begin
  #fullEnds = new Float64Array(64)
  #newEnds = new Float64Array(64 * ANSWERS)
  #byEnd = new Int32Array(64)
  readonly #ended = new EndedSiblings()
  readonly #factors = new Float64Array(ANSWERS)
  readonly #onlyChild = new Map<number, number>()

  constructor(workflow?: Workflow) {
    this.#workflow = workflow
  }

  retime(path: CriticalPath, factors: Factors): Retimed {
    const { trace, root } = path
    this.#reserve(trace.size)
    this.#children.of(trace)
    const pathOf = this.#workflow?.pathsOf(path)
    const spans = this.#spansInOrder(path)
    for (let i = spans - 1; i >= 0; i--) this.#retimeSpan(path, this.#order[i]!, factors, pathOf)
    const at = root * ANSWERS
    return {
      estimateNs: this.#durations[at + ESTIMATE]!,
      optimisticNs: this.#durations[at + OPTIMISTIC]!,
      pessimisticNs: this.#durations[at + PESSIMISTIC]!,
    }
  }

  /** Fills `#order` with the root and all below it that is waited for. @returns how many */
  #spansInOrder({ root, windowStartNs, windowEndNs }: CriticalPath): number {
    const { starts, rows } = this.#children
    const order = this.#order
    order[0] = root
    let size = 1
    for (let i = 0; i < size; i++) {
      const row = order[i]!
      for (let k = starts[row]!; k < starts[row + 1]!; k++) {
        const child = rows[k]!
        if (windowStartNs[child]! <= windowEndNs[child]!) order[size++] = child
      }
    }
    return size
  }

  #retimeSpan(path: CriticalPath, row: number, factors: Factors, pathOf: Int32Array | undefined): void {
    const durations = this.#durations
    const at = row * ANSWERS
    const own = this.#factors // of the span
    own[ESTIMATE] = factors.estimate[row]!
    own[OPTIMISTIC] = factors.optimistic[row]!
    own[PESSIMISTIC] = factors.pessimistic[row]!
    if (own[ESTIMATE] === REMOVED) {
      durations.fill(0, at, at + ANSWERS)
      return
    }
    const children = this.#gatherChildren(path, row, pathOf)
    this.#placeChildren(children)
    let lastEnd = 0
    for (let i = 0; i < children; i++) lastEnd = Math.max(lastEnd, this.#ends[i]!)
    const tail = path.windowEndNs[row]! - path.windowStartNs[row]! - lastEnd
    for (let answer = 0; answer < ANSWERS; answer++) {
      let newEnd = 0
      for (let i = 0; i < children; i++) newEnd = Math.max(newEnd, this.#newEnds[i * ANSWERS + answer]!)
      durations[at + answer] = newEnd + tail * own[answer]!
    }
  }

  /** Fills the columns of the span's waited-for children, by start. @returns how many */
  #gatherChildren(
    { windowStartNs, windowEndNs, toleranceNs }: CriticalPath,
    row: number,
    pathOf: Int32Array | undefined,
  ): number {
    const { starts, rows } = this.#children
    const origin = windowStartNs[row]!
    let size = 0
    for (let k = starts[row]!; k < starts[row + 1]!; k++) {
      const child = rows[k]!
      if (!(windowStartNs[child]! <= windowEndNs[child]!)) continue
      this.#rows[size] = child
      this.#starts[size] = windowStartNs[child]! - origin
      this.#ends[size] = windowEndNs[child]! - origin
      this.#fullEnds[size] = this.#ends[size]!
      size++
    }
    if (pathOf) this.#tellPaths(size, pathOf)
    else this.#paths.fill(NO_TELLING, 0, size)
    if (toleranceNs > 0) this.#trimOverlaps(size, toleranceNs)
    const byEnd = this.#byEnd.subarray(0, size)
    for (let i = 0; i < size; i++) byEnd[i] = i
    if (size > 1) byEnd.sort((a, b) => this.#ends[a]! - this.#ends[b]! || a - b)
    return size
  }

  /** What the workflow knows children by: their call paths, where only one of them has it. */
  #tellPaths(size: number, pathOf: Int32Array): void {
    const only = this.#onlyChild
    only.clear()
    for (let i = 0; i < size; i++) {
      const path = pathOf[this.#rows[i]!]!
      const first = only.get(path)
      this.#paths[i] = first === undefined ? path : NO_TELLING
      if (first === undefined) only.set(path, i)
      else this.#paths[first] = NO_TELLING
    }
  }

  /** A child that overlaps the sibling after it by no more than the tolerance was over when that began. */
  #trimOverlaps(size: number, toleranceNs: number): void {
    for (let i = 0; i < size; i++) {
      const end = this.#ends[i]!
      for (let k = this.#firstFrom(end - toleranceNs, i + 1, size); k < size && this.#starts[k]! < end; k++) {
        if (this.#starts[k]! === this.#starts[i]! || this.#ends[k]! < end) continue
        this.#ends[i] = this.#starts[k]!
        break
      }
    }
  }

  /** The first child from `low` on that starts at `time` or later. */
  #firstFrom(time: number, low: number, size: number): number {
    let high = size
    let at = low
    while (at < high) {
      const middle = (at + high) >>> 1
      if (this.#starts[middle]! < time) at = middle + 1
      else high = middle
    }
    return at
  }

  /** Writes where each child ends in the new time to `#newEnds`. */
  #placeChildren(size: number): void {
    const ended = this.#ended
    const factors = this.#factors
    ended.clear()
    let next = 0 // in order of ends
    let latestEnd = 0 // of children that began before
    for (let i = 0; i < size; i++) {
      const start = this.#starts[i]!
      for (; next < size; next++) {
        const sibling = this.#byEnd[next]!
        if (sibling >= i || this.#ends[sibling]! > start) break
        const at = sibling * ANSWERS
        ended.add(
          this.#paths[sibling]!,
          this.#ends[sibling]!,
          this.#newEnds[at + ESTIMATE]!,
          this.#newEnds[at + OPTIMISTIC]!,
          this.#newEnds[at + PESSIMISTIC]!,
        )
      }
      ended.choose(this.#workflow, this.#paths[i]!)
      const gap = start - ended.chosenEnd // the parent's own work
      const estimate = ended.chosenNewEnd + gap * factors[ESTIMATE]!
      const least = gap * (factors[OPTIMISTIC]! - 1)
      const most = gap * (factors[PESSIMISTIC]! - 1)
      let optimistic = start + Math.min(0, ended.leastDelay) + Math.min(0, least)
      let pessimistic = start + Math.max(0, ended.mostDelay) + Math.max(0, most)
      const isAlone = latestEnd <= start && (ended.hasChosen || ended.isEmpty)
      if (isAlone) {
        optimistic = start + (ended.isEmpty ? 0 : ended.leastDelay) + least
        pessimistic = ended.chosenLatestNewEnd + gap + most
      }
      this.#endChild(i, ESTIMATE, estimate)
      this.#endChild(i, OPTIMISTIC, Math.max(0, Math.min(optimistic, estimate)))
      this.#endChild(i, PESSIMISTIC, Math.max(pessimistic, estimate))
      latestEnd = Math.max(latestEnd, this.#ends[i]!)
    }
  }

  /** What overlapped the next sibling before goes on to, and counts for nothing: only what shrinks beyond it is gained. */
  #endChild(i: number, answer: number, newStart: number): void {
    const duration = this.#fullEnds[i]! - this.#starts[i]!
    const trimmed = this.#ends[i]! - this.#starts[i]!
    const newDuration = this.#durations[this.#rows[i]! * ANSWERS + answer]!
    const newTrimmed = newDuration >= duration ? newDuration - (duration - trimmed) : Math.min(newDuration, trimmed)
    this.#newEnds[i * ANSWERS + answer] = newStart + newTrimmed
  }

  #reserve(size: number): void {
    if (size <= this.#order.length) return
    this.#order = new Int32Array(2 * size)
    this.#durations = new Float64Array(2 * size * ANSWERS)
    this.#rows = new Int32Array(2 * size)
    this.#paths = new Int32Array(2 * size)
    this.#starts = new Float64Array(2 * size)
    this.#ends = new Float64Array(2 * size)
    this.#fullEnds = new Float64Array(2 * size)
    this.#newEnds = new Float64Array(2 * size * ANSWERS)
    this.#byEnd = new Int32Array(2 * size)
  }
}
