import { pearson, varianceShare } from '@trimtab/core'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { CriticalPath } from '../../src/path/types.js'
import { diffProfiles, Profile } from '../../src/profile/index.js'
import { FOLLOWS_FROM, type Span } from '../../src/types.js'
import { ownerTwin } from '../attribution-twin.js'
import { anyTrace, pathOf, sharedCore, span, uniforms } from '../some-traces.js'

beforeAll(sharedCore)

function profileOf(paths: Iterable<CriticalPath>): Profile {
  const profile = new Profile()
  for (const path of paths) profile.add(path)
  return profile
}

/** `web /` calls `cart get`, then `db query` twice in it, one of them in parallel with `pay do`. */
const request = (id: string, cart: number, pay: number): Span[] => [
  span('r', null, 'web /', 0, 100 + cart + pay, { traceId: id, instance: 'web-1' }),
  span('c', 'r', 'cart get', 50, 50 + cart, { instance: `cart-${cart % 2}` }),
  span('q', 'c', 'db query', 50, 50 + Math.floor(cart / 2)),
  span('p', 'r', 'pay do', 50 + cart, 50 + cart + pay, { isError: pay > 50 }),
  span('q2', 'p', 'db query', 50 + cart, 50 + cart),
  span('l', 'r', 'log write', 60 + cart, 5000, { reference: 'follows-from' }),
]

test('a window of known requests: counts, times, shares and whom to look at', () => {
  const profile = profileOf([
    pathOf(request('t1', 40, 20)),
    pathOf(request('t2', 20, 60)),
    pathOf(request('t0', 40, 40)),
  ])
  expect(profile.traces).toBe(3)
  expect(profile.latency.meanNs).toBe((160_000 + 180_000 + 180_000) / 3)
  const services = Object.fromEntries(profile.services().map((service) => [service.service, service]))
  expect(Object.keys(services)).toEqual(['web', 'pay', 'cart', 'db', 'log'])
  const { cart, db, log, pay, web } = services as Record<string, (typeof services)[string] & object>
  expect([cart!.requests, cart!.onPathRequests, cart!.calls, cart!.errors]).toEqual([3, 3, 3, 0])
  expect([pay!.errors, db!.calls, db!.requests]).toEqual([1, 6, 3])
  expect([log!.backgroundCalls, log!.onPathRequests, log!.requests]).toEqual([3, 0, 3])
  expect(cart!.self.sumNs).toBe(50_000)
  expect(cart!.self.varianceNs2).toBeCloseTo(33_333_333.333, 2)
  expect(db!.meanNs).toBeCloseTo(50_000 / 3, 9)
  expect(web!.share).toBeCloseTo(300 / 520, 12)
  expect(log!.own.meanNs).toBe((4900_000 + 4920_000 + 4900_000) / 3)
  expect(log!.self.meanNs).toBeNaN()
  expect(pay!.slowest).toEqual({ traceId: 't2', selfNs: 60_000 })
  expect(cart!.slowest).toEqual({ traceId: 't0', selfNs: 20_000 }) // t1 as well: the smaller id
  expect(profile.instances().map(({ service, instance, calls }) => [service, instance, calls])).toEqual([
    ['web', 'web-1', 3],
    ['pay', '', 3],
    ['cart', 'cart-0', 3],
    ['db', '', 6],
    ['log', '', 3],
  ])
  expect(profile.edges().map(({ caller, callee, calls }) => `${caller} > ${callee}: ${calls}`)).toEqual([
    'cart > db: 3',
    'pay > db: 3',
    'web > cart: 3',
    'web > pay: 3',
    'web > log: 3',
  ])
  expect(profile.callPaths().map(({ frames, depth }) => [frames.map((f) => f.service).join('/'), depth])).toEqual([
    ['web', 0],
    ['web/pay', 1],
    ['web/cart', 1],
    ['web/cart/db', 2],
    ['web/log', 1],
    ['web/pay/db', 2],
  ])
  const [endpoint] = profile.endpoints()
  expect(endpoint).toMatchObject({ service: 'web', operation: '/', requests: 3, errors: 0 })
  expect(endpoint!.slowest.map(({ traceId }) => traceId)).toEqual(['t0', 't2', 't1'])
  expect(endpoint!.near(0)).toEqual({ traceId: 't1', latencyNs: 160_000 })
  expect(endpoint!.near(0.5)).toEqual({ traceId: 't0', latencyNs: 180_000 })
})

