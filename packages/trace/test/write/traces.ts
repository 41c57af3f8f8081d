import { createTraceCoreSync } from '@trimtab/core/trace'
import fc from 'fast-check'
import { type CriticalPath, PathFinder, type PathOptions, type Span, traceFromSpans } from '../../src/index.js'

/** A shop: three calls one after the other, the first with one of its own, and a mail that nobody waits for. µs. */
export const SHOP: readonly Span[] = [
  { id: 'a', service: 'front', operation: 'GET /', startUs: 0, durationUs: 100 },
  { id: 'b', parentId: 'a', service: 'cart', operation: 'get', startUs: 10, durationUs: 30 },
  { id: 'c', parentId: 'b', service: 'db', operation: 'read; all', startUs: 15, durationUs: 20 },
  { id: 'd', parentId: 'a', service: 'ads', operation: 'pick', startUs: 40, durationUs: 10 },
  { id: 'e', parentId: 'a', service: 'cart', operation: 'get', startUs: 50, durationUs: 45 },
  {
    id: 'f',
    parentId: 'a',
    service: 'mail',
    operation: 'send',
    startUs: 60,
    durationUs: 90,
    reference: 'follows-from',
  },
]

export const pathOf = (spans: readonly Span[], options: PathOptions = {}): CriticalPath => {
  const finder = new PathFinder(createTraceCoreSync(), options)
  const path = finder.find(traceFromSpans(spans))
  finder.dispose()
  return path
}

/** Any trace: parents are earlier spans, times of any kind, few services so that call paths repeat. */
export const anySpans: fc.Arbitrary<Span[]> = fc
  .array(
    fc.record({
      parent: fc.nat(),
      service: fc.constantFrom('front', 'cart', 'db', 'ads'),
      operation: fc.constantFrom('get', 'put', ''),
      startUs: fc.nat(200),
      durationUs: fc.nat(200),
      reference: fc.constantFrom('child-of' as const, 'child-of' as const, 'follows-from' as const),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((rows) =>
    rows.map(({ parent, ...span }, i) => ({ ...span, id: `s${i}`, parentId: i === 0 ? undefined : `s${parent % i}` })),
  )

/** Twin of every writer: the owner's callers joined to a text, section by section. */
export function timeByStack(path: CriticalPath): Map<string, number> {
  const { trace } = path
  const times = new Map<string, number>()
  for (let i = 0; i < path.size; i++) {
    const stack: string[] = []
    for (let row = path.row[i]!; ; row = trace.parent[row]!) {
      const [service, operation] = [trace.names.text(trace.service[row]!), trace.names.text(trace.operation[row]!)]
      stack.unshift(operation === '' ? service : `${service}: ${operation}`)
      if (row === path.root) break
    }
    const key = stack.join(';')
    times.set(key, (times.get(key) ?? 0) + path.endNs[i]! - path.startNs[i]!)
  }
  return new Map([...times].filter(([, ns]) => ns > 0).sort())
}
