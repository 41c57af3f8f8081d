import { type Core, createCore, type FormatError } from '@trimtab/core'
import { criticalPath, FOLLOWS_FROM, KINDS, type Trace, toSpans, traceFromSpans } from '@trimtab/trace'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  generateCampaign,
  generateGraph,
  latencyMs,
  MicroserviceSimulator,
  type ServiceGraph,
} from '../../src/microservices/index.js'
import { call, graphOf, hotel, live, queueOf, service, workOf } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** What a run tells, as one text; traces included. */
function told(graph: ServiceGraph, seed: number, seconds = 4): string {
  const campaign = generateCampaign(core, graph, { seed, seconds, ratePerSecond: 1 })
  const simulator = new MicroserviceSimulator(core, graph, { campaign, seed })
  const lines: string[] = []
  simulator.run(seconds, (trace) => lines.push(JSON.stringify(toSpans(trace))))
  lines.push(JSON.stringify(simulator.collect()))
  simulator.dispose()
  return lines.join('\n')
}

/** A state as text: comparing long arrays number by number takes its time. */
const hex = (simulator: MicroserviceSimulator): string => Buffer.from(simulator.save()).toString('hex')

/** Traces of the first requests. */
function tracesOf(graph: ServiceGraph, seconds: number): Trace[] {
  const traces: Trace[] = []
  const simulator = new MicroserviceSimulator(core, graph, { seed: 1 })
  simulator.run(seconds, (trace) => traces.push(trace))
  simulator.dispose()
  return traces
}

describe('determinism', () => {
  it('the same seed tells the same story, another seed another', () => {
    expect(told(hotel(core), 3)).toBe(told(hotel(core), 3))
    expect(told(hotel(core), 3)).not.toBe(told(hotel(core), 4))
  })

  it('a saved moment continues to the byte in another simulator', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 60 }), (seed, tenths) => {
        const graph = generateGraph(core, seed % 7, { services: 12, ratePerSecond: 40 })
        const campaign = generateCampaign(core, graph, { seed, seconds: 12, ratePerSecond: 1 })
        const first = new MicroserviceSimulator(core, graph, { campaign, seed })
        const other = new MicroserviceSimulator(core, graph, { campaign, seed: seed + 1 })
        const second = tenths / 10
        first.run(second)
        first.scale(graph.services[0]!.name, 4)
        first.setRate(graph.requests[0]!.name, 40)
        first.run(second + 1)
        other.run(2)
        other.load(first.save())
        expect(hex(other)).toBe(hex(first))
        first.run(second + 3)
        other.run(second + 3)
        expect(hex(other)).toBe(hex(first))
        first.dispose()
        other.dispose()
      }),
      { numRuns: 6 },
    )
  })

  it('refuses the state of another graph or campaign, and what is no state', () => {
    const simulator = new MicroserviceSimulator(core, hotel(core))
    const other = new MicroserviceSimulator(core, queueOf({ ratePerSecond: 1, ms: 1 }))
    const codeOf = (state: Uint8Array): string => {
      try {
        simulator.load(state)
      } catch (error) {
        return (error as FormatError).code
      }
      return 'none'
    }
    const state = simulator.save()
    const states = [other.save(), new Uint8Array(3), new Uint8Array(80), state.slice(0, -8), state.slice(0, 24)]
    expect(states.map(codeOf)).toEqual(Array(5).fill('simulator_state_invalid'))
    simulator.run(1)
    simulator.dispose()
    other.dispose()
  })

  it('runs that differ in their grants see the same requests', () => {
    const graph = hotel(core)
    const arrivals = [0.5, 1].map((cores) => {
      const simulator = new MicroserviceSimulator(core, graph, { seed: 5 })
      for (const [index, instance] of simulator.instances.entries()) {
        const { grant } = graph.services[instance.service]!
        simulator.setGrant(index, { ...grant, cpu: cores * grant.cpu })
      }
      const roots: string[] = []
      simulator.run(5, (trace) => roots.push(`${trace.traceId} ${trace.originUnixNs}`))
      simulator.dispose()
      return roots.sort().slice(0, 200)
    })
    expect(arrivals[0]).toEqual(arrivals[1])
  })
})

