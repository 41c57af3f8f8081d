import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Frame, Span } from '../../src/types.js'
import { Workflow } from '../../src/workflow/index.js'
import { anyTrace, pathOf, sharedCore, span } from '../some-traces.js'

beforeAll(sharedCore)

function workflowOf(...traces: (readonly Span[])[]): Workflow {
  const workflow = new Workflow()
  for (const spans of traces) workflow.add(pathOf(spans))
  return workflow
}

const text = ({ service, operation }: Frame): string => `${service} ${operation}`
const pairsOf = (workflow: Workflow): unknown[] =>
  workflow
    .pairs()
    .map(({ first, second, together, ordered, overlapped, kind }) => [
      `${text(first)} > ${text(second)}`,
      together,
      ordered,
      overlapped,
      kind,
    ])
const kindsOf = (workflow: Workflow): unknown =>
  Object.fromEntries(workflow.edges().map(({ frames, kind }) => [text(frames.at(-1)!), kind]))

const root = span('r', null, 'web /', 0, 300)
const series = [root, span('a', 'r', 'x a', 0, 80), span('b', 'r', 'x b', 100, 180), span('c', 'r', 'x c', 180, 280)]
const together = [root, span('a', 'r', 'x a', 0, 150), span('b', 'r', 'x b', 10, 160)]

test('siblings that were always over before the next began are sequential', () => {
  const workflow = workflowOf(series, series)
  expect(pairsOf(workflow)).toEqual([
    ['x a > x b', 2, 2, 0, 'sequential'],
    ['x a > x c', 2, 2, 0, 'sequential'],
    ['x b > x c', 2, 2, 0, 'sequential'],
  ])
  expect(kindsOf(workflow)).toEqual({ 'x a': 'sequential', 'x b': 'sequential', 'x c': 'sequential' })
  expect(workflow.pairs()[0]).toMatchObject({
    parent: [{ service: 'web', operation: '/' }],
    violated: 0,
    pSequential: 1,
  })
})

test('siblings seen at the same time are parallel, those that never met them are not', () => {
  const workflow = workflowOf(series, together, together)
  expect(pairsOf(workflow)[0]).toEqual(['x a > x b', 3, 1, 2, 'parallel'])
  expect(kindsOf(workflow)).toEqual({ 'x a': 'parallel', 'x b': 'parallel', 'x c': 'sequential' })
})

test('one counter-example among hundred orders is taken for noise, one among ten is not', () => {
  const [many, few] = [99, 9].map((n) => workflowOf(...Array.from({ length: n }, () => series), together).pairs()[0]!)
  expect(many).toMatchObject({ together: 100, ordered: 99, violated: 1, kind: 'sequential' })
  expect(few).toMatchObject({ together: 10, ordered: 9, violated: 1, kind: 'parallel' })
  expect(many!.interval.low).toBeGreaterThan(0.94)
  expect(few!.interval.low).toBeLessThan(0.6)
})

test('calls one at a time in either order, or in turns, are unordered', () => {
  const turned = [root, span('b', 'r', 'x b', 0, 80), span('a', 'r', 'x a', 100, 180)]
  expect(pairsOf(workflowOf(series.slice(0, 3), turned))).toEqual([['x a > x b', 2, 1, 0, 'unordered']])
  const loop = [0, 1, 2].flatMap((i) => [
    span(`a${i}`, 'r', 'x a', 100 * i, 100 * i + 40),
    span(`b${i}`, 'r', 'x b', 100 * i + 40, 100 * i + 90),
  ])
  expect(pairsOf(workflowOf([root, ...loop]))).toEqual([
    ['x a > x a', 1, 1, 0, 'sequential'],
    ['x a > x b', 1, 0, 0, 'unordered'],
    ['x b > x b', 1, 1, 0, 'sequential'],
  ])
})

test('repeated calls that overlap, or overlap another, are seen as such', () => {
  const spans = [
    root,
    span('a1', 'r', 'x a', 0, 50),
    span('b', 'r', 'x b', 60, 200),
    span('a2', 'r', 'x a', 70, 150),
    span('a3', 'r', 'x a', 140, 160),
  ]
  expect(pairsOf(workflowOf(spans))).toEqual([
    ['x a > x a', 1, 0, 1, 'parallel'],
    ['x a > x b', 1, 0, 1, 'parallel'],
  ])
})

test('absence is no counter-example, and the same name elsewhere is another call', () => {
  const workflow = workflowOf(
    series,
    [root, span('b', 'r', 'x b', 0, 80)],
    [span('r', null, 'app /', 0, 300), ...together.slice(1)],
  )
  expect(pairsOf(workflow)[0]).toEqual(['x a > x b', 1, 0, 1, 'parallel']) // below app
  expect(pairsOf(workflow)[1]).toEqual(['x a > x b', 1, 1, 0, 'sequential'])
})

