/** What happens next: a binary heap of events by time, those of one time in the order they were put in. */
export class EventHeap {
  size = 0
  /** Of the event taken last. */
  time = 0
  kind = 0
  subject = 0
  #times = new Float64Array(256)
  #orders = new Float64Array(256)
  #kinds = new Int32Array(256)
  #subjects = new Int32Array(256)
  #next = 0

  get earliest(): number {
    return this.size > 0 ? this.#times[0]! : Number.POSITIVE_INFINITY
  }

  push(time: number, kind: number, subject: number): void {
    if (this.size === this.#times.length) this.#grow()
    const order = this.#next++
    let at = this.size++
    while (at > 0) {
      const above = (at - 1) >> 1
      if (this.#times[above]! <= time) break // its order is lower in any case
      this.#move(above, at)
      at = above
    }
    this.#put(at, time, order, kind, subject)
  }

  /** Takes the earliest event: `time`, `kind` and `subject` say which. False when there is none. */
  pop(): boolean {
    if (this.size === 0) return false
    this.time = this.#times[0]!
    this.kind = this.#kinds[0]!
    this.subject = this.#subjects[0]!
    const last = --this.size
    const time = this.#times[last]!
    const order = this.#orders[last]!
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= last) break
      if (below + 1 < last && this.#isBefore(below + 1, this.#times[below]!, this.#orders[below]!)) below++
      if (!this.#isBefore(below, time, order)) break
      this.#move(below, at)
      at = below
    }
    this.#put(at, time, order, this.#kinds[last]!, this.#subjects[last]!)
    return true
  }

  clear(): void {
    this.size = 0
    this.#next = 0
  }

  /** All that is to come, as four numbers an event. */
  save(): Float64Array {
    const numbers = new Float64Array(1 + 4 * this.size)
    numbers[0] = this.#next
    for (let i = 0; i < this.size; i++)
      numbers.set([this.#times[i]!, this.#orders[i]!, this.#kinds[i]!, this.#subjects[i]!], 1 + 4 * i)
    return numbers
  }

  load(numbers: Float64Array): void {
    const size = (numbers.length - 1) / 4
    while (this.#times.length < size) this.#grow()
    this.size = size
    this.#next = numbers[0]!
    for (let i = 0; i < size; i++) {
      const at = 1 + 4 * i
      this.#put(i, numbers[at]!, numbers[at + 1]!, numbers[at + 2]!, numbers[at + 3]!)
    }
  }

  #isBefore(at: number, time: number, order: number): boolean {
    const own = this.#times[at]!
    return own < time || (own === time && this.#orders[at]! < order)
  }

  #move(from: number, to: number): void {
    this.#times[to] = this.#times[from]!
    this.#orders[to] = this.#orders[from]!
    this.#kinds[to] = this.#kinds[from]!
    this.#subjects[to] = this.#subjects[from]!
  }

  #put(at: number, time: number, order: number, kind: number, subject: number): void {
    this.#times[at] = time
    this.#orders[at] = order
    this.#kinds[at] = kind
    this.#subjects[at] = subject
  }

  #grow(): void {
    const grow = <T extends Float64Array | Int32Array>(from: T, to: T): T => {
      to.set(from)
      return to
    }
    const capacity = 2 * this.#times.length
    this.#times = grow(this.#times, new Float64Array(capacity))
    this.#orders = grow(this.#orders, new Float64Array(capacity))
    this.#kinds = grow(this.#kinds, new Int32Array(capacity))
    this.#subjects = grow(this.#subjects, new Int32Array(capacity))
  }
}
