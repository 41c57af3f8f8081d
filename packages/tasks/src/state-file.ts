import { type Bytes, FormatError } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'

const MAGIC = 0x54544d53 // "TTMS"
const VERSION = 1
const HEAD = 4

/** Lists of numbers as bytes: a head of magic, version, `fingerprint` and how many there are, then each after its length. */
export function packNumbers(fingerprint: number, lists: readonly ArrayLike<number>[]): Uint8Array {
  const length = lists.reduce((sum, list) => sum + 1 + list.length, HEAD)
  const numbers = new Float64Array(length)
  numbers.set([MAGIC, VERSION, fingerprint, lists.length])
  let at = HEAD
  for (const list of lists) {
    numbers[at++] = list.length
    numbers.set(list, at)
    at += list.length
  }
  return new Uint8Array(numbers.buffer)
}

/** @throws {FormatError} `simulator_state_invalid` */
export function unpackNumbers(fingerprint: number, state: Bytes): Float64Array[] {
  const refuse = (why: string): never => {
    throw new FormatError('simulator_state_invalid', `not a state of this simulator: ${why}`)
  }
  const bytes = copyBytes(state, 'a simulator state')
  if (bytes.byteLength % 8 !== 0 || bytes.byteLength < 8 * HEAD) refuse(`${bytes.byteLength} bytes`)
  const numbers = new Float64Array(bytes.buffer)
  if (numbers[0] !== MAGIC) refuse('it does not start with its mark')
  if (numbers[1] !== VERSION) refuse(`format version ${numbers[1]}, this package reads ${VERSION}`)
  if (numbers[2] !== fingerprint) refuse('it was saved with another spec')
  const lists: Float64Array[] = []
  for (let at = HEAD; at < numbers.length; ) {
    const length = numbers[at]!
    if (!(Number.isInteger(length) && length >= 0 && at + 1 + length <= numbers.length)) refuse('it is cut off')
    lists.push(numbers.subarray(at + 1, at + 1 + length))
    at += 1 + length
  }
  if (lists.length !== numbers[3]) refuse('it is cut off')
  return lists
}

/** A number for a text that others are unlikely to have (FNV-1a). */
export function fingerprintOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
