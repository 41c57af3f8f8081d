import { Random } from '@trimtab/core'
import { createTraceCore, type TraceCore } from '@trimtab/core/trace'
import fc from 'fast-check'
import type { PathOptions } from '../src/path/options.js'
import { PathFinder } from '../src/path/path-finder.js'
import type { CriticalPath } from '../src/path/types.js'
import { traceFromSpans } from '../src/spans.js'
import type { Span } from '../src/types.js'

let core: TraceCore | undefined

export async function sharedCore(): Promise<TraceCore> {
  core ??= await createTraceCore()
  return core
}

let finder: PathFinder | undefined

/** The critical path of spans, found with the shared core. */
export function pathOf(spans: readonly Span[], options?: PathOptions): CriticalPath {
  if (!core) throw new Error('await sharedCore() first')
  finder ??= new PathFinder(core)
  return (options ? new PathFinder(core, options) : finder).find(traceFromSpans(spans))
}

/** A span written short: `span('b', 'a', 'cart GET', 10, 30)` runs from 10 to 30 µs below `a`. */
export function span(
  id: string,
  parentId: string | null,
  name: string,
  startUs: number,
  endUs: number,
  more: Partial<Span> = {},
): Span {
  const [service = '', operation = ''] = name.split(' ')
  return { id, parentId, service, operation, startUs, durationUs: endUs - startUs, ...more }
}

/** A trace of up to 12 spans: any tree, times that may reach beyond the parent, some errors, instances and background spans. */
export const anyTrace: fc.Arbitrary<Span[]> = fc
  .tuple(
    fc.integer({ min: 0, max: 9999 }),
    fc.array(
      fc.record({
        parent: fc.nat(),
        service: fc.constantFrom('a', 'b', 'c', 'd'),
        operation: fc.constantFrom('x', 'y'),
        start: fc.nat({ max: 100 }),
        length: fc.oneof(fc.nat({ max: 60 }), fc.nat({ max: 2_000_000 })),
        instance: fc.constantFrom(undefined, 'p1', 'p2'),
        isError: fc.boolean(),
        isDetached: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
        isAside: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  )
  .map(([number, drafts]) =>
    drafts.map((draft, i) => ({
      id: String(i),
      parentId: i === 0 ? null : draft.isDetached ? 'never collected' : String(draft.parent % i),
      traceId: `t${number}`,
      service: draft.service,
      operation: draft.operation,
      startUs: draft.start,
      durationUs: draft.length,
      instance: draft.instance,
      isError: draft.isError,
      reference: draft.isAside ? ('follows-from' as const) : undefined,
    })),
  )

/** Numbers in [0, 1) by seed. */
export function uniforms(seed: number): () => number {
  if (!core) throw new Error('await sharedCore() first')
  const random = new Random(core, seed)
  return () => random.uniform()
}
