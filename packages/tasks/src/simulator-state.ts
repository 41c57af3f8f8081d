import { type Bytes, FormatError, type Random } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'

const RANDOM_BYTES = 32

/** The state of a simulator that is numbers and random streams: streams first, then numbers. */
export function saveState(streams: readonly Random[], numbers: Float64Array): Uint8Array {
  const head = RANDOM_BYTES * streams.length
  const bytes = new Uint8Array(head + numbers.byteLength)
  for (const [i, stream] of streams.entries()) bytes.set(stream.save(), RANDOM_BYTES * i)
  new Float64Array(bytes.buffer, head).set(numbers)
  return bytes
}

/**
 * Puts the streams of a saved state back and returns its numbers.
 * @param isPossible  whether the simulator can be where the numbers say
 * @throws {FormatError} `simulator_state_invalid`; nothing was changed
 */
export function loadState(
  state: Bytes,
  streams: readonly Random[],
  isPossible: (numbers: Float64Array) => boolean,
): Float64Array {
  const head = RANDOM_BYTES * streams.length
  const bytes = copyBytes(state, 'a simulator state')
  const isWhole = bytes.byteLength >= head && (bytes.byteLength - head) % 8 === 0
  const numbers = isWhole ? new Float64Array(bytes.buffer, head) : undefined
  if (!numbers || !isPossible(numbers)) {
    throw new FormatError('simulator_state_invalid', `${state.byteLength} bytes are no state of this simulator`)
  }
  for (const [i, stream] of streams.entries()) {
    stream.load(bytes.subarray(RANDOM_BYTES * i, RANDOM_BYTES * (i + 1)))
  }
  return numbers
}