describe('every request ends once', () => {
  it('served, timed out, refused or still under way, whatever goes wrong', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), (seed) => {
        const graph = generateGraph(core, seed % 11, { services: 12, ratePerSecond: 100 })
        const tight = {
          ...graph,
          services: graph.services.map((one) => ({ ...one, queueLimit: seed % 5 })),
          requests: graph.requests.map((one) => ({ ...one, timeoutMs: 300 })),
        }
        const campaign = generateCampaign(core, tight, { seed, seconds: 10, ratePerSecond: 2 })
        const simulator = new MicroserviceSimulator(core, tight, { campaign, seed })
        const ids = new Set<string>()
        let traces = 0
        const count = (trace: Trace): void => {
          traces++
          ids.add(trace.traceId)
        }
        simulator.run(10, count)
        const rates = tight.requests.map(({ name }) => name)
        for (const name of rates) simulator.setRate(name, 0)
        simulator.run(200, count)
        const { requests, instances } = simulator.collect()
        for (const { arrivals, served, timedOut, refused, latenciesMs } of requests) {
          expect(served + timedOut + refused).toBe(arrivals)
          expect(latenciesMs.length).toBe(arrivals)
        }
        expect(simulator.inFlight).toBe(0)
        expect(ids.size).toBe(traces)
        expect(traces).toBeGreaterThanOrEqual(requests.reduce((sum, { arrivals }) => sum + arrivals, 0))
        const visits = instances.reduce((sum, one) => sum + one.arrivals, 0)
        expect(instances.reduce((sum, one) => sum + one.refused + one.expired, 0)).toBeLessThan(visits)
        simulator.dispose()
      }),
      { numRuns: 10 },
    )
  })

  it('a full queue refuses, and the caller fails with it without doing the rest of its work', () => {
    const entry = call('a', 1, { stages: [[call('b', 100)], [call('c', 1)]] })
    const graph = graphOf(entry, [service('a'), service('b', { queueLimit: 0 }), service('c')], { ratePerSecond: 200 })
    const { requests, instances } = live(core, graph, [0, 20])
    const [a, b, c] = instances
    expect(requests[0]!.refused).toBe(b!.refused)
    expect(requests[0]!.refused).toBeGreaterThan(3000)
    expect(c!.arrivals).toBe(requests[0]!.served)
    expect(a!.refused).toBe(0)
  })

  it('a client that gives up is not served any more', () => {
    const graph = graphOf(call('a', 10), [service('a')], { ratePerSecond: 200, timeoutMs: 100 })
    const { requests, instances } = live(core, graph, [0, 20])
    const { served, timedOut, latenciesMs } = requests[0]!
    expect(served / 20).toBeLessThan(100)
    expect(timedOut).toBeGreaterThan(1500)
    expect(instances[0]!.expired).toBeGreaterThan(1500)
    expect(latenciesMs.at(-1)!).toBeLessThan(125) // the wait, and one more service to find out
  })
})

describe('traces', () => {
  it('are the spans of the calls, with kinds, instances and who waits for whom', () => {
    const entry = call('a', 4, {
      operation: 'front',
      afterCalls: 0.25,
      stages: [[call('b', 2), call('c', 5)], [call('d', 1, { background: true })]],
    })
    const services = ['a', 'b', 'c', 'd'].map((name) => service(name))
    const [first] = tracesOf(graphOf(entry, services, { ratePerSecond: 1, hopMs: 0.5 }), 20)
    const spans = toSpans(first!).map(({ id, parentId, startUs, ...rest }) => ({
      ...rest,
      startUs: Math.round((startUs - toSpans(first!)[0]!.startUs) * 1000) / 1000,
      isRoot: parentId === undefined || parentId === null,
      hasId: /^[0-9a-f]{16}$/.test(id),
    }))
    expect(
      spans.map(({ service, instance, operation, startUs, durationUs, kind, reference }) => [
        service,
        instance,
        operation,
        startUs,
        durationUs,
        kind,
        reference ?? 'child-of',
      ]),
    ).toEqual([
      ['a', 'a-0', 'front', 0, 10_000, 'server', 'child-of'],
      ['b', 'b-0', 'get', 3500, 2000, 'server', 'child-of'],
      ['c', 'c-0', 'get', 3500, 5000, 'server', 'child-of'],
      ['d', 'd-0', 'get', 9500, 1000, 'consumer', 'follows-from'],
    ])
    expect(spans.every(({ hasId }) => hasId)).toBe(true)
    expect(spans.map(({ isRoot }) => isRoot)).toEqual([true, false, false, false])
  })

  it('are what the builder makes of their spans', () => {
    for (const trace of tracesOf(hotel(core), 2)) {
      const built = traceFromSpans(toSpans(trace))
      expect(toSpans(built)).toEqual(toSpans(trace))
      expect(built.root).toBe(trace.root)
      expect(built.repairs.total).toBe(0)
    }
  })

  it('nest: nothing but background work outlives its caller, and no path needs mending', () => {
    for (let seed = 0; seed < 5; seed++) {
      for (const trace of tracesOf(generateGraph(core, seed), 3)) {
        for (let row = 1; row < trace.size; row++) {
          const parent = trace.parent[row]!
          expect(trace.startNs[row]!).toBeGreaterThanOrEqual(trace.startNs[parent]!)
          if ((trace.flags[row]! & FOLLOWS_FROM) === 0)
            expect(trace.endNs[row]!).toBeLessThanOrEqual(trace.endNs[parent]!)
          else expect(KINDS[trace.kind[row]!]).toBe('consumer')
        }
        const sections = criticalPath(trace)
        const total = sections.reduce((sum, { startUs, endUs }) => sum + endUs - startUs, 0)
        expect(total).toBeCloseTo((trace.endNs[0]! - trace.startNs[0]!) / 1000, 2)
      }
    }
  })

  it('leave out calls that chance left out, and say which spans failed', () => {
    const entry = call('a', 1, { stages: [[call('b', 1, { probability: 0.25, stages: [[call('c', 1)]] })]] })
    const services = ['a', 'b', 'c'].map((name) => service(name))
    const sizes = tracesOf(graphOf(entry, services, { ratePerSecond: 100 }), 40).map(({ size }) => size)
    expect(new Set(sizes)).toEqual(new Set([1, 3]))
    expect(sizes.filter((size) => size === 3).length / sizes.length).toBeCloseTo(0.25, 1)
    const busy = graphOf(call('a', 1, { stages: [[call('b', 50)]] }), [service('a'), service('b', { queueLimit: 0 })], {
      ratePerSecond: 50,
    })
    const failed = tracesOf(busy, 5).filter((trace) => toSpans(trace)[1]!.isError)
    expect(failed.length).toBeGreaterThan(50)
    expect(failed.every((trace) => toSpans(trace)[0]!.isError)).toBe(true)
  })
})

