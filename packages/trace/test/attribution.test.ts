import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { Attribution } from '../src/attribution.js'
import { criticalPath, ownerName, Profile, type Span, summarisePath } from '../src/index.js'
import { ownerTwin } from './attribution-twin.js'
import { anyTrace, pathOf, sharedCore, span } from './some-traces.js'

beforeAll(sharedCore)

/** µs on the path by owner. */
const owners = (spans: readonly Span[], mode: 'blocking' | 'to-trace-end' = 'blocking'): Record<string, number> =>
  Object.fromEntries(summarisePath(pathOf(spans, { mode }), 99).owners.map((owner) => [ownerName(owner), owner.selfUs]))

const CALL: readonly Span[] = [
  span('r', null, 'front GET', 0, 100, { kind: 'server' }),
  span('c', 'r', 'front call', 10, 60, { kind: 'client' }),
  span('s', 'c', 'cart get', 30, 50, { kind: 'server' }),
]

describe('whose time it is', () => {
  it('is the edge between a client span and its server span', () => {
    expect(owners(CALL)).toEqual({ front: 50, 'front → cart': 30, cart: 20 })
  })

  it('is the same when a service calls itself over the network', () => {
    const spans = CALL.map((one) => ({ ...one, service: 'shard' }))
    expect(owners(spans)).toEqual({ shard: 70, 'shard → shard': 30 })
  })

  it('is the caller where no span answers, or several services do', () => {
    expect(owners(CALL.slice(0, 2))).toEqual({ front: 100 })
    expect(owners([...CALL, span('t', 'c', 'ads get', 50, 55, { kind: 'server' })])).toEqual({
      front: 75,
      cart: 20,
      ads: 5,
    })
  })

  it('is all attempts together where a call is tried again', () => {
    const spans = [...CALL, span('s2', 'c', 'cart get', 52, 58, { kind: 'server', isError: true })]
    const profile = new Profile()
    profile.add(pathOf(spans))
    expect(owners(spans)).toMatchObject({ 'front → cart': 24, cart: 26 })
    expect(profile.edges()).toMatchObject([{ caller: 'front', callee: 'cart', kind: 'call', calls: 2, errors: 1 }])
  })

  it('is guessed without kinds: a span within its service that only calls another one is that call', () => {
    const bare = CALL.map(({ kind: _, ...one }) => one)
    expect(owners(bare)).toEqual({ front: 50, 'front → cart': 30, cart: 20 })
    expect(owners(bare.slice(1).map((one) => ({ ...one, parentId: one.id === 'c' ? null : 'c' })))).toEqual({
      front: 30, // the root answers somebody: it works
      cart: 20,
    })
  })

  it('is the queue between a producer and its consumer, from the end of the one to the start of the other', () => {
    const spans = [
      span('r', null, 'shop buy', 0, 50, { kind: 'server' }),
      span('p', 'r', 'shop publish', 10, 20, { kind: 'producer' }),
      span('c', 'p', 'billing charge', 80, 100, { kind: 'consumer' }),
    ]
    expect(owners(spans, 'to-trace-end')).toEqual({ shop: 10, 'shop → billing (queue)': 70, billing: 20 })
    const profile = new Profile()
    profile.add(pathOf(spans)) // nobody waits for it, and yet it waits
    const [edge] = profile.edges()
    expect(edge).toMatchObject({ caller: 'shop', callee: 'billing', kind: 'queue', selfNs: 10_000 })
    expect(edge!.own.sumNs).toBe(70_000) // 10 µs of publishing and 60 in the queue
  })

  it('is what the plain rule says, for any trace', () => {
    const kinds = ['internal', 'server', 'client', 'producer', 'consumer'] as const
    fc.assert(
      fc.property(anyTrace, fc.array(fc.constantFrom(...kinds), { minLength: 12, maxLength: 12 }), (spans, kind) => {
        const path = pathOf(spans.map((one, i) => ({ ...one, kind: kind[i] })))
        const { trace } = path
        const { answer } = new Attribution().of(path)
        const name = (row: number) => trace.names.text(trace.service[row]!)
        for (let row = 0; row < trace.size; row++) {
          const [from, to] = ownerTwin(trace, row).replace(/ \(.*/, '').split(' → ')
          expect([name(row), answer[row]! < 0 ? undefined : name(answer[row]!)]).toEqual([from, to])
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('criticalPath', () => {
  it('returns the very spans that were given, with what else they hold, and the edges between them', () => {
    const spans = CALL.map((one, i) => ({ ...one, colour: ['red', 'green', 'blue'][i]! }))
    const sections = criticalPath(spans.toReversed())
    expect(sections.map(({ span: { colour } }) => colour)).toEqual(['red', 'green', 'blue', 'green', 'red'])
    for (const { span: own } of sections) expect(spans).toContain(own)
    expect(sections[1]!.edge).toEqual({ caller: 'front', callee: 'cart', kind: 'call' })
    expect(sections[2]!.edge).toBeUndefined()
  })

  it('finds them among spans that cannot be used, and among others of the same id', () => {
    const spans = [
      span('x', 'r', 'lost work', Number.NaN, 1),
      span('r', null, 'web /', 0, 90),
      span('a', 'r', 'db read', 10, 40),
      span('a', 'r', 'db read', 10, 40),
      span('a', 'r', 'db read', 50, 70),
    ]
    const found = criticalPath(spans).map(({ span: own }) => spans.indexOf(own))
    expect(found).toEqual([1, expect.toSatisfy((at) => at === 2 || at === 3), 1, 4, 1])
  })
})
