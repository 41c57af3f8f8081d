import { END, type JsonCursor, OPEN_ARRAY, OPEN_OBJECT, STRING } from '../json/cursor.js'
import { Keys } from '../json/keys.js'

const TAG = new Keys(['key', 'value'])
const KEY = 0
const VALUE = 1

/**
 * Walks Jaeger's tags, `[{ key, type, value }]`. For those in `keys` it calls `take` with the place in `keys` and the
 * kind of value; the value is the cursor's last.
 */
export function readTags(cursor: JsonCursor, keys: Keys, take: (key: number, kind: number) => void): void {
  if (!cursor.enter(OPEN_ARRAY)) return
  while (cursor.element()) {
    if (cursor.peek() === OPEN_OBJECT) readTag(cursor, keys, take)
    else cursor.skip()
  }
}

function readTag(cursor: JsonCursor, keys: Keys, take: (key: number, kind: number) => void): void {
  let key = -1
  let kind = 0
  let from = 0
  let to = 0
  let isEscaped = false
  cursor.at++
  for (let field = cursor.key(TAG); field !== END; field = cursor.key(TAG)) {
    if (field === KEY) key = cursor.scalar() === STRING ? cursor.findIn(keys) : -1
    else if (field === VALUE) {
      kind = cursor.scalar()
      from = cursor.from
      to = cursor.to
      isEscaped = cursor.isEscaped
    } else cursor.skip()
  }
  if (key < 0 || kind === 0) return
  cursor.from = from
  cursor.to = to
  cursor.isEscaped = isEscaped
  take(key, kind)
}