describe('what can be turned while it runs', () => {
  it('a grant: half the cores of a service that only computes double its work, more than a core a worker buys nothing', () => {
    const graph = queueOf({ ratePerSecond: 1, ms: 10, workers: 2 })
    const simulator = new MicroserviceSimulator(core, graph)
    const latencyWith = (cores: number): number => {
      simulator.setGrant(0, { ...graph.services[0]!.grant, cpu: cores })
      simulator.collect()
      simulator.run(simulator.nowSeconds + 50)
      return latencyMs(simulator.collect().requests[0]!, 0)
    }
    expect([2, 1, 4, 0.5].map(latencyWith)).toEqual([10, 20, 10, 40].map((ms) => expect.closeTo(ms, 6)))
    expect(() => simulator.setGrant(0, { ...graph.services[0]!.grant, cpu: 0 })).toThrow(/grant.cpu must be above 0/)
    expect(() => simulator.setGrant(7, graph.services[0]!.grant)).toThrow(/instances 0 … 0/)
    simulator.dispose()
  })

  it('each resource adds its own part of the service time', () => {
    const entry = { service: 'a', work: workOf({ cpu: 1, memoryBandwidth: 2, llc: 3, diskIo: 4, network: 5 }) }
    const graph = graphOf(entry, [service('a')], { ratePerSecond: 1 })
    const { grant } = graph.services[0]!
    const { requests, instances } = live(core, graph, [0, 60])
    expect(latencyMs(requests[0]!, 0)).toBeCloseTo(15, 6)
    const { used, utilisation01, arrivals } = instances[0]!
    expect(Object.keys(grant).map((name) => used[name as keyof typeof used])).toEqual(
      [1, 2, 3, 4, 5].map((work) => expect.closeTo((work * arrivals) / 60_000, 6)),
    )
    expect(utilisation01.network).toBeCloseTo(used.network, 6)
  })

  it('replicas: new ones serve after their start, those to go finish what they have', () => {
    const simulator = new MicroserviceSimulator(core, queueOf({ ratePerSecond: 150, ms: 10, variability: 1 }), {
      seed: 2,
    })
    simulator.run(10)
    expect(simulator.collect().instances[0]!.busy01).toBeGreaterThan(0.99)
    simulator.scale('a', 3)
    simulator.run(12)
    expect(simulator.collect().instances.map(({ state, arrivals }) => [state, arrivals > 0])).toEqual([
      ['serving', true],
      ['starting', false],
      ['starting', false],
    ])
    simulator.run(40)
    simulator.collect()
    simulator.run(100)
    const { instances } = simulator.collect()
    expect(instances.every(({ state, busy01 }) => state === 'serving' && Math.abs(busy01 - 0.5) < 0.05)).toBe(true)
    simulator.scale('a', 1)
    simulator.run(101)
    simulator.collect()
    simulator.run(110)
    const after = simulator.collect()
    expect(after.instances.map(({ state, arrivals }) => [state, arrivals > 0])).toEqual([
      ['serving', true],
      ['leaving', false],
      ['leaving', false],
    ])
    expect(() => simulator.scale('a', 0)).toThrow(/above 0/)
    expect(() => simulator.scale('b', 1)).toThrow(/no service b/)
    simulator.dispose()
  })

  it('the rate of a type of requests, without a pause and without a jump', () => {
    const simulator = new MicroserviceSimulator(core, queueOf({ ratePerSecond: 20, ms: 1 }), { seed: 3 })
    const arrivalsAt = (rate: number): number => {
      simulator.setRate('get', rate)
      simulator.run(simulator.nowSeconds + 200)
      return simulator.collect().requests[0]!.arrivals / 200
    }
    expect(arrivalsAt(100) / 100).toBeCloseTo(1, 1)
    expect(arrivalsAt(0)).toBe(0)
    expect(arrivalsAt(30) / 30).toBeCloseTo(1, 1)
    expect(() => simulator.setRate('post', 1)).toThrow(/no request post/)
    expect(() => simulator.setRate('get', Number.NaN)).toThrow(/rate >= 0/)
    simulator.dispose()
  })
})