test('moments, importance and shares are those of vectors kept in full, within each endpoint', () => {
  fc.assert(
    fc.property(fc.array(anyTrace, { minLength: 2, maxLength: 12 }), (traces) => {
      const paths = traces.map((spans) => pathOf(spans))
      const profile = profileOf(paths)
      const endpointOf = ({ trace, root }: CriticalPath): string =>
        `${trace.names.text(trace.service[root]!)} ${trace.names.text(trace.operation[root]!)}`
      const endpoints = [...new Set(paths.map(endpointOf))]
      // centred within its endpoint, so that plain formulas over the whole window apply
      const centred = (of: (path: CriticalPath) => number, among: readonly string[]): number[] =>
        among.flatMap((endpoint) => {
          const values = paths.filter((path) => endpointOf(path) === endpoint).map(of)
          const mean = values.reduce((sum, value) => sum + value, 0) / values.length
          return values.map((value) => value - mean)
        })
      const latency = centred(({ latencyNs }) => latencyNs, endpoints)
      for (const cell of profile.services()) {
        const timeOf = ({ trace, selfNs }: CriticalPath): number =>
          selfNs.reduce((sum, ns, row) => sum + (ownerTwin(trace, row) === cell.service ? ns : 0), 0)
        const serves = endpoints.filter((endpoint) =>
          paths.some(
            (path) =>
              endpointOf(path) === endpoint &&
              path.trace.service.some((s) => path.trace.names.text(s) === cell.service),
          ),
        )
        const onPath = paths.map(timeOf).filter((ns) => ns > 0)
        expect(cell.self.sumNs).toBe(onPath.reduce((sum, ns) => sum + ns, 0))
        const scale = Math.max(...latency.map(Math.abs), 1)
        const varies = Math.max(...latency.map(Math.abs)) > 1e-3
        if (varies) expect(cell.varianceShare).toBeCloseTo(varianceShare(centred(timeOf, endpoints), latency), 6)
        const own = centred(timeOf, serves)
        const tied = centred(({ latencyNs }) => latencyNs, serves)
        const isFlat = Math.max(...own.map(Math.abs)) < 1e-6 * scale || Math.max(...tied.map(Math.abs)) < 1e-6 * scale
        if (!isFlat) expect(cell.relativeImportance).toBeCloseTo(pearson(own, tied), 6)
      }
      const total = (cells: readonly { varianceShare: number; share: number; meanNs: number }[]) =>
        cells.reduce(
          (sum, cell) => [sum[0]! + cell.varianceShare, sum[1]! + cell.share, sum[2]! + cell.meanNs],
          [0, 0, 0],
        )
      const edges = profile.edges()
      for (const cells of [[...profile.services(), ...edges], profile.instances(), profile.callPaths()]) {
        const [variance = 0, share = 0, mean = 0] = total(cells)
        expect(variance).toBeCloseTo(latency.some((ns) => Math.abs(ns) > 1e-3) ? 1 : 0, 9)
        expect(share).toBeCloseTo(profile.latency.sumNs > 0 ? 1 : 0, 9)
        expect(Math.abs(mean - profile.latency.meanNs)).toBeLessThanOrEqual(1e-9 * mean)
      }
    }),
    { numRuns: 500 },
  )
})

