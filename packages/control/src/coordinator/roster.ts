import { AgentSums } from '@trimtab/learn'
import type { Summary } from './transport.js'

interface Heard {
  readonly summary: Summary
  readonly atMs: number
}

/**
 * The last summary of every member that was heard of late. Each member keeps one of its own: nobody keeps a list for all.
 *
 * Time is the owner's own and passes by `advance`: clocks of others, and jumps of one's own, make nobody older.
 */
export class Roster {
  readonly #owner: string
  readonly #patienceMs: number
  readonly #trial: AgentSums
  readonly #heard = new Map<string, Heard>()
  #sorted: readonly string[] | undefined
  #timeMs = 0
  #refused = 0

  /**
   * @param owner  the member that keeps it
   * @param size  numbers of an agent
   * @param patienceMs  how long a summary is in force
   */
  constructor(owner: string, size: number, patienceMs: number) {
    this.#owner = owner
    this.#patienceMs = patienceMs
    this.#trial = new AgentSums(size)
  }

  /** Summaries that could not be counted: of another size, or not finite. */
  get refused(): number {
    return this.#refused
  }

  /** Names of the owner and all who were heard of late, sorted: summed in this order, the same numbers give the same bits. */
  get members(): readonly string[] {
    this.#sorted ??= [...new Set([this.#owner, ...this.#heard.keys()])].sort()
    return this.#sorted
  }

  /** The life in which a member was heard last; `undefined`: not of late. */
  incarnationOf(member: string): number | undefined {
    return this.#heard.get(member)?.summary.incarnation
  }

  /** Takes a summary in, unless it is older than the last of its member. */
  receive(summary: Summary): void {
    const last = this.#heard.get(summary.member)?.summary
    if (last !== undefined && !isNewer(summary, last)) return
    if (!this.#isUsable(summary.numbers)) {
      this.#refused++
      return
    }
    if (last === undefined) this.#sorted = undefined
    this.#heard.set(summary.member, { summary, atMs: this.#timeMs })
  }

  /** Time passes; whoever has been silent for too long is forgotten. */
  advance(elapsedMs: number): void {
    this.#timeMs += elapsedMs
    for (const [member, { atMs }] of this.#heard) {
      if (this.#timeMs - atMs <= this.#patienceMs) continue
      this.#heard.delete(member)
      this.#sorted = undefined
    }
  }

  /** Fills `out` with the sums of all agents everywhere: the owner's are `own`, the others' as they were heard. */
  total(own: AgentSums, out: AgentSums): void {
    out.clear()
    for (const member of this.members)
      out.merge(member === this.#owner ? own.numbers : this.#heard.get(member)!.summary.numbers)
  }

  #isUsable(numbers: Float64Array): boolean {
    this.#trial.clear()
    try {
      this.#trial.merge(numbers)
      return true
    } catch {
      return false // a sender of another version or with a fault: the caller counts it, and the team goes on
    }
  }
}

const isNewer = (a: Summary, b: Summary): boolean =>
  a.incarnation > b.incarnation || (a.incarnation === b.incarnation && a.sequence > b.sequence)