test('what outlives its parent more often than not is background, and so is what its reference says', () => {
  const outliving = [span('r', null, 'web /', 0, 100), span('a', 'r', 'log write', 50, 150)]
  const waited = [span('r', null, 'web /', 0, 100), span('a', 'r', 'log write', 50, 100)]
  expect(kindsOf(workflowOf(outliving))).toEqual({ 'log write': 'background' })
  expect(kindsOf(workflowOf(outliving, waited))).toEqual({ 'log write': 'sequential' })
  const [edge] = workflowOf(outliving, outliving, waited).edges()
  expect(edge).toMatchObject({ kind: 'background', calls: 3, parents: 3, outlived: 2, asides: 0 })
  expect(edge!.pReturned).toBeCloseTo(1 / 3, 12)
  const follows = [
    span('r', null, 'web /', 0, 100),
    span('a', 'r', 'log write', 10, 60, { reference: 'follows-from' }),
    span('b', 'a', 'disk write', 20, 50),
    span('c', 'r', 'x c', 30, 90),
  ]
  // c runs beside a background call: that does not make it parallel.
  expect(kindsOf(workflowOf(follows))).toEqual({
    'log write': 'background',
    'disk write': 'sequential',
    'x c': 'sequential',
  })
})

test('an overlap within the tolerance of the path is none', () => {
  const spans = [span('r', null, 'web /', 0, 1000), span('a', 'r', 'x a', 0, 500), span('b', 'r', 'x b', 495, 1000)]
  const ordered = [10, 1].map((overlapTolerance) => {
    const workflow = new Workflow()
    workflow.add(pathOf(spans, { overlapTolerance }))
    return workflow.pairs()[0]!.ordered
  })
  expect(ordered).toEqual([1, 0])
})

test('spans below no root are no edges of the root', () => {
  const workflow = workflowOf([
    span('r', null, 'web /', 0, 100),
    span('x', 'lost', 'x x', 0, 10),
    span('y', 'x', 'x y', 0, 5),
  ])
  expect(workflow.edges().map(({ frames }) => frames.map(text))).toEqual([['x x', 'x y']])
})

test('workflows of parts merge to exactly that of the whole, in any order, and are saved as the same bytes', () => {
  const isSame = (a: Workflow, b: Workflow): boolean => Buffer.compare(a.save(), b.save()) === 0
  fc.assert(
    fc.property(fc.array(fc.tuple(anyTrace, fc.nat({ max: 2 })), { minLength: 1, maxLength: 6 }), (traces) => {
      const whole = workflowOf(...traces.map(([spans]) => spans))
      const parts = [2, 0, 1].map((part) =>
        workflowOf(...traces.filter(([, of]) => of === part).map(([spans]) => spans)),
      )
      const merged = Workflow.load(new Workflow().save())
      for (const part of parts) merged.merge(Workflow.load(part.save()))
      expect(isSame(merged, whole)).toBe(true)
      expect(isSame(workflowOf(...traces.toReversed().map(([spans]) => spans)), whole)).toBe(true)
      expect(JSON.stringify([merged.pairs(), merged.edges()])).toBe(JSON.stringify([whole.pairs(), whole.edges()]))
    }),
    { numRuns: 2000 },
  )
})

test('how two siblings stood is what comparing all their calls says', () => {
  const drafts = fc.array(
    fc.record({ name: fc.constantFrom('a', 'b', 'c'), start: fc.nat({ max: 30 }), length: fc.nat({ max: 12 }) }),
    { minLength: 2, maxLength: 9 },
  )
  fc.assert(
    fc.property(drafts, (calls) => {
      const spans = calls.map(({ name, start, length }, i) => span(`c${i}`, 'r', `x ${name}`, start, start + length))
      for (const pair of workflowOf([span('r', null, 'web /', 0, 100), ...spans]).pairs()) {
        const of = (name: string) =>
          spans
            .filter(({ operation }) => operation === name)
            .map((call) => [call.startUs, call.startUs + call.durationUs])
        const [first, second] = [of(pair.first.operation), of(pair.second.operation)]
        const isSelf = pair.first.operation === pair.second.operation
        const meets = first.some(([start = 0, end = 0], i) =>
          second.some(
            ([from = 0, to = 0], k) =>
              !(isSelf && i === k) && start < to && from < end && !(start === end || from === to),
          ),
        )
        const isZero = [...first, ...second].some(([start, end]) => start === end)
        if (!isZero) expect(pair.overlapped).toBe(meets ? 1 : 0)
        const lastEnd = Math.max(...first.map(([, end = 0]) => end))
        const firstStart = Math.min(...second.map(([start = 0]) => start))
        if (!isZero && !isSelf) expect(pair.ordered).toBe(lastEnd <= firstStart ? 1 : 0)
      }
    }),
    { numRuns: 3000 },
  )
})

test('time and room stay in proportion below a span with 20,000 different calls', () => {
  const wide = [
    span('r', null, 'web /', 0, 1_000_000),
    ...Array.from({ length: 20_000 }, (_, i) => span(`c${i}`, 'r', `x o${i}`, i, 500_000)),
  ]
  const workflow = workflowOf(wide)
  expect(workflow.edges()).toHaveLength(20_000)
  expect(workflow.pairs().length).toBeLessThan(8 * 20_000)
})
