// DER, as far as X.509 certificates need it (ITU-T X.690).

/** One value: tag, length, content. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])
}

function lengthOf(bytes: number): number[] {
  if (bytes < 0x80) return [bytes]
  const digits = []
  for (let rest = bytes; rest > 0; rest >>>= 8) digits.unshift(rest & 0xff)
  return [0x80 | digits.length, ...digits]
}

export const sequence = (...items: readonly Uint8Array[]): Uint8Array => der(0x30, ...items)
export const setOf = (...items: readonly Uint8Array[]): Uint8Array => der(0x31, ...items)
export const boolean = (value: boolean): Uint8Array => der(0x01, Buffer.from([value ? 0xff : 0]))
export const octets = (content: Uint8Array): Uint8Array => der(0x04, content)
export const utf8 = (text: string): Uint8Array => der(0x0c, Buffer.from(text))

/** @param unusedBits  at the end of the last byte */
export const bits = (content: Uint8Array, unusedBits = 0): Uint8Array => der(0x03, Buffer.from([unusedBits]), content)

/** A whole number above 0, most significant byte first. */
export function integer(bytes: Uint8Array): Uint8Array {
  return der(0x02, bytes[0]! >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bytes)
}

/** `1.2.840.10045.4.3.2`. */
export function objectId(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const arc of rest) {
    const digits = [arc & 0x7f]
    for (let more = Math.floor(arc / 128); more > 0; more = Math.floor(more / 128)) digits.unshift((more & 0x7f) | 0x80)
    bytes.push(...digits)
  }
  return der(0x06, Buffer.from(bytes))
}

/** UTCTime up to 2049, GeneralizedTime from then on, as RFC 5280 wants it. */
export function time(date: Date): Uint8Array {
  const digits = date.toISOString().replace(/\D/g, '').slice(0, 14)
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : der(0x18, Buffer.from(`${digits}Z`))
}
