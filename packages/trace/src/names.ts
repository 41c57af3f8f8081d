/** Strings by number: each different string is kept once and columns hold its number. Number 0 is the empty string. */
export class Names {
  readonly #numbers = new Map<string, number>([['', 0]])
  readonly #strings: string[] = ['']

  /** Strings kept, the empty one included: numbers run from 0 to below it. */
  get size(): number {
    return this.#strings.length
  }

  /** The number of `text`, new if it was not seen before. */
  number(text: string): number {
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.#strings.length
      this.#strings.push(text)
      this.#numbers.set(text, number)
    }
    return number
  }

  /** The number of `text`, or −1 if it was never seen. */
  find(text: string): number {
    return this.#numbers.get(text) ?? -1
  }

  /** The string behind `number`; empty for a number nobody handed out. */
  text(number: number): string {
    return this.#strings[number] ?? ''
  }
}
