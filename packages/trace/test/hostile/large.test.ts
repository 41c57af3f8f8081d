// A million spans, and a million in one another, from bytes to profile: no stack overflows, nothing is quadratic.
import { describe, expect, it } from 'vitest'
import { wholeWay } from './whole-way.js'

const TIMEOUT_MS = 600_000

interface Shape {
  readonly spans: number
  /** Of span i; −1 for a root. */
  readonly parentOf: (i: number) => number
  /** Start and duration, µs. */
  readonly timesOf: (i: number) => [number, number]
  readonly idOf?: (i: number) => number
}

/** Jaeger JSON in chunks. */
function* jaeger({ spans, parentOf, timesOf, idOf = (i) => i }: Shape): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  let text = '{"data":[{"traceID":"f00d","processes":{"p":{"serviceName":"cart"}},"spans":['
  for (let i = 0; i < spans; i++) {
    const [start, duration] = timesOf(i)
    const parent = parentOf(i)
    const references = parent < 0 ? '' : `{"refType":"CHILD_OF","spanID":"${parent.toString(16)}"}`
    const head = `${i === 0 ? '' : ','}{"spanID":"${idOf(i).toString(16)}","operationName":"o","references":[${references}]`
    text += `${head},"startTime":${start},"duration":${duration},"processID":"p"}`
    if (text.length < 1 << 16) continue
    yield encoder.encode(text)
    text = ''
  }
  yield encoder.encode(`${text}]}]}`)
}

const MILLION = 1_000_000
const MANY = 300_000

describe('very large traces', () => {
  it.each<[string, Shape, object]>([
    [
      'a tree of a million spans',
      { spans: MILLION, parentOf: (i) => (i - 1) >> 3, timesOf: (i) => [i, 2 * (MILLION - i)] },
      {},
    ],
    [
      'a million spans in one another',
      { spans: MILLION, parentOf: (i) => i - 1, timesOf: (i) => [i, 2 * (MILLION - i)] },
      {},
    ],
    [
      'children one after the other',
      { spans: MANY, parentOf: (i) => (i === 0 ? -1 : 0), timesOf: (i) => (i === 0 ? [0, 2 * MANY] : [2 * i - 1, 1]) },
      {},
    ],
    [
      'children all at once',
      {
        spans: MANY,
        parentOf: (i) => (i === 0 ? -1 : 0),
        timesOf: (i) => (i === 0 ? [0, 2 * MANY] : [i % 1000, MANY + i - 1000]),
      },
      {},
    ],
    [
      'a ring of all spans',
      { spans: MANY, parentOf: (i) => (i + MANY - 1) % MANY, timesOf: (i) => [i, 2 * (MANY - i)] },
      { cycle: 1 },
    ],
    [
      'all spans of one id',
      { spans: MANY, parentOf: () => 7, timesOf: (i) => [i, 1], idOf: () => 5 },
      { duplicate_id: MANY - 1, missing_parent: MANY, several_roots: 1 },
    ],
    [
      'copies of one span',
      { spans: MANY, parentOf: () => 7, timesOf: () => [5, 1], idOf: () => 5 },
      { duplicate_span: MANY - 1, missing_parent: 1 },
    ],
    [
      'every span its own parent',
      { spans: MANY, parentOf: (i) => i, timesOf: (i) => [i, 1] },
      { self_parent: MANY, several_roots: 1 },
    ],
    [
      'no parent ever collected',
      { spans: MANY, parentOf: (i) => MANY + i, timesOf: (i) => [i, 1] },
      { missing_parent: MANY, several_roots: 1 },
    ],
  ])('%s', { timeout: TIMEOUT_MS }, async (_, shape, counts) => {
    const outcome = await wholeWay(jaeger(shape), { modes: ['blocking'] })
    const { duplicate_span: copies = 0 } = outcome.counts
    expect(outcome.traces.map(({ size }) => size)).toEqual([shape.spans - copies])
    expect(outcome.counts).toEqual(counts)
  })
})
