import type { ByteNames } from '../byte-names.js'
import { IDENTITY_KEYS, Identity, type Process } from '../identity.js'
import { END, type JsonCursor, OPEN_ARRAY, OPEN_OBJECT, OTHER, STRING } from '../json/cursor.js'
import { Keys } from '../json/keys.js'
import { Place } from '../json/place.js'

const RESOURCE = new Keys(['attributes'])
const ATTRIBUTES = 0
const ATTRIBUTE = new Keys(['key', 'value'])
const KEY = 0
const VALUE = 1
const VALUES = new Keys(['stringValue', 'string_value', 'intValue', 'int_value'])

/** Reads the resource the cursor stands before: who runs its spans. */
export function readResource(cursor: JsonCursor, names: ByteNames): Process {
  const identity = new Identity()
  if (!cursor.enter(OPEN_OBJECT)) return identity.process
  for (let key = cursor.key(RESOURCE); key !== END; key = cursor.key(RESOURCE)) {
    if (key === ATTRIBUTES) readAttributes(cursor, names, identity)
    else cursor.skip()
  }
  return identity.process
}

function readAttributes(cursor: JsonCursor, names: ByteNames, identity: Identity): void {
  const value = new Place()
  if (!cursor.enter(OPEN_ARRAY)) return
  while (cursor.element()) {
    let attribute = -1
    value.clear()
    if (!cursor.enter(OPEN_OBJECT)) continue
    for (let key = cursor.key(ATTRIBUTE); key !== END; key = cursor.key(ATTRIBUTE)) {
      if (key === KEY) attribute = cursor.scalar() === STRING ? cursor.findIn(IDENTITY_KEYS) : -1
      else if (key === VALUE) readValue(cursor, value)
      else cursor.skip()
    }
    if (attribute < 0 || value.isEmpty) continue
    identity.add(
      attribute,
      names.number(cursor.bytes, value.from, value.to, () => value.text(cursor)),
    )
  }
}

function readValue(cursor: JsonCursor, value: Place): void {
  if (!cursor.enter(OPEN_OBJECT)) return
  for (let key = cursor.key(VALUES); key !== END; key = cursor.key(VALUES)) {
    if (key === OTHER) cursor.skip()
    else value.read(cursor)
  }
}
