/** Largest of the last n values ≥ 0, in a ring over `memory`; `memory[0]` counts the pushes. */
export class WindowMax {
  readonly #memory: Float64Array

  /** @param memory  n + 1 numbers, zeros at first */
  constructor(memory: Float64Array) {
    this.#memory = memory
  }

  /** Takes a value in, and the oldest out. */
  push(value: number): void {
    const count = this.#memory[0]!++
    this.#memory[1 + (count % (this.#memory.length - 1))] = value
  }

  /** The largest; 0 before the first. */
  max(): number {
    let max = 0
    for (let i = 1; i < this.#memory.length; i++) if (this.#memory[i]! > max) max = this.#memory[i]!
    return max
  }

  /** Its numbers: how many are said by the window's length. */
  save(): Float64Array {
    return this.#memory.slice()
  }

  /** Goes on from the numbers that `save` gave. */
  load(numbers: Float64Array): void {
    this.#memory.set(numbers)
  }

  /** Forgets them all. */
  clear(): void {
    this.#memory.fill(0)
  }
}
