// What CRISP (Apache-2.0, 2710c0b9), calligator (Apache-2.0, 6cd9fb5d) and ServiTrace assert about their own fixtures: times
// and answers, facts only, beside those of the shared vectors.
import { createTraceCore } from '@trimtab/core/trace'
import { describe, expect, it } from 'vitest'
import { type CriticalPath, dragAndSlack, PathFinder, type PathOptions, rowsOnPath } from '../../src/index.js'
import { traceOf } from './traces.js'

const core = await createTraceCore()

/** id, parent, start, duration */
type Row = readonly [string, string | undefined, number, number]

function find(rows: readonly Row[], options: PathOptions = {}): CriticalPath {
  const finder = new PathFinder(core, options)
  const spans = rows.map(([id, parent, start, duration]) => ({ id, parent, start, end: start + duration }))
  const path = finder.find(traceOf(spans))
  finder.dispose()
  return path
}

const byId = (path: CriticalPath, column: Float64Array): Record<string, number> =>
  Object.fromEntries(Array.from(rowsOnPath(path), (row) => [path.trace.spanId(row), column[row]!]))

const EXCLUSIVE: [string, Row[], Record<string, number>][] = [
  [
    '2',
    [
      ['A', undefined, 0, 100],
      ['B', 'A', 10, 50],
    ],
    { A: 50, B: 50 },
  ],
  [
    '4',
    [
      ['A', undefined, 0, 100],
      ['B', 'A', 10, 50],
      ['C', 'B', 20, 10],
    ],
    { A: 50, B: 40, C: 10 },
  ],
  [
    '7',
    [
      ['A', undefined, 0, 100],
      ['B', 'A', 10, 100],
      ['C', 'B', 40, 10],
    ],
    { A: 10, B: 80, C: 10 },
  ],
  [
    '9',
    [
      ['A', undefined, 0, 100],
      ['B', 'A', 110, 50],
      ['C', 'B', 120, 30],
      ['D', 'A', 60, 30],
    ],
    { A: 70, D: 30 },
  ],
  [
    '12',
    [
      ['A', undefined, 0, 100],
      ['B', 'A', 10, 60],
      ['C', 'B', 25, 20],
      ['D', 'B', 30, 20],
    ],
    { A: 40, B: 40, D: 20 },
  ],
  [
    '14',
    [
      ['A', undefined, 0, 80],
      ['B', 'A', 10, 20],
      ['C', 'A', 20, 25],
      ['D', 'A', 40, 25],
    ],
    { A: 35, B: 20, D: 25 },
  ],
  [
    '17',
    [
      ['A', undefined, 0, 100],
      ['B', 'A', 20, 50],
      ['C', 'B', 30, 20],
      ['D', 'A', 80, 10],
    ],
    { A: 40, B: 30, C: 20, D: 10 },
  ],
  [
    '22',
    [
      ['A', undefined, 0, 300],
      ['B', 'A', 50, 50],
      ['C', 'A', 150, 50],
      ['D', 'A', 250, 50],
    ],
    { A: 150, B: 50, C: 50, D: 50 },
  ],
]

describe('the peers’ own fixtures', () => {
  it.each(EXCLUSIVE)('time on the path of CRISP case %s', (_, rows, expected) => {
    const path = find(rows)
    expect(byId(path, path.selfNs)).toEqual(expected)
  })

  it('drag and slack of calligator and CRISP', () => {
    const asynchronous = find(EXCLUSIVE[3]![1])
    expect(byId(asynchronous, dragAndSlack(asynchronous).exclusiveDragNs)).toEqual({ A: 70, D: 30 })
    const tied = find([
      ['R', undefined, 0, 1000],
      ['P', 'R', 0, 1000],
      ['N', 'P', 10, 790],
      ['C', 'R', 900, 100],
    ])
    expect(Array.from(rowsOnPath(tied), (row) => tied.trace.spanId(row))).toEqual(['R', 'C'])
    expect([...dragAndSlack(tied).slackNs]).toEqual([0, 0, 200, 0])
  })

  it('the asynchronous path of ServiTrace', () => {
    const path = find(
      [
        ['s1', undefined, 0, 50],
        ['s2', 's1', 10, 10],
        ['s', 's1', 30, 10],
        ['s3', 's2', 70, 10],
      ],
      {
        mode: 'to-trace-end',
      },
    )
    expect(Array.from(rowsOnPath(path), (row) => path.trace.spanId(row))).toEqual(['s1', 's2', 's3'])
    expect(path.latencyNs).toBe(80)
  })
})
