import { FormatError, type Random } from '@trimtab/core'

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
 * Puts a saved state back into streams and numbers of the same count.
 * @param isPossible  whether the simulator could have been there
 * @throws {FormatError} `simulator_state_invalid`; nothing was changed
 */
export function loadState(
  state: Uint8Array,
  streams: readonly Random[],
  numbers: Float64Array,
  isPossible: (numbers: Float64Array) => boolean,
): void {
  const head = RANDOM_BYTES * streams.length
  const bytes = Uint8Array.from(state) // a Node Buffer may lie anywhere in its memory
  const hasLength = bytes.byteLength === head + numbers.byteLength
  if (!hasLength || !isPossible(new Float64Array(bytes.buffer, head))) {
    throw new FormatError('simulator_state_invalid', `${state.byteLength} bytes are no state of this simulator`)
  }
  for (const [i, stream] of streams.entries()) {
    stream.load(bytes.subarray(RANDOM_BYTES * i, RANDOM_BYTES * (i + 1)))
  }
  numbers.set(new Float64Array(bytes.buffer, head))
}