test('own time is what is left of a span when all children that it waits for are taken away, on the path or not', () => {
  fc.assert(
    fc.property(anyTrace, (spans) => {
      const path = pathOf(spans)
      const { trace, background } = path
      const own = new Map<string, number>()
      for (let row = 0; row < trace.size; row++) {
        const cuts = [trace.startNs[row]!, trace.endNs[row]!]
        const children = Array.from(trace.parent.keys()).filter(
          (child) =>
            trace.parent[child] === row &&
            !(background[child] === 1 && (background[row] === 0 || (trace.flags[child]! & FOLLOWS_FROM) !== 0)),
        )
        for (const child of children) cuts.push(trace.startNs[child]!, trace.endNs[child]!)
        const inside = cuts.filter((ns) => ns >= trace.startNs[row]! && ns <= trace.endNs[row]!).sort((a, b) => a - b)
        let left = 0
        for (let i = 1; i < inside.length; i++) {
          const [from, to] = [inside[i - 1]!, inside[i]!]
          if (!children.some((child) => trace.startNs[child]! <= from && to <= trace.endNs[child]!)) left += to - from
        }
        const owner = ownerTwin(trace, row)
        own.set(owner, (own.get(owner) ?? 0) + left)
      }
      const profile = profileOf([path])
      for (const cell of profile.services()) expect(cell.own.sumNs).toBe(own.get(cell.service) ?? 0)
      for (const { caller, callee, kind, own: way } of profile.edges())
        if (kind === 'call') expect(way.sumNs).toBe(own.get(`${caller} → ${callee} (call)`) ?? 0)
    }),
    { numRuns: 2000 },
  )
})

test('spans below no root stand apart: counted, never on the path, no child of the root', () => {
  const spans = [
    span('r', null, 'web /', 0, 100),
    span('x', 'lost', 'cart get', 0, 40),
    span('y', 'x', 'db query', 10, 20),
  ]
  const profile = profileOf([pathOf(spans)])
  expect(profile.endpoints()).toHaveLength(1)
  expect(
    profile
      .callPaths()
      .map(({ frames, depth, isDetached, calls, meanNs }) => [
        frames.map(({ service }) => service).join('/'),
        depth,
        isDetached,
        calls,
        meanNs,
      ]),
  ).toEqual([
    ['web', 0, false, 1, 100_000],
    ['cart', 0, true, 1, 0],
    ['cart/db', 1, true, 1, 0],
  ])
  expect(profile.edges().map(({ caller, callee }) => `${caller} > ${callee}`)).toEqual(['cart > db'])
  expect(profile.services().find(({ service }) => service === 'cart')!.own.sumNs).toBe(30_000)
})

test('the tail is not the middle: slices show which call path makes slow requests slow', () => {
  const uniform = uniforms(7)
  const paths = Array.from({ length: 2000 }, (_, i) => {
    const isSlow = i % 20 === 0 // 5 % wait for pay
    return pathOf(request(`t${i}`, 100 + Math.floor(20 * uniform()), isSlow ? 900 + Math.floor(99 * uniform()) : 10))
  })
  const profile = profileOf(paths)
  const share = (from: number, to: number, service: string): number =>
    profile
      .slice({ from, to })
      .callPaths.filter(({ callPath }) => callPath.service === service)
      .reduce((sum, cell) => sum + cell.share, 0)
  expect(share(0.4, 0.6, 'pay')).toBeLessThan(0.06)
  expect(share(0.96, 1, 'pay')).toBeGreaterThan(0.75)
  const { requests, meanLatencyNs, callPaths } = profile.slice({ from: 0.95, to: 0.99 })
  expect(requests).toBeCloseTo(80, 9)
  expect(callPaths.reduce((sum, { meanNs }) => sum + meanNs, 0)).toBeCloseTo(meanLatencyNs, 3)
  expect(profile.slice({ from: 0, to: 1 }).meanLatencyNs).toBeCloseTo(profile.latency.meanNs, 3)
  expect(() => profile.slice({ from: 0.9, to: 0.9 })).toThrow(/from < to <= 1, got from 0.9 to 0.9/)
})

