// The ready queue by its definition: a list that is searched from one end to the other.
import type { ReadyQueueOptions } from '../../src/internal.js'

interface Entry {
  readonly ticket: number
  readonly effective: number
  readonly arrival: number
  readonly push: number
  readonly fifo: number
  readonly tokens: number
  readonly tenant: number
}

export class SlowQueue {
  readonly waiting: Entry[] = []
  readonly outstanding: Map<number, number> = new Map()
  readonly #options: ReadyQueueOptions
  readonly bounds: readonly number[]
  #pushes = 0
  #scale = 1
  #cap = Number.POSITIVE_INFINITY

  constructor(options: ReadyQueueOptions) {
    this.#options = options
    this.bounds = this.#boundsOf()
  }

  /** Enters under the ticket that the queue under test gave. */
  push(ticket: number, tokens: number, arrival: number, tenant: number): void {
    const { order, fairness = 0 } = this.#options
    const before = this.outstanding.get(tenant) ?? 0
    const effective = fairness > 0 ? Math.min(tokens, this.#cap) + fairness * before : tokens
    const fifo = order === 'class' ? this.classOf(effective) : 0
    this.waiting.push({ ticket, effective, arrival, push: this.#pushes++, fifo, tokens, tenant })
    if (fairness > 0) this.outstanding.set(tenant, before + tokens)
  }

  age(scale: number, cap: number): void {
    this.#scale = scale
    this.#cap = cap
  }

  #keyOf({ effective, arrival, fifo }: Entry): number {
    const { order, slope = 0, fairness = 0 } = this.#options
    const counted = order === 'class' ? this.middleOf(fifo) : order === 'exact' ? effective : 0
    return this.#scale * (fairness > 0 ? counted : Math.min(counted, this.#cap)) + slope * arrival
  }

  /** In `class` the heads of the classes compete, in the other orders everything does. */
  peek(): number {
    return this.#first()?.ticket ?? -1
  }

  pop(): number {
    const first = this.#first()
    if (first) this.waiting.splice(this.waiting.indexOf(first), 1)
    return first?.ticket ?? -1
  }

  cancel(ticket: number): boolean {
    const at = this.waiting.findIndex((entry) => entry.ticket === ticket)
    if (at < 0) return false
    const [{ tenant, tokens }] = this.waiting.splice(at, 1) as [Entry]
    this.finish(tenant, tokens)
    return true
  }

  finish(tenant: number, tokens: number): void {
    if (!this.#options.fairness) return
    this.outstanding.set(tenant, Math.max(0, (this.outstanding.get(tenant) ?? 0) - tokens))
  }

  #first(): Entry | undefined {
    const { order } = this.#options
    const heads = order === 'exact' ? this.waiting : this.#heads()
    return [...heads].sort(
      (a, b) => this.#keyOf(a) - this.#keyOf(b) || (order === 'class' ? a.fifo - b.fifo : 0) || a.push - b.push,
    )[0]
  }

  #heads(): Entry[] {
    const heads = new Map<number, Entry>()
    for (const entry of this.waiting) if (!heads.has(entry.fifo)) heads.set(entry.fifo, entry)
    return [...heads.values()]
  }

  /** Where the classes begin: each octave cut in equal parts, from the part of `lowest` to that of `highest`. */
  #boundsOf(): number[] {
    const { classesPerOctave: parts = 4, lowest = 1, highest = 32_768 } = this.#options
    const all: number[] = []
    for (let octave = 2 ** -20; octave < 2 ** 40; octave *= 2) {
      for (let part = 0; part < parts; part++) all.push(octave * (1 + part / parts))
    }
    const first = all.findLastIndex((bound) => bound <= lowest)
    return all.slice(first, all.findLastIndex((bound) => bound <= highest) + 1)
  }

  classOf(tokens: number): number {
    return Math.max(
      0,
      this.bounds.findLastIndex((bound) => bound <= tokens),
    )
  }

  middleOf(fifo: number): number {
    const { bounds } = this
    const from = fifo === 0 ? 0 : bounds[fifo]!
    return fifo === bounds.length - 1 ? from : (from + bounds[fifo + 1]!) / 2
  }
}
