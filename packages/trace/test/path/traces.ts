import fc from 'fast-check'
import { Names, Repairs, type Trace } from '../../src/index.js'

/** A span of a test, in ns; the parent is an id. */
export interface TestSpan {
  readonly id: string
  readonly parent?: string | undefined
  readonly start: number
  readonly end: number
  readonly kind?: number
  readonly followsFrom?: boolean
  readonly host?: string
  readonly service?: string
}

/** The columns of the spans in this order of rows; the first span is the root. No builder in between, nothing is mended. */
export function traceOf(spans: readonly TestSpan[], order: readonly number[] = [...spans.keys()]): Trace {
  const names = new Names()
  const rows = order.map((index) => spans[index]!)
  const rowOf = new Map(rows.map((span, row) => [span.id, row]))
  const words = (value: (span: TestSpan) => number): Int32Array => Int32Array.from(rows, value)
  return {
    traceId: 'trace',
    originUnixNs: 0n,
    size: rows.length,
    startNs: Float64Array.from(rows, (span) => span.start),
    endNs: Float64Array.from(rows, (span) => span.end),
    parent: words((span) => (span.parent === undefined ? -1 : rowOf.get(span.parent)!)),
    root: rowOf.get(spans[0]!.id)!,
    names,
    service: words((span) => names.number(span.service ?? 'service')),
    operation: words(() => 0),
    instance: words(() => 0),
    host: words((span) => names.number(span.host ?? '')),
    kind: Uint8Array.from(rows, (span) => span.kind ?? 0),
    flags: Uint8Array.from(rows, (span) => (span.followsFrom ? 1 : 0)),
    spanId: (row) => rows[row]!.id,
    repairs: new Repairs(),
  }
}

export interface NastyTrace {
  readonly spans: readonly TestSpan[]
  /** Another order of the same spans. */
  readonly order: readonly number[]
}

const share = fc.noBias(fc.integer({ min: 0, max: 1000 }))
const oneOf = (n: number): fc.Arbitrary<number> => fc.noBias(fc.integer({ min: 0, max: n - 1 }))

const draw = fc.record({
  pick: share,
  start: share,
  length: share,
  place: fc.constantFrom('inside', 'inside', 'after', 'after', 'copy', 'anywhere'),
  gap: fc.noBias(fc.integer({ min: -2, max: 3 })),
  isEmpty: oneOf(12),
  kind: oneOf(5),
  isOrphan: oneOf(25),
  isFollower: oneOf(12),
  key: share,
})

/**
 * Traces as bad clocks, lost spans and queues make them: few different times, so that many are equal; zero lengths, children
 * before, after and around their parents, siblings that touch, overlap by a tick or coincide, several roots, wide, deep and
 * mixed, producers and consumers.
 */
export const nastyTraces: fc.Arbitrary<NastyTrace> = fc
  .record({
    shape: fc.constantFrom('wide', 'deep', 'mixed'),
    unit: fc.constantFrom(1, 1000, 1_000_000),
    reach: fc.constantFrom(10, 40, 1000),
    draws: fc.array(draw, { minLength: 1, maxLength: 40, size: 'max' }),
  })
  .map(({ shape, unit, reach, draws }) => {
    const ids = draws.map((_, i) => ((i * 7919) % 1009).toString(36))
    const times: { start: number; end: number }[] = []
    const lastChild = new Map<number, number>()
    const spans = draws.map((drawn, i): TestSpan => {
      const above = shape === 'wide' ? 0 : shape === 'deep' ? Math.floor(i * 0.8) : drawn.pick % Math.max(i, 1)
      const parent = i === 0 || drawn.isOrphan === 0 ? undefined : Math.min(above, i - 1)
      const outer = parent === undefined ? { start: 0, end: reach } : times[parent]!
      const sibling = times[lastChild.get(parent ?? -1) ?? -1]
      times.push(i === 0 ? outer : timesOf(drawn, outer, sibling, reach))
      lastChild.set(parent ?? -1, i)
      return {
        id: ids[i]!,
        parent: parent === undefined ? undefined : ids[parent]!,
        start: times[i]!.start * unit,
        end: times[i]!.end * unit,
        kind: drawn.kind,
        followsFrom: drawn.isFollower === 0,
      }
    })
    const order = [...draws.keys()].sort((a, b) => draws[a]!.key - draws[b]!.key || a - b)
    return { spans, order }
  })

interface Times {
  readonly start: number
  readonly end: number
}

type Draw = typeof draw extends fc.Arbitrary<infer T> ? T : never

function timesOf(drawn: Draw, outer: Times, sibling: Times | undefined, reach: number): Times {
  if (drawn.place === 'copy' && sibling) return sibling
  const isAnywhere = drawn.place === 'anywhere'
  const from = isAnywhere ? -reach / 4 : outer.start
  const to = isAnywhere ? reach * 1.5 : outer.end
  const isAfter = drawn.place === 'after' && sibling !== undefined
  const start = isAfter ? sibling.end + drawn.gap : Math.round(from + ((to - from) * drawn.start) / 1000) + 0
  if (drawn.isEmpty === 0) return { start, end: start }
  return { start, end: Math.max(start, start + Math.round(((to - start) * drawn.length) / 1000 / (isAfter ? 3 : 1))) }
}
