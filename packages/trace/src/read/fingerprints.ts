const FIRST_SLOTS = 512
/** Slots that are tried for a fingerprint: chance needs fewer, and texts chosen to collide cost no more. */
const MOST_TRIES = 64

/**
 * Texts that were met, 64 bits of each in place of the text: 16 to 32 bytes a text, whatever its length. Two texts count as one
 * by a chance of 2^-64.
 */
export class Fingerprints {
  /** [slots, 2] the two words of a fingerprint; the first is 0 where a slot is empty. */
  #words = new Int32Array(2 * FIRST_SLOTS)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Whether the text was added before. */
  has(text: string): boolean {
    const [first, second] = fingerprintOf(text)
    const slot = this.#slot(first, second)
    return slot >= 0 && this.#words[slot] !== 0
  }

  add(text: string): void {
    if (4 * this.#size >= this.#words.length) this.#grow()
    this.#put(...fingerprintOf(text))
  }

  #put(first: number, second: number): void {
    const slot = this.#slot(first, second)
    if (slot < 0 || this.#words[slot] !== 0) return
    this.#words[slot] = first
    this.#words[slot + 1] = second
    this.#size++
  }

  /** Where the fingerprint is, or the empty slot where it belongs; −1 if there is none near. */
  #slot(first: number, second: number): number {
    const words = this.#words
    const mask = words.length - 1
    let slot = (second << 1) & mask
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (words[slot] === 0 || (words[slot] === first && words[slot + 1] === second)) return slot
      slot = (slot + 2) & mask
    }
    return -1
  }

  #grow(): void {
    const words = this.#words
    this.#words = new Int32Array(2 * words.length)
    this.#size = 0
    for (let slot = 0; slot < words.length; slot += 2) if (words[slot] !== 0) this.#put(words[slot]!, words[slot + 1]!)
  }
}

/** Two words, the first of them not 0: cyrb53's two lanes, whole. */
function fingerprintOf(text: string): readonly [number, number] {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 0x9e3779b1)
    b = Math.imul(b ^ code, 0x5f356495)
  }
  const first = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)
  const second = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return [first === 0 ? 1 : first, second]
}
