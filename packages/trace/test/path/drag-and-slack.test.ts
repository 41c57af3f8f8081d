import { createTraceCore } from '@trimtab/core/trace'
import { describe, expect, it } from 'vitest'
import { dragAndSlack, PathFinder } from '../../src/index.js'
import { type TestSpan, traceOf } from './traces.js'

const core = await createTraceCore()

const span = (id: string, parent: string | undefined, start: number, end: number): TestSpan => ({
  id,
  parent,
  start,
  end,
})

/** Ids to [drag, exclusive drag, slack], ns. */
function measure(spans: readonly TestSpan[]): Record<string, [number, number, number]> {
  const finder = new PathFinder(core)
  const trace = traceOf(spans)
  const { dragNs, exclusiveDragNs, slackNs } = dragAndSlack(finder.find(trace))
  finder.dispose()
  return Object.fromEntries(spans.map(({ id }, row) => [id, [dragNs[row]!, exclusiveDragNs[row]!, slackNs[row]!]]))
}

const series = [
  span('r', undefined, 0, 1000),
  span('a', 'r', 0, 100),
  span('b', 'r', 300, 750),
  span('d', 'r', 700, 1000),
]
const nested = [
  span('r', undefined, 0, 1000),
  span('m', 'r', 200, 600),
  span('n', 'm', 210, 590),
  span('l', 'r', 55, 195),
]

describe('drag', () => {
  it('is all of a span that no sibling can stand in for', () => {
    expect(measure([span('r', undefined, 0, 300), span('x', 'r', 0, 200), span('y', 'x', 0, 100)])).toEqual({
      r: [300, 100, 0],
      x: [200, 100, 0],
      y: [100, 100, 0],
    })
  })

  it('ends where the sibling that ended before ends, on the path or off it', () => {
    const { d, a } = measure(series)
    expect(d).toEqual([250, 250, 0])
    expect(a).toEqual([100, 100, 0])
  })

  it('is nothing when a sibling ends at the same time', () => {
    expect(measure([span('r', undefined, 0, 100), span('a', 'r', 0, 90), span('b', 'r', 50, 90)])).toMatchObject({
      a: [0, 0, 0],
      b: [0, 0, 0],
    })
  })

  it('counts as exclusive what is neither the last child nor beside a sibling', () => {
    expect(measure(nested).m).toEqual([400, 20, 0])
    const beside = nested.map((one) => (one.id === 'l' ? span('l', 'r', 55, 205) : one))
    // 10 after the child, 5 between the sibling's end and the child's start, if both were on the path.
    expect(measure(beside).m).toEqual([395, 15, 0])
  })
})

describe('slack', () => {
  it('begins where the last sibling that happened before ends, and ends with the path', () => {
    expect(measure(series).b).toEqual([0, 0, 450])
  })

  it('begins with the first sibling where none happened before', () => {
    const { c, d } = measure([
      span('a', undefined, 0, 100),
      span('b', 'a', 10, 60),
      span('c', 'a', 45, 55),
      span('d', 'a', 5, 15),
    ])
    expect([c![2], d![2]]).toEqual([35, 45])
  })

  it('ends with the parent below a span off the path', () => {
    const spans = [
      span('r', undefined, 0, 1000),
      span('p', 'r', 0, 1000),
      span('n', 'p', 10, 800),
      span('c', 'r', 900, 1000),
    ]
    expect(measure(spans).n).toEqual([0, 0, 200])
  })

  it('is taken within its own parent below what the root does not wait for', () => {
    const spans = [
      span('r', undefined, 0, 100),
      { ...span('f', 'r', 20, 60), followsFrom: true },
      span('g', 'f', 30, 50),
      span('o', 'r', 150, 200),
      span('c', 'o', 160, 190),
      span('other', undefined, 300, 400),
      span('d', 'other', 310, 395),
    ]
    const slacks = Object.fromEntries(Object.entries(measure(spans)).map(([id, [, , slack]]) => [id, slack]))
    expect(slacks).toEqual({ r: 0, f: 0, g: 10, o: 0, c: 10, other: 0, d: 5 })
  })
})

it('looks at a hundred thousand siblings', () => {
  const spans = Array.from({ length: 100_000 }, (_, i) =>
    i === 0 ? span('r', undefined, 0, 1e9) : span(`${i}`, 'r', (i * 7919) % 1e6, ((i * 7919) % 1e6) + 1000),
  )
  expect(Object.values(measure(spans)).every(([drag, own, slack]) => drag >= own && own >= 0 && slack >= 0)).toBe(true)
})
