// Real work of a known amount: how long it takes is what the machine, and whoever disturbs it, makes of it.
import { open } from 'node:fs/promises'

const LINE = 64 / 4 // words of a cache line
const TABLE_WORDS = 2 ** 22 // 16 MiB
const MOST_LOG_BYTES = 16 * 2 ** 20

/** Integer arithmetic that no engine leaves out. */
export function compute(rounds) {
  let x = 1
  for (let i = 0; i < rounds; i++) {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
  }
  return x
}

let table

/** Reads so many KiB, a cache line here and one there. */
export function walk(kib) {
  table ??= new Uint32Array(TABLE_WORDS).fill(1)
  let at = 0
  let sum = 0
  for (let lines = (kib * 1024) / 64; lines > 0; lines--) {
    at = (Math.imul(at, 1664525) + 1013904223) >>> 0
    const line = (at >>> 8) % (TABLE_WORDS / LINE)
    for (let word = 0; word < LINE; word++) sum += table[line * LINE + word]
  }
  return sum
}

/** A log that is on the disk before it says so; it begins anew when it is full. */
export class Log {
  #file
  #path
  #size = 0

  constructor(path) {
    this.#path = path
  }

  async append(kib) {
    this.#file ??= await open(this.#path, 'w')
    const block = Buffer.alloc(kib * 1024, 'order ')
    await this.#file.write(block, 0, block.length, this.#size % MOST_LOG_BYTES)
    this.#size += block.length
    await this.#file.datasync()
  }
}
