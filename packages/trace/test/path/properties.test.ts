import { createTraceCore } from '@trimtab/core/trace'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CriticalPath, dragAndSlack, PathFinder, type PathOptions } from '../../src/index.js'
import { nastyTraces, type TestSpan, traceOf } from './traces.js'
import { type TwinSpan, twinFirm, twinPath, twinSpans } from './twin.js'

const TRACES = 10_000
const PATIENCE = 600_000 // ms, for a machine with other things to do

const core = await createTraceCore()
const another = await createTraceCore()

const options: fc.Arbitrary<PathOptions> = fc.record({
  mode: fc.constantFrom('blocking', 'to-trace-end'),
  overlapTolerance: fc.constantFrom(0, 0, 0.001, 0.003, 2, 1000),
  followsFrom: fc.constantFrom('background', 'blocking'),
  producerConsumer: fc.constantFrom('background', 'blocking'),
  lateChild: fc.constantFrom('clamp', 'background'),
})

const sectionsOf = ({ trace, row, startNs, endNs }: CriticalPath) =>
  Array.from(row, (at, i) => ({ id: trace.spanId(at), start: startNs[i]!, end: endNs[i]! }))

/** What a column says of each span, by id, so that orders of rows can be compared. */
const byId = ({ trace }: CriticalPath, column: ArrayLike<number>): [string, number][] =>
  Array.from(trace.parent.keys(), (row): [string, number] => [trace.spanId(row), column[row]!]).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )

const spansOf = ({ trace, background, windowStartNs, windowEndNs }: CriticalPath): Map<string, TwinSpan> =>
  new Map(
    Array.from(trace.parent, (_, row) => [
      trace.spanId(row),
      { isBackground: background[row] === 1, from: windowStartNs[row]!, to: windowEndNs[row]! },
    ]),
  )

function isClamped({ id, start, end }: TestSpan, twins: Map<string, TwinSpan>): boolean {
  const { from, to } = twins.get(id)!
  return from <= to && (from !== start || to !== end)
}

/** Outside its parent, which is inside its own. */
function isDropped({ id, parent }: TestSpan, twins: Map<string, TwinSpan>): boolean {
  const { isBackground, from } = twins.get(id)!
  return parent !== undefined && !isBackground && Number.isNaN(from) && !Number.isNaN(twins.get(parent)!.from)
}

function columnsOf(path: CriticalPath): unknown {
  const { dragNs, exclusiveDragNs, slackNs } = dragAndSlack(path)
  const { selfNs, background, windowStartNs, windowEndNs } = path
  const columns = [selfNs, background, windowStartNs, windowEndNs, dragNs, exclusiveDragNs, slackNs]
  return [sectionsOf(path), path.latencyNs, columns.map((column) => byId(path, column))]
}

describe(`over ${TRACES} generated traces`, { timeout: PATIENCE }, () => {
  it('sections tile the window, none is owned by a background span, and all are those of the slow twin', () => {
    fc.assert(
      fc.property(nastyTraces, options, ({ spans }, chosen) => {
        const trace = traceOf(spans)
        const finder = new PathFinder(core, chosen)
        const path = finder.find(trace)
        finder.dispose()
        const sections = sectionsOf(path)
        let cursor = spans[0]!.start
        for (const { start, end } of sections) {
          expect(start).toBe(cursor)
          expect(end).toBeGreaterThan(start)
          cursor = end
        }
        expect(cursor - spans[0]!.start).toBe(path.latencyNs)
        expect(path.selfNs.reduce((sum, ns) => sum + ns, 0)).toBe(path.latencyNs)
        expect(sections).toEqual(twinPath(trace, chosen))
        const twins = twinSpans(trace, chosen)
        expect(spansOf(path)).toEqual(twins)
        expect(sections.filter(({ id }) => twins.get(id)!.isBackground)).toEqual([])
        expect(path.repairs.count('clamped')).toBe(spans.filter((span) => isClamped(span, twins)).length)
        expect(path.repairs.count('dropped')).toBe(spans.filter((span) => isDropped(span, twins)).length)
      }),
      { numRuns: TRACES },
    )
  })

  it('neither the order of the spans nor the build of the core changes anything', () => {
    const modes = fc.constantFrom('blocking', 'to-trace-end', 'firm')
    fc.assert(
      fc.property(nastyTraces, options, modes, ({ spans, order }, chosen, mode) => {
        const [finder, other] = [
          new PathFinder(core, { ...chosen, mode }),
          new PathFinder(another, { ...chosen, mode }),
        ]
        const expected = columnsOf(finder.find(traceOf(spans)))
        expect(columnsOf(finder.find(traceOf(spans, order)))).toEqual(expected)
        expect(columnsOf(other.find(traceOf(spans, order)))).toEqual(expected)
        finder.dispose()
        other.dispose()
      }),
      { numRuns: TRACES },
    )
  })

  it('firm mode is Algorithm 3.1 line by line', () => {
    fc.assert(
      fc.property(nastyTraces, options, ({ spans }, chosen) => {
        const trace = traceOf(spans)
        const finder = new PathFinder(core, { ...chosen, mode: 'firm' })
        const path = finder.find(trace)
        finder.dispose()
        expect(Array.from(path.row, (row) => trace.spanId(row))).toEqual(twinFirm(trace, chosen))
        for (let i = 0; i < path.size; i++) {
          expect([path.startNs[i], path.endNs[i]]).toEqual([trace.startNs[path.row[i]!], trace.endNs[path.row[i]!]])
        }
      }),
      { numRuns: TRACES },
    )
  })

  it('drag fits into the span, slack is never negative, and both are 0 where the other is not', () => {
    fc.assert(
      fc.property(nastyTraces, options, ({ spans }, chosen) => {
        const trace = traceOf(spans)
        const finder = new PathFinder(core, chosen)
        const path = finder.find(trace)
        finder.dispose()
        const { dragNs, exclusiveDragNs, slackNs } = dragAndSlack(path)
        const rows = [...trace.parent.keys()]
        const isWrong = (row: number): boolean => {
          const length = path.windowEndNs[row]! - path.windowStartNs[row]!
          const [drag, own, slack] = [dragNs[row]!, exclusiveDragNs[row]!, slackNs[row]!]
          if (Number.isNaN(length)) return !(slack >= 0) || drag !== 0
          return !(own >= 0 && own <= drag && drag <= length && slack >= 0 && Math.min(drag, slack) === 0)
        }
        expect(rows.filter(isWrong)).toEqual([])
      }),
      { numRuns: TRACES },
    )
  })
})