test('a difference says which call path grew, by how much, and how sure that is', () => {
  const uniform = uniforms(3)
  const window = (requests: number, pay: number): Profile =>
    profileOf(
      Array.from({ length: requests }, (_, i) =>
        pathOf(request(`t${i}`, 50 + Math.floor(100 * uniform()), pay + Math.floor(20 * uniform()))),
      ),
    )
  const { latency, callPaths, services, edges, endpoints } = diffProfiles(window(300, 20), window(400, 30))
  expect(callPaths[0]!.frames.map(({ service }) => service)).toEqual(['web', 'pay'])
  expect(callPaths[0]!.deltaNs).toBeGreaterThan(8_000)
  expect(callPaths[0]!.deltaNs).toBeLessThan(12_000)
  expect(callPaths[0]!.z).toBeGreaterThan(10)
  // √(σ²/300 + σ²/400) of 20 values a µs apart
  expect(callPaths[0]!.standardErrorNs / (1000 * Math.sqrt((399 / 12) * (1 / 300 + 1 / 400)))).toBeCloseTo(1, 0)
  expect(callPaths[0]!.low).toBeLessThan(10_000)
  expect(callPaths[0]!.high).toBeGreaterThan(10_000)
  const cart = callPaths.find(({ frames }) => frames.at(-1)!.service === 'cart')!
  expect(Math.abs(cart.z)).toBeLessThan(4)
  expect(services[0]!.service).toBe('pay')
  expect(endpoints).toMatchObject([{ service: 'web', beforeRequests: 300, afterRequests: 400 }])
  for (const parts of [
    [...services, ...edges].map(({ deltaNs }) => deltaNs),
    callPaths.map(({ addedNs }) => addedNs),
  ]) {
    expect(parts.reduce((sum, ns) => sum + ns, 0)).toBeCloseTo(latency.deltaNs, 3)
  }
})

test('more traffic on a slow endpoint is no growth', () => {
  const slow = (i: number): Span[] => [span('r', null, 'web /slow', 0, 900 + (i % 3))]
  const fast = (i: number): Span[] => [span('r', null, 'web /fast', 0, 100 + (i % 3))]
  const window = (many: (i: number) => Span[], few: (i: number) => Span[]): Profile =>
    profileOf(Array.from({ length: 99 }, (_, i) => pathOf(i < 90 ? many(i) : few(i))))
  const [before, after] = [window(fast, slow), window(slow, fast)]
  after.add(pathOf([span('r', null, 'web /new', 0, 5000)]))
  const { latency, newEndpoints, goneEndpoints } = diffProfiles(before, after)
  expect(Math.abs(latency.deltaNs)).toBeLessThan(1)
  expect(newEndpoints).toEqual([{ service: 'web', operation: '/new' }])
  expect(goneEndpoints).toEqual([])
})

test('paths of different modes are not added up', () => {
  const spans = [span('r', null, 'web /', 0, 10)]
  const profile = profileOf([pathOf(spans)])
  expect(() => profile.add(pathOf(spans, { mode: 'firm' }))).toThrow(expect.objectContaining({ code: 'mode_mismatch' }))
  expect(() => profile.merge(profileOf([pathOf(spans, { mode: 'firm' })]))).toThrow(/keep a profile for each mode/)
  expect([profile.traces, profile.mode]).toEqual([1, 'blocking'])
  profile.merge(new Profile())
  expect(profile.traces).toBe(1)
})

test('an empty profile says so and breaks nothing', () => {
  const profile = Profile.load(new Profile().save())
  expect([profile.traces, profile.callPaths(), profile.services(), profile.endpoints()]).toEqual([0, [], [], []])
  expect(profile.latency.meanNs).toBeNaN()
  expect(profile.slice({ from: 0, to: 1 }).callPaths).toEqual([])
  expect(diffProfiles(profile, profile).callPaths).toEqual([])
})

test('room is taken by different call paths, not by traces', () => {
  const uniform = uniforms(1)
  const paths = Array.from(
    { length: 300 },
    (_, i) => pathOf(request(`t${1000 + i}`, Math.floor(1000 * uniform()), Math.floor(1000 * uniform()))), // ids of one length
  )
  const once = profileOf(paths)
  const often = profileOf(Array.from({ length: 20 }, () => paths).flat())
  expect(often.traces).toBe(6000)
  expect(often.save().length).toBe(once.save().length)
})

test('a chain of 100,000 different calls is no trouble', () => {
  const chain = Array.from({ length: 100_000 }, (_, i) =>
    span(String(i), i === 0 ? null : String(i - 1), `a x${i % 3}`, i, 200_000 - i),
  )
  const profile = profileOf([pathOf(chain)])
  const deepest = profile.callPaths().reduce((a, b) => (b.depth > a.depth ? b : a))
  expect(deepest.frames).toHaveLength(100_000)
  expect(Profile.load(profile.save()).callPaths()).toHaveLength(100_000)
})
