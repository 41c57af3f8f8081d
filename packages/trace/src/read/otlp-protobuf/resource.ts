import type { ByteCursor } from '../byte-cursor.js'
import type { ByteNames } from '../byte-names.js'
import { IDENTITY_KEYS, type Identity } from '../identity.js'
import { lengthTag, varintTag, type Wire } from './wire.js'

const ATTRIBUTE = lengthTag(1) // of Resource
const KEY = lengthTag(1) // of KeyValue
const VALUE = lengthTag(2)
const STRING_VALUE = lengthTag(1) // of AnyValue
const INT_VALUE = varintTag(3)

/** Reads a Resource, which ends at the limit: the attributes that say who runs its spans. */
export function readResource(cursor: ByteCursor, wire: Wire, names: ByteNames, identity: Identity): void {
  const end = wire.limit
  while (cursor.at < end) {
    const tag = wire.tag()
    if (tag !== ATTRIBUTE) {
      wire.skip(tag)
      continue
    }
    wire.limit = wire.length() + cursor.at
    readAttribute(cursor, wire, names, identity)
    wire.limit = end
  }
}

/** Reads a KeyValue. Protobuf lets its value stand before its key. */
function readAttribute(cursor: ByteCursor, wire: Wire, names: ByteNames, identity: Identity): void {
  const end = wire.limit
  let attribute = -1
  let valueAt = end
  let valueEnd = end
  while (cursor.at < end) {
    const tag = wire.tag()
    if (tag !== KEY && tag !== VALUE) {
      wire.skip(tag)
      continue
    }
    const next = wire.length() + cursor.at
    if (tag === KEY) attribute = IDENTITY_KEYS.find(cursor.bytes, cursor.at, next)
    else {
      valueAt = cursor.at
      valueEnd = next
    }
    cursor.at = next
  }
  if (attribute < 0) return
  cursor.at = valueAt
  wire.limit = valueEnd
  identity.add(attribute, readValue(cursor, wire, names))
  cursor.at = end
}

/** The number of the name an AnyValue says, 0 if it says none. */
function readValue(cursor: ByteCursor, wire: Wire, names: ByteNames): number {
  let value = 0
  while (cursor.at < wire.limit) {
    const tag = wire.tag()
    if (tag === STRING_VALUE) value = wire.name(names)
    else if (tag === INT_VALUE) value = names.names.number(String(wire.varint()))
    else wire.skip(tag)
  }
  return value
}
