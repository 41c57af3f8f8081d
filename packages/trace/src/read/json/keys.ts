const SLOTS = 128
const QUOTE = 0x22

/**
 * A fixed set of object keys, found by their bytes without making a string. Objects of one kind have their keys in one
 * order mostly, so the key that came after this one last time is tried before any is looked up.
 */
export class Keys {
  /** Of each key, its length with its quotes. */
  readonly widths: readonly number[]
  readonly #texts: readonly string[]
  readonly #bytes: readonly Uint8Array[]
  readonly #slots = new Int8Array(SLOTS).fill(-1)
  /** What came after each key. */
  readonly #successors: Int8Array
  #last = 0

  /** @param texts  1…100 keys of ASCII, not empty; a key's number is its place */
  constructor(texts: readonly string[]) {
    this.#texts = texts
    this.widths = texts.map((text) => text.length + 2)
    this.#bytes = texts.map((text) => new TextEncoder().encode(text))
    this.#successors = new Int8Array(texts.length)
    this.#bytes.forEach((key, number) => {
      let slot = slotOf(key, 0, key.length)
      while (this.#slots[slot] !== -1) slot = (slot + 1) % SLOTS
      this.#slots[slot] = number
    })
  }

  /** The number of the key that starts with its quote at `bytes[at]`, if it is the one to be expected; or −1. */
  expect(bytes: Uint8Array, at: number, end: number): number {
    const number = this.#successors[this.#last]!
    const key = this.#bytes[number]!
    const from = at + 1
    const to = from + key.length
    if (to >= end || bytes[at] !== QUOTE || bytes[to] !== QUOTE) return -1
    for (let i = 0; i < key.length; i++) if (key[i] !== bytes[from + i]) return -1
    this.#last = number
    return number
  }

  /** The number of the key `bytes[from, to)`, or −1. It is what to expect where the last key was. */
  follow(bytes: Uint8Array, from: number, to: number): number {
    const number = this.find(bytes, from, to)
    if (number < 0) return number
    this.#successors[this.#last] = number
    this.#last = number
    return number
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
