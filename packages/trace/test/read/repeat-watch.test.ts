import { expect, it } from 'vitest'
import { Repairs } from '../../src/index.js'
import { RepeatWatch } from '../../src/read/repeat-watch.js'

const KNOWN = 131_072
const hex = (i: number) => i.toString(16)

/** The ids that a watch tells when it meets these. */
function told(ids: Iterable<string>): { count: number; examples: readonly string[] } {
  const repairs = new Repairs()
  const watch = new RepeatWatch(repairs)
  for (const id of ids) watch.take(id)
  return { count: repairs.count('repeated_trace'), examples: repairs.list()[0]?.examples ?? [] }
}

it.each<[string, (i: number) => string]>([
  ['numbered', (i) => `trace ${i}`],
  ['of 128 bits, different in the last', (i) => hex(i).padStart(32, '0')],
  ['of 128 bits, different in the first', (i) => `${hex(i).padStart(5, '0')}${'0'.repeat(27)}`],
  [
    'of one word, four times',
    (i) =>
      hex(Math.imul(i, 0x9e3779b1) >>> 0)
        .padStart(8, '0')
        .repeat(4),
  ],
  ['of any characters', (i) => String.fromCharCode(i & 0xffff, i >> 16)],
])('131,072 traces with ids %s are told apart, and each is known again', (_, idOf) => {
  const ids = Array.from({ length: KNOWN }, (_, i) => idOf(i))
  expect(told(ids)).toEqual({ count: 0, examples: [] })
  expect(told([...ids, ...ids]).count).toBe(KNOWN)
  expect(told([...ids, ids[77]!, 'new', 'new', ids[5]!]).examples).toEqual([ids[77], ids[5]]) // after so many it learns no more
})
