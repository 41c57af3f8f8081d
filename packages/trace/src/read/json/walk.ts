import type { Repairs } from '../../repairs.js'
import { Unreadable } from '../byte-cursor.js'
import { END, type JsonCursor, OPEN_ARRAY, OPEN_OBJECT } from './cursor.js'
import type { Keys } from './keys.js'

// The parts of a document that are larger than a unit. Each yields whenever the cursor needs more bytes; a value of
// another kind in their place is stepped over.

/** Reads an object field by field; those whose keys are not in `keys` are stepped over. */
export function* readFields<T>(
  cursor: JsonCursor,
  keys: Keys,
  read: (key: number) => Generator<T | undefined, void>,
): Generator<T | undefined, void> {
  if (!(yield* cursor.whole(() => cursor.enter(OPEN_OBJECT)))) return
  for (;;) {
    const key = yield* cursor.whole(() => cursor.key(keys))
    if (key === END) return
    if (key >= 0) yield* read(key)
    else yield* cursor.whole(() => cursor.skip())
  }
}

/** Reads an array of such parts. */
export function* readElements<T>(
  cursor: JsonCursor,
  read: () => Generator<T | undefined, void>,
): Generator<T | undefined, void> {
  if (!(yield* cursor.whole(() => cursor.enter(OPEN_ARRAY)))) return
  while (yield* cursor.whole(() => cursor.element())) yield* read()
}

/**
 * Reads an array of spans, at full speed. One that cannot be read is stepped over, bracket by bracket, and counted.
 *
 * @param read  reads the span the cursor stands on; false if it lacks an id
 */
export function* readSpans(cursor: JsonCursor, repairs: Repairs, read: () => boolean): Generator<undefined, void> {
  if (!(yield* cursor.whole(() => cursor.enter(OPEN_ARRAY)))) return
  yield* cursor.whole(() => {
    while (cursor.element()) {
      readSpan(cursor, repairs, read)
      cursor.commit()
    }
  })
}

/** The same for one span. */
export function readSpan(cursor: JsonCursor, repairs: Repairs, read: () => boolean): void {
  const { at, position } = cursor
  let what = 'a span without an id'
  try {
    if (read()) return
  } catch (reason) {
    if (!(reason instanceof Unreadable)) throw reason
    what = reason.what
    cursor.at = at
    cursor.skipInLines()
  }
  repairs.add('unreadable_span', () => `byte ${position}: ${what}`)
}
