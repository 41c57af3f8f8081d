import { describe, expect, it } from 'vitest'
import { type JaegerUiSpan, jaegerUiCriticalPath } from '../../src/index.js'

const span = (spanID: string, parent: string | undefined, startTime: number, duration: number): JaegerUiSpan => ({
  spanID,
  operationName: `op ${spanID}`,
  references: parent === undefined ? [] : [{ refType: 'CHILD_OF', spanID: parent }],
  startTime,
  duration,
})

const pathOf = (...spans: JaegerUiSpan[]): string[] =>
  jaegerUiCriticalPath({ traceID: 't', spans }).map(
    ({ spanID, sectionStart, sectionEnd }) => `${spanID} ${sectionStart}-${sectionEnd}`,
  )

// Times and answers of jaeger-ui's own fixtures test1 … test9 (Apache-2.0), facts only.
const FIXTURES: [string, JaegerUiSpan[], string[]][] = [
  [
    'sequential children',
    [span('C', undefined, 1, 100), span('D', 'C', 20, 20), span('E', 'C', 50, 10)],
    ['C 60-101', 'E 50-60', 'C 40-50', 'D 20-40', 'C 1-20'],
  ],
  [
    'overlapping children',
    [span('X', undefined, 1, 100), span('A', 'X', 10, 40), span('C', 'X', 20, 40)],
    ['X 60-101', 'C 20-60', 'X 1-20'],
  ],
  ['a child after its parent', [span('A', undefined, 100, 40), span('B', 'A', 200, 300)], ['A 100-140']],
  [
    'a child after its parent, and its child',
    [span('A', undefined, 1, 30), span('B', 'A', 40, 40), span('C', 'B', 50, 10)],
    ['A 1-31'],
  ],
  [
    'a child that outlives its parent, its child early',
    [span('A', undefined, 1, 29), span('B', 'A', 15, 20), span('C', 'B', 10, 15)],
    ['B 25-30', 'C 15-25', 'A 1-15'],
  ],
  [
    'a child and a grandchild that outlive their parents',
    [span('A', undefined, 1, 29), span('B', 'A', 15, 20), span('C', 'B', 20, 20)],
    ['C 20-30', 'B 15-20', 'A 1-15'],
  ],
  ['a child around its parent', [span('A', undefined, 10, 20), span('B', 'A', 5, 30)], ['B 10-30']],
  ['a child before its parent', [span('A', undefined, 10, 20), span('B', 'A', 1, 4)], ['A 10-30']],
]

describe('the drop-in for jaeger-ui', () => {
  it.each(FIXTURES)('answers as jaeger-ui does: %s', (_, spans, expected) => {
    expect(pathOf(...spans)).toEqual(expected)
    expect(pathOf(...spans.toReversed())).toEqual(expected)
  })

  it('reads the kind from a tag, from the facade and from upper case', () => {
    const follower = { ...span('B', 'A', 10, 10), references: [{ refType: 'FOLLOWS_FROM', spanID: 'A' }] }
    const tag = (kind: string) => ({ tags: [{ key: 'span.kind', value: kind }] })
    const [producer, consumer] = [tag('producer'), tag('consumer')]
    expect(pathOf({ ...span('A', undefined, 1, 30), ...producer }, { ...follower, ...consumer })).toEqual(['A 1-31'])
    const facade: JaegerUiSpan[] = [
      { spanID: 'A', parentSpanID: undefined, name: 'a', kind: 'PRODUCER', startTime: 1, duration: 30 },
      { spanID: 'B', parentSpanID: 'A', name: 'b', kind: 'CONSUMER', startTime: 10, duration: 10 },
    ]
    expect(pathOf(...facade)).toEqual(['A 1-31'])
  })

  it('waits for what follows from its parent, as jaeger-ui does since 2025, unless told otherwise', () => {
    const spans = [
      span('A', undefined, 1, 30),
      { ...span('B', 'A', 10, 10), references: [{ refType: 'FOLLOWS_FROM', spanID: 'A' }] },
    ]
    expect(pathOf(...spans)).toEqual(['A 20-31', 'B 10-20', 'A 1-10'])
    expect(jaegerUiCriticalPath({ traceID: 't', spans }, { followsFrom: 'background' })).toHaveLength(1)
  })

  it('joins the paths of all roots, as jaeger-ui does', () => {
    expect(pathOf(span('B', undefined, 50, 10), span('A', undefined, 0, 10), span('C', 'A', 2, 3))).toEqual([
      'A 5-10',
      'C 2-5',
      'A 0-2',
      'B 50-60',
    ])
  })

  it('gives a path to a span whose parent was not collected', () => {
    expect(pathOf(span('A', 'gone', 5, 10))).toEqual(['A 5-15'])
  })

  it('keeps a sibling that ends exactly when the next starts', () => {
    expect(pathOf(span('R', undefined, 0, 100), span('A', 'R', 0, 50), span('B', 'R', 50, 50))).toEqual([
      'B 50-100',
      'A 0-50',
    ])
  })

  it('survives a start at 0, an end before the start and a ring', () => {
    expect(pathOf(span('R', undefined, 0, 10), span('A', 'R', 0, 10))).toEqual(['A 0-10'])
    expect(pathOf(span('R', undefined, 0, 10), span('A', 'R', 5, -3))).toEqual(['R 0-10'])
    expect(pathOf(span('A', 'B', 0, 10), span('B', 'A', 1, 5))).toEqual(['A 6-10', 'B 1-6', 'A 0-1'])
  })

  it('has no sections for no spans, or none that can be used', () => {
    expect(pathOf(span('A', undefined, Number.NaN, 10))).toEqual([])
    expect(jaegerUiCriticalPath({ traceID: 't', spans: [] })).toEqual([])
  })
})
