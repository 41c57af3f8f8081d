import type { ByteCursor } from '../byte-cursor.js'
import type { ByteNames } from '../byte-names.js'
import { decodeUtf8 } from '../json/text.js'

/** Wire types: the low three bits of a tag. */
const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
const OPEN_GROUP = 3
const CLOSE_GROUP = 4
const FIXED32 = 5

const LONGEST_VARINT = 10
const LARGEST_TAG = 2 ** 32 - 1 // 29 bits of field number

/** The tag of a field that holds a string, bytes or a message. */
export function lengthTag(field: number): number {
  return field * 8 + LENGTH
}

export function isLengthTag(tag: number): boolean {
  return (tag & 7) === LENGTH
}

/** The tag of a field that holds a number of variable length. */
export function varintTag(field: number): number {
  return field * 8 + VARINT
}

/** The tag of a field that holds eight bytes. */
export function fixed64Tag(field: number): number {
  return field * 8 + FIXED64
}

/** Steps through protobuf's wire format: fields are told by their whole tag, so one of another type is just unknown. */
export class Wire {
  readonly #cursor: ByteCursor
  /** Index behind the message at hand. To read past it is the message's fault, not a lack of bytes. */
  limit: number = Number.POSITIVE_INFINITY

  constructor(cursor: ByteCursor) {
    this.#cursor = cursor
  }

  /** A number of up to 64 bits; beyond 2^53 only its size is right. */
  varint(): number {
    let byte = this.#byte()
    let value = byte & 0x7f
    let scale = 1
    for (let length = 1; byte >= 0x80; length++) {
      if (length === LONGEST_VARINT) this.#cursor.fail('a varint that does not end')
      byte = this.#byte()
      scale *= 0x80
      value += (byte & 0x7f) * scale
    }
    return value
  }

  /** Opens a field: its number and wire type. */
  tag(): number {
    const tag = this.varint()
    if (tag < 8 || tag > LARGEST_TAG) this.#cursor.fail(`no field has the number ${Math.floor(tag / 8)}`)
    return tag
  }

  /** The length that opens a string, bytes or message; what it claims lies within the limit. */
  length(): number {
    const length = this.varint()
    if (length > this.limit - this.#cursor.at) this.#cursor.fail(`a length of ${length} bytes where fewer are left`)
    return length
  }

  /** The number of the name that comes next, length and text. */
  name(names: ByteNames): number {
    const cursor = this.#cursor
    const length = this.length()
    const from = cursor.at
    cursor.at = from + length
    return names.number(cursor.bytes, from, cursor.at, () => {
      try {
        return decodeUtf8(cursor.bytes, from, from + length)
      } catch (cause) {
        return cursor.fail(`a string that cannot be decoded (${(cause as Error).message})`)
      }
    })
  }

  /** Makes sure that `length` bytes are at hand. */
  need(length: number): void {
    if (length > this.limit - this.#cursor.at) this.#cursor.fail(`${length} bytes expected where fewer are left`)
    if (length > this.#cursor.end - this.#cursor.at) this.#cursor.starve()
  }

  /** Steps over the value behind `tag`; groups with all they hold, however deep. */
  skip(tag: number): void {
    let groups = 0
    for (;;) {
      const type = tag & 7
      if (type === OPEN_GROUP) groups++
      else if (type === CLOSE_GROUP) groups--
      else this.#skipValue(type)
      if (groups < 0) this.#cursor.fail('the end of a group that was not opened')
      if (groups === 0) return
      tag = this.tag()
    }
  }

  /** Steps over `length` bytes. */
  pass(length: number): void {
    this.need(length)
    this.#cursor.at += length
  }

  #skipValue(type: number): void {
    if (type === VARINT) this.varint()
    else if (type === FIXED64) this.pass(8)
    else if (type === LENGTH) this.pass(this.varint())
    else if (type === FIXED32) this.pass(4)
    else this.#cursor.fail(`a field of the unknown type ${type}`)
  }

  #byte(): number {
    const cursor = this.#cursor
    if (cursor.at >= this.limit) cursor.fail('a field beyond the end of its message')
    if (cursor.at >= cursor.end) cursor.starve()
    return cursor.bytes[cursor.at++]!
  }
}
