/**
 * Numbers with the time they were noted: recommendations, or changes of size.
 *
 * A new entry takes the place of the last one that has become useless, so the list stays as long as its window is.
 */
export class History {
  readonly #values: number[] = []
  readonly #times: number[] = []

  /** Entries kept, outdated ones included. */
  get length(): number {
    return this.#values.length
  }

  /** The value of an entry; entries are in no order of time. */
  valueAt(index: number): number {
    return this.#values[index]!
  }

  /** Seconds since an entry was noted. */
  ageAt(index: number, nowSeconds: number): number {
    return nowSeconds - this.#times[index]!
  }

  /** Adds an entry without looking for a useless one. */
  append(value: number, atSeconds: number): void {
    this.#values.push(value)
    this.#times.push(atSeconds)
  }

  /** Overwrites the last entry older than `usefulSeconds`, or appends. */
  note(value: number, nowSeconds: number, usefulSeconds: number): void {
    const times = this.#times
    for (let i = times.length - 1; i >= 0; i -= 1) {
      if (nowSeconds - times[i]! > usefulSeconds) {
        this.#values[i] = value
        times[i] = nowSeconds
        return
      }
    }
    this.append(value, nowSeconds)
  }

  /** Sum of the values younger than `periodSeconds`. */
  sumWithin(periodSeconds: number, nowSeconds: number): number {
    let sum = 0
    for (let i = 0; i < this.#values.length; i += 1) {
      if (nowSeconds - this.#times[i]! < periodSeconds) sum += this.#values[i]!
    }
    return sum
  }

  /** All entries, oldest noted or not, with their times. */
  save(): [value: number, atSeconds: number][] {
    return this.#values.map((value, i) => [value, this.#times[i]!])
  }

  /** Forgets all entries. */
  clear(): void {
    this.#values.length = 0
    this.#times.length = 0
  }
}
