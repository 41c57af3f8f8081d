const EQUALS = 0x3d
const NO_DIGIT = 64

/**
 * Turns the base64 of an id of `size` bytes into the id, as protobuf's own JSON mapping and older exporters write it.
 * An id in hex, as OTLP wants it, has another length, so the two cannot be taken for each other.
 *
 * @param id  [size] gets the bytes
 * @returns false if `bytes[from, to)` is not that; `id` means nothing then
 */
export function decodeBase64Id(bytes: Uint8Array, from: number, to: number, id: Uint8Array): boolean {
  const size = id.length
  const digits = Math.ceil((size * 8) / 6)
  const isPadded = to - from === Math.ceil(size / 3) * 4
  if (!isPadded && to - from !== digits) return false
  for (let i = from + digits; i < to; i++) if (bytes[i] !== EQUALS) return false
  let word = 0
  let bits = 0
  let filled = 0
  for (let i = from; i < from + digits; i++) {
    const digit = base64Digit(bytes[i]!)
    if (digit === NO_DIGIT) return false
    word = ((word << 6) | digit) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    id[filled++] = word >> bits
  }
  return true
}

/** Also of the alphabet for URLs. */
function base64Digit(c: number): number {
  if (c >= 0x41 && c <= 0x5a) return c - 0x41
  if (c >= 0x61 && c <= 0x7a) return c - 0x61 + 26
  if (c >= 0x30 && c <= 0x39) return c - 0x30 + 52
  if (c === 0x2b || c === 0x2d) return 62
  return c === 0x2f || c === 0x5f ? 63 : NO_DIGIT
}

/** Whether there are capital letters in `bytes[from, to)`; ids are compared and shown in small ones. */
export function hasCapitals(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i]! >= 0x41 && bytes[i]! <= 0x5a) return true
  return false
}
