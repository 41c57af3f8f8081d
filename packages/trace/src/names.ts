/** Strings by number: each different string is kept once and columns hold its number. Number 0 is the empty string. */
export class Names {
  readonly #numbers = new Map<string, number>([['', 0]])
  readonly #strings: string[] = ['']
  #bytes = 0

  /** Strings kept, the empty one included: numbers run from 0 to below it. */
  get size(): number {
    return this.#strings.length
  }

  /** Memory that the strings take, at most: two bytes a letter, and what keeps each. */
  get bytes(): number {
    return this.#bytes
  }

  /** The number of `text`, new if it was not seen before. */
  number(text: string): number {
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.#strings.length
      this.#strings.push(text)
      this.#numbers.set(text, number)
      this.#bytes += bytesOf(text)
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

const ENTRY_BYTES = 64 // of a string's head, its place in the list and its entry in the map

/** Memory that a string takes among others by number, at most. */
export const bytesOf = (text: string): number => 2 * text.length + ENTRY_BYTES
