import type { Workflow } from '../workflow/workflow.js'

/** Below a parent with more call paths than this, everything that was over before a call began is taken to precede it. */
const MANY = 64
/** Instead of the call path of a child that has it in common with a sibling: which is which, nobody can tell. */
export const NO_TELLING = -1

/** The siblings that were over when a child began, summed up. Times since the parent's start. */
export class EndedSiblings {
  isEmpty = true
  /** By how much the end of one moves, at the least (optimistic) and at the most (pessimistic). */
  leastDelay = 0
  mostDelay = 0
  // of those the child is taken to have waited for
  hasChosen = false
  chosenEnd = 0
  chosenNewEnd = 0
  chosenLatestNewEnd = 0

  // of all
  #lastEnd = 0
  #lastNewEnd = 0
  #lastLatestNewEnd = 0
  // by call path, as long as there are not too many
  #groups = 0
  readonly #paths = new Int32Array(MANY)
  readonly #ends = new Float64Array(MANY)
  readonly #newEnds = new Float64Array(MANY)
  readonly #latestNewEnds = new Float64Array(MANY)

  clear(): void {
    this.isEmpty = true
    this.#lastEnd = 0
    this.#lastNewEnd = 0
    this.#lastLatestNewEnd = 0
    this.leastDelay = Number.POSITIVE_INFINITY
    this.mostDelay = Number.NEGATIVE_INFINITY
    this.#groups = 0
  }

  /** @param earliest, latest  its end in the optimistic and the pessimistic answer */
  add(path: number, end: number, newEnd: number, earliest: number, latest: number): void {
    this.isEmpty = false
    this.#lastEnd = Math.max(this.#lastEnd, end)
    this.#lastNewEnd = Math.max(this.#lastNewEnd, newEnd)
    this.#lastLatestNewEnd = Math.max(this.#lastLatestNewEnd, latest)
    this.leastDelay = Math.min(this.leastDelay, earliest - end)
    this.mostDelay = Math.max(this.mostDelay, latest - end)
    let group = 0
    while (group < this.#groups && group < MANY && this.#paths[group] !== path) group++
    if (group === MANY) {
      this.#groups = MANY + 1
      return
    }
    if (group === this.#groups) {
      this.#groups++
      this.#paths[group] = path
      this.#ends[group] = 0
      this.#newEnds[group] = 0
      this.#latestNewEnds[group] = 0
    }
    this.#ends[group] = Math.max(this.#ends[group]!, end)
    this.#newEnds[group] = Math.max(this.#newEnds[group]!, newEnd)
    this.#latestNewEnds[group] = Math.max(this.#latestNewEnds[group]!, latest)
  }

  /** Chooses those that a child with this call path waited for. */
  choose(workflow: Workflow | undefined, path: number): void {
    if (!workflow || path === NO_TELLING || this.#groups > MANY) {
      this.hasChosen = !this.isEmpty
      this.chosenEnd = this.#lastEnd
      this.chosenNewEnd = this.#lastNewEnd
      this.chosenLatestNewEnd = this.#lastLatestNewEnd
      return
    }
    this.hasChosen = false
    this.chosenEnd = 0
    this.chosenNewEnd = 0
    this.chosenLatestNewEnd = 0
    for (let group = 0; group < this.#groups; group++) {
      if (this.#paths[group] !== path && workflow.areParallel(this.#paths[group]!, path)) continue
      this.hasChosen = true
      this.chosenEnd = Math.max(this.chosenEnd, this.#ends[group]!)
      this.chosenNewEnd = Math.max(this.chosenNewEnd, this.#newEnds[group]!)
      this.chosenLatestNewEnd = Math.max(this.chosenLatestNewEnd, this.#latestNewEnds[group]!)
    }
  }
}
