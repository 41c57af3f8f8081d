import type { Repairs } from '../../repairs.js'
import { Truncated, Unreadable } from '../byte-cursor.js'
import { type JsonCursor, OPEN_ARRAY, OPEN_OBJECT } from './cursor.js'

/**
 * Reads JSON documents one after the other: a single one, or NDJSON.
 *
 * A document that breaks off or cannot be read costs itself alone: reading goes on at the next line that opens one.
 *
 * @param document  reads one value; yields what is finished, and nothing when it needs more bytes
 * @param salvage   gives what can be used of a document that could not be read to its end
 */
export function* readDocuments<T>(
  cursor: JsonCursor,
  repairs: Repairs,
  document: () => Generator<T | undefined, void>,
  salvage: () => Iterable<T>,
): Generator<T | undefined, void> {
  yield* cursor.whole(() => cursor.skipByteOrderMark())
  if (yield* cursor.whole(() => isCutAtFront(cursor))) {
    repairs.add('truncated_input', () => `byte ${cursor.position}: the first line is cut at its front`)
    if (!(yield* findLine(cursor))) return
  }
  for (;;) {
    try {
      if (yield* cursor.whole(() => cursor.isAtEnd())) return
      yield* document()
    } catch (reason) {
      if (reason instanceof Unreadable) {
        repairs.add('unreadable_input', () => `byte ${reason.position}: ${reason.what}`)
        yield* salvage()
        if (yield* findLine(cursor)) continue
      } else if (reason instanceof Truncated) {
        repairs.add('truncated_input', () => `byte ${cursor.position}`)
        yield* salvage()
      } else throw reason
      return
    }
  }
}

/** A rotated file may begin in the middle of a line. What begins with a bracket may be such a line too; that shows when it is read. */
function isCutAtFront(cursor: JsonCursor): boolean {
  if (cursor.isAtEnd()) return false
  const first = cursor.peek()
  return first !== OPEN_OBJECT && first !== OPEN_ARRAY
}

/** Goes to the next line that starts with a bracket. @returns false if there is none */
function* findLine(cursor: JsonCursor): Generator<undefined, boolean> {
  do {
    if (yield* cursor.whole(() => cursor.isAtOpeningLine())) return true
  } while (yield* cursor.whole(() => cursor.skipLine()))
  return false
}
