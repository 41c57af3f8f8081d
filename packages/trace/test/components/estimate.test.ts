// Windows small enough to be worked out by hand.
import { pearson, percentile, varianceShare } from '@trimtab/core'
import { createTraceCore, type TraceCore } from '@trimtab/core/trace'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Component, measureComponents, PathFinder, Profile, type Span, traceFromSpans } from '../../src/index.js'

let core: TraceCore
beforeAll(async () => {
  core = await createTraceCore()
})

/** Requests of a front end that calls `cart` and then `stock`; each row is what the three of them take themselves, in µs. */
function windowOf(
  requests: readonly (readonly [number, number, number])[],
  background: readonly number[] = [],
  version = 'v1',
): Profile {
  const finder = new PathFinder(core)
  const profile = new Profile()
  for (const [i, [front, cart, stock]] of requests.entries()) {
    const of = (id: string, service: string, startUs: number, durationUs: number): Span => ({
      id,
      traceId: `t${i}`,
      parentId: id === 'a' ? undefined : 'a',
      service,
      operation: 'work',
      instance: `${service}-${version}`,
      startUs,
      durationUs,
    })
    const mail = background[i]
    const spans = [
      of('a', 'front', 0, front + cart + stock),
      of('b', 'cart', 0, cart),
      of('c', 'stock', cart, stock),
      ...(mail === undefined ? [] : [{ ...of('d', 'mail', 0, mail), reference: 'follows-from' as const }]),
    ]
    profile.add(finder.find(traceFromSpans(spans.filter(({ durationUs, id }) => durationUs > 0 || id === 'a'))))
  }
  finder.dispose()
  return profile
}

const find = (components: readonly Component[], service: string): Component =>
  components.find((component) => component.service === service)!

describe('a window by hand', () => {
  // front 10 always; cart 10, 20, 30; stock 30, 10, 20: latencies 50, 40, 60.
  const window = (): Component[] =>
    measureComponents(
      core,
      windowOf([
        [10, 10, 30],
        [10, 20, 10],
        [10, 30, 20],
      ]),
    )

  it('has the correlations of its columns', () => {
    // cart − mean: −10, 0, 10; latency − mean: 0, −10, 10: 100 / sqrt(200 · 200).
    expect(find(window(), 'cart').relativeImportance).toMatchObject({ value: expect.closeTo(0.5, 12), count: 3 })
    expect(find(window(), 'front').relativeImportance.value).toBe(0)
  })

  it('splits the variance among them', () => {
    const shares = window().map(({ service, varianceShare: share }) => [service, share])
    // cov(cart, latency) = 100/3, cov(stock, latency) = 100/3, var(latency) = 200/3
    expect(Object.fromEntries(shares)).toEqual({
      front: 0,
      cart: expect.closeTo(0.5, 12),
      stock: expect.closeTo(0.5, 12),
    })
  })

  it('says that the 99th percentile of three requests is the slowest', () => {
    const { congestionIntensity } = find(window(), 'cart')
    expect(congestionIntensity).toMatchObject({ count: 3, isMaximum: true, high: Number.POSITIVE_INFINITY })
    expect(congestionIntensity!.value).toBeCloseTo(1.5, 1)
  })

  it('knows no congestion of what never took any time', () => {
    const components = measureComponents(core, windowOf([[0, 10, 10]]))
    expect(find(components, 'front')).toMatchObject({ isOnPath: false, congestionIntensity: undefined })
  })

  it('keeps what nobody waits for, by its own work', () => {
    const requests = Array.from({ length: 200 }, () => [10, 10, 10] as const)
    const components = measureComponents(
      core,
      windowOf(
        requests,
        requests.map((_, i) => (i < 197 ? 5 : 50)),
      ),
    )
    const mail = find(components, 'mail')
    expect(mail).toMatchObject({ isOnPath: false, share: 0, varianceShare: 0 })
    expect(mail.congestionIntensity).toMatchObject({ count: 200, isMaximum: false })
    expect(mail.congestionIntensity!.value).toBeCloseTo(10, 0)
  })
})

