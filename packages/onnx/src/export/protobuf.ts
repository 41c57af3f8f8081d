// Writes protocol buffers: what an ONNX file needs of them, which is two wire types.

const VARINT = 0
const LENGTH_DELIMITED = 2

/** A field of an integer or an enum. */
export const numberField = (field: number, value: number): Uint8Array =>
  Uint8Array.from([...varint(field * 8 + VARINT), ...varint(value)])

/** A field of a text, of bytes or of another message. */
export function bytesField(field: number, content: string | Uint8Array): Uint8Array {
  const body = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return joinBytes([Uint8Array.from([...varint(field * 8 + LENGTH_DELIMITED), ...varint(body.length)]), body])
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Seven bits a byte, the lowest first; all but the last carry the high bit. Negative numbers are 64-bit two's complements. */
function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) + 128)
  return [...bytes, Number(rest)]
}
