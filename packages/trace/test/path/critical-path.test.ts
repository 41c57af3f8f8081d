import { createTraceCore } from '@trimtab/core/trace'
import { describe, expect, it } from 'vitest'
import { criticalPath, type Span, traceFromSpans, treesOf } from '../../src/index.js'

const span = (id: string, parentId: string | null, startUs: number, durationUs: number): Span => ({
  id,
  parentId,
  service: `service ${id}`,
  operation: 'call',
  startUs,
  durationUs,
})

const EPOCH = 1_700_000_000_123_457 // µs, odd on purpose
const spans = [span('r', null, EPOCH, 100), span('a', 'r', EPOCH + 10, 20), span('b', 'r', EPOCH + 40, 50)]

describe('criticalPath', () => {
  it('answers at once, in µs of the input, with spans to ask further', () => {
    const path = criticalPath(spans)
    expect(path.map(({ span, startUs, endUs }) => [span.id, startUs - EPOCH, endUs - EPOCH])).toEqual([
      ['r', 0, 10],
      ['a', 10, 30],
      ['r', 30, 40],
      ['b', 40, 90],
      ['r', 90, 100],
    ])
    expect(path.at(-2)?.span).toMatchObject({ service: 'service b', parentId: 'r', startUs: EPOCH + 40 })
  })

  it('keeps every microsecond of a real clock', () => {
    for (let i = 0; i < 1000; i++) {
      const [section] = criticalPath([span('r', null, EPOCH + i * 1_000_003, 17)])
      expect([section!.startUs, section!.endUs]).toEqual([EPOCH + i * 1_000_003, EPOCH + i * 1_000_003 + 17])
    }
  })

  it('takes an assembled trace, options and a core of your own', async () => {
    const core = await createTraceCore()
    const before = core.usedBytes
    expect(criticalPath(traceFromSpans(spans), { core, mode: 'firm' }).map(({ span }) => span.id)).toEqual([
      'r',
      'b',
      'a',
    ])
    expect(core.usedBytes).toBe(before)
  })

  it('starts at a span whose parent was not collected', () => {
    expect(criticalPath([span('a', 'gone', 0, 10)]).map(({ span }) => span.id)).toEqual(['a'])
  })

  it('has nothing to say about no spans', () => {
    expect(() => criticalPath([])).toThrow(expect.objectContaining({ code: 'trace_empty' }))
  })
})

describe('treesOf', () => {
  const forest = traceFromSpans([
    span('z', 'y', 65, 1),
    span('late', null, 50, 10),
    span('y', 'late', 52, 5),
    span('first', null, 0, 10),
    span('long', null, 50, 20),
    span('x', 'first', 2, 3),
  ])

  it('makes a trace of each root, in the order in which they start', () => {
    const ids = treesOf(forest).map((tree) =>
      Array.from(tree.parent, (above, row) => [tree.spanId(row), above < 0 ? undefined : tree.spanId(above)]),
    )
    expect(ids).toEqual([
      [
        ['first', undefined],
        ['x', 'first'],
      ],
      [['long', undefined]],
      [
        ['late', undefined],
        ['y', 'late'],
        ['z', 'y'],
      ],
    ])
  })

  it('is the trace itself where there is one root', () => {
    const trace = traceFromSpans(spans)
    expect(treesOf(trace)).toEqual([trace])
  })
})