describe('any window', () => {
  const request = fc.tuple(
    fc.integer({ min: 1, max: 1000 }),
    fc.integer({ min: 0, max: 1000 }),
    fc.integer({ min: 0, max: 1000 }),
  )

  it('agrees with the statistics of its columns', () => {
    fc.assert(
      fc.property(fc.array(request, { minLength: 2, maxLength: 30 }), (requests) => {
        const components = measureComponents(core, windowOf(requests))
        const latency = requests.map(([a, b, c]) => a + b + c)
        for (const [column, service] of ['front', 'cart', 'stock'].entries()) {
          const times = requests.map((row) => row[column]!)
          const onPath = times.filter((time) => time > 0)
          if (onPath.length === 0) continue
          const component = find(components, service)
          expect(component.relativeImportance.value).toBeCloseTo(pearson(times, latency), 9)
          expect(component.varianceShare).toBeCloseTo(varianceShare(times, latency), 9)
          if (onPath.length % 2 === 1) {
            const median = percentile(onPath, 50)
            const { value } = component.congestionIntensity!
            const slowest = Math.max(...onPath)
            if (onPath.length < 50) expect(Math.abs(value / (slowest / median) - 1)).toBeLessThan(0.02)
          }
        }
      }),
    )
  })

  it('has variance shares that sum to 1 where latency varies', () => {
    fc.assert(
      fc.property(fc.array(request, { minLength: 2, maxLength: 30 }), (requests) => {
        const sum = measureComponents(core, windowOf(requests)).reduce(
          (all, { varianceShare: share }) => all + share,
          0,
        )
        const isConstant = new Set(requests.map(([a, b, c]) => a + b + c)).size === 1
        expect(sum).toBeCloseTo(isConstant ? 0 : 1, 9)
      }),
    )
  })
})

describe('the interval of congestion', () => {
  it('holds the truth nineteen times in twenty, and more', () => {
    // Times 100 … 1000 evenly: p50 550, p99 991, so 1.80.
    let held = 0
    const windows = 40
    for (let seed = 0; seed < windows; seed++) {
      const requests = Array.from({ length: 700 }, (_, i) => {
        const u = (((i + 1) * 7919 + seed * 104_729 + ((i * i * (seed + 3)) % 9973)) % 10_007) / 10_007
        return [1, Math.round(100 + 900 * u), 1] as const
      })
      const { congestionIntensity } = find(measureComponents(core, windowOf(requests)), 'cart')
      const { low, high } = congestionIntensity!
      if (low <= 991 / 550 && high >= 991 / 550) held++
    }
    expect(held / windows).toBeGreaterThanOrEqual(0.95)
  })
})

describe('against a reference', () => {
  const steady = Array.from({ length: 50 }, () => [10, 100, 100] as const)

  it('says how much slower each got and whose the added time is', () => {
    const slow = Array.from({ length: 50 }, () => [10, 300, 150] as const)
    const components = measureComponents(core, windowOf(slow), windowOf(steady))
    const cart = find(components, 'cart').change!
    expect(cart).toMatchObject({ addedShare: expect.closeTo(0.8, 9), referenceRequests: 50 })
    expect(cart.median).toBeCloseTo(3, 1)
    expect(find(components, 'front').change).toMatchObject({ addedShare: 0, mean: 1 })
  })

  it('compares a pod that was replaced with another of its service', () => {
    const renamed = windowOf(steady, [], 'v2')
    expect(find(measureComponents(core, renamed, windowOf(steady)), 'cart').change).toMatchObject({
      median: 1,
      p99: 1,
      addedShare: 0,
      addedTail: 0,
      referenceRequests: 50,
    })
    const slow = windowOf(
      steady.map(() => [10, 300, 150] as const),
      [],
      'v2',
    )
    const cart = find(measureComponents(core, slow, windowOf(steady)), 'cart').change!
    expect(cart).toMatchObject({ addedShare: expect.closeTo(0.8, 9), addedTail: expect.closeTo(200 / 210, 1) })
  })

  it('knows no change of what the reference has not seen', () => {
    const reference = windowOf(Array.from({ length: 50 }, () => [10, 0, 100] as const))
    expect(find(measureComponents(core, windowOf(steady), reference), 'cart').change).toBeUndefined()
  })
})
