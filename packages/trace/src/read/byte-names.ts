import type { Names } from '../names.js'

const PROBES = 8
const LARGEST = 1 << 16 // entries
const LONGEST = 256 // bytes; longer names are rare, and go to the names without a stop here

/**
 * A cache in front of `Names` for strings that still are bytes of the input: one seen before costs no string at all.
 *
 * It only ever forgets or misses, never errs: a miss asks the names. So neither many names nor chosen collisions hurt.
 */
export class ByteNames {
  readonly names: Names
  #slots = new Int32Array(1 << 8) // 1 + entry; 0 is free
  readonly #hash: number[] = []
  readonly #bytes: Uint8Array[] = []
  readonly #number: number[] = []

  constructor(names: Names) {
    this.names = names
  }

  /** The number of the name whose bytes are `bytes[from, to)`; `read` makes the string when they are new. */
  number(bytes: Uint8Array, from: number, to: number, read: () => string): number {
    if (to - from > LONGEST) return this.names.number(read())
    let hash = 0x811c9dc5 // FNV-1a
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
    hash = (hash ^ (hash >>> 15)) | 0
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let probe = 0; probe < PROBES; probe++, slot = (slot + 1) & mask) {
      const entry = this.#slots[slot]! - 1
      if (entry < 0) break
      if (this.#hash[entry] === hash && isSame(this.#bytes[entry]!, bytes, from, to)) return this.#number[entry]!
    }
    const number = this.names.number(read())
    if (this.#hash.length < LARGEST) this.#keep(bytes.slice(from, to), hash, number)
    return number
  }

  #keep(bytes: Uint8Array, hash: number, number: number): void {
    const entry = this.#hash.length
    this.#hash.push(hash)
    this.#bytes.push(bytes)
    this.#number.push(number)
    if (2 * entry > this.#slots.length) {
      this.#slots = new Int32Array(this.#slots.length * 4)
      for (let old = 0; old < entry; old++) this.#place(old)
    }
    this.#place(entry)
  }

  #place(entry: number): void {
    const mask = this.#slots.length - 1
    let slot = this.#hash[entry]! & mask
    for (let probe = 0; probe < PROBES; probe++, slot = (slot + 1) & mask) {
      if (this.#slots[slot] === 0) {
        this.#slots[slot] = entry + 1
        return
      }
    }
  }
}

function isSame(known: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (known.length !== to - from) return false
  for (let i = 0; i < known.length; i++) if (known[i] !== bytes[from + i]) return false
  return true
}
