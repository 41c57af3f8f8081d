/**
 * Packets on their way, in the order of their arrival: times and latencies in two rings that grow by doubling.
 *
 * Packets come in the order of their arrival, but for those behind a dropped one, which arrive with it: there rounding
 * decides, and between equal times the smaller latency, as in a heap of (time, latency).
 */
export class PacketRing {
  #times: Float64Array = new Float64Array(256)
  #latencies: Float64Array = new Float64Array(256)
  #first = 0
  #count = 0

  get length(): number {
    return this.#count
  }

  /** When the next one arrives, seconds; Infinity when there is none. */
  get nextTime(): number {
    return this.#count > 0 ? this.#times[this.#first]! : Number.POSITIVE_INFINITY
  }

  /** The latency of the next one, which `shift` then takes off. */
  get nextLatency(): number {
    return this.#latencies[this.#first]!
  }

  push(time: number, latency: number): void {
    if (this.#count === this.#times.length) this.#grow()
    const mask = this.#times.length - 1
    let at = (this.#first + this.#count) & mask
    for (let left = this.#count++; left > 0; left--) {
      const before = (at - 1) & mask
      const isInOrder =
        this.#times[before]! < time ||
        (this.#times[before]! === time && Math.abs(this.#latencies[before]!) <= Math.abs(latency))
      if (isInOrder) break
      this.#times[at] = this.#times[before]!
      this.#latencies[at] = this.#latencies[before]!
      at = before
    }
    this.#times[at] = time
    this.#latencies[at] = latency
  }

  shift(): void {
    this.#first = (this.#first + 1) & (this.#times.length - 1)
    this.#count--
  }

  clear(): void {
    this.#first = 0
    this.#count = 0
  }

  /** Time and latency of each packet, in order: 2 × length numbers. */
  toNumbers(): number[] {
    const numbers: number[] = []
    for (let i = 0; i < this.#count; i++) {
      const at = (this.#first + i) & (this.#times.length - 1)
      numbers.push(this.#times[at]!, this.#latencies[at]!)
    }
    return numbers
  }

  /** What `toNumbers` gave. */
  fromNumbers(numbers: ArrayLike<number>): void {
    this.clear()
    for (let i = 0; i < numbers.length; i += 2) this.push(numbers[i]!, numbers[i + 1]!)
  }

  #grow(): void {
    const numbers = this.toNumbers()
    this.#times = new Float64Array(2 * this.#times.length)
    this.#latencies = new Float64Array(this.#times.length)
    this.fromNumbers(numbers)
  }
}
