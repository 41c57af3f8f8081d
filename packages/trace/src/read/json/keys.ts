const SLOTS = 128

/** A fixed set of object keys, found by their bytes without making a string. */
export class Keys {
  readonly #texts: readonly string[]
  readonly #bytes: readonly Uint8Array[]
  readonly #slots = new Int8Array(SLOTS).fill(-1)

  /** @param texts  at most 100, not empty, ASCII; a key's number is its place */
  constructor(texts: readonly string[]) {
    this.#texts = texts
    this.#bytes = texts.map((text) => new TextEncoder().encode(text))
    this.#bytes.forEach((key, number) => {
      let slot = slotOf(key, 0, key.length)
      while (this.#slots[slot] !== -1) slot = (slot + 1) % SLOTS
      this.#slots[slot] = number
    })
  }

  /** The number of the key `bytes[from, to)`, or −1. */
  find(bytes: Uint8Array, from: number, to: number): number {
    const length = to - from
    if (length === 0) return -1
    for (let slot = slotOf(bytes, from, to); ; slot = (slot + 1) % SLOTS) {
      const number = this.#slots[slot]!
      if (number === -1) return -1
      const key = this.#bytes[number]!
      if (key.length !== length) continue
      let i = 0
      while (i < length && key[i] === bytes[from + i]) i++
      if (i === length) return number
    }
  }

  findText(text: string): number {
    return this.#texts.indexOf(text)
  }
}

/** Length, first, middle and last byte tell most keys apart. */
function slotOf(bytes: Uint8Array, from: number, to: number): number {
  const length = to - from
  return (length * 11 + bytes[from]! * 3 + bytes[from + (length >> 1)]! * 5 + bytes[to - 1]! * 7) % SLOTS
}
