import { ConfigError, type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Call,
  checkGraph,
  createPreset,
  generateGraph,
  MicroserviceSimulator,
  PRESETS,
  parseCalls,
  type ServiceGraph,
} from '../../src/microservices/index.js'
import { call, graphOf, live, service, workOf } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const callsOf = (graph: ServiceGraph): Call[] => {
  const calls = graph.requests.map(({ entry }) => entry)
  for (let i = 0; i < calls.length; i++) calls.push(...(calls[i]!.stages ?? []).flat())
  return calls
}

describe('presets', () => {
  it('have the numbers of services of the four benchmarks (3.3.1), all of them used', () => {
    const graphs = PRESETS.map((name) => createPreset(core, name))
    expect(graphs.map(({ services }) => services.length)).toEqual([36, 38, 15, 41])
    for (const graph of graphs)
      expect(new Set(callsOf(graph).map((one) => one.service)).size).toBe(graph.services.length)
  })

  it.each([...PRESETS])('%s has all workflow patterns and load to spare', (name) => {
    const graph = createPreset(core, name)
    const calls = callsOf(graph)
    expect(calls.some(({ stages }) => (stages?.length ?? 0) > 1)).toBe(true)
    expect(calls.some(({ stages }) => stages?.some((stage) => stage.length > 1))).toBe(true)
    if (name !== 'hotel-reservation') expect(calls.some(({ background }) => background)).toBe(true)
    const { requests, instances } = live(core, graph, [5, 65])
    for (const { busy01 } of instances) expect(busy01).toBeLessThan(0.6)
    for (const { arrivals, served } of requests) expect(served).toBeGreaterThan(0.95 * arrivals)
  })
})

describe('made-up graphs', () => {
  it('have 15 to 41 services, or as many as wished, all of them used', () => {
    const sizes = Array.from({ length: 40 }, (_, seed) => {
      const graph = generateGraph(core, seed)
      checkGraph(graph)
      expect(new Set(callsOf(graph).map((one) => one.service)).size).toBe(graph.services.length)
      return graph.services.length
    })
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(15)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(41)
    expect(new Set(sizes).size).toBeGreaterThan(10)
    expect(generateGraph(core, 1, { services: 27 }).services.length).toBe(27)
    expect(() => generateGraph(core, 1, { services: 3, ratePerSecond: 0 })).toThrow(/services .*ratePerSecond/)
  })

  it('are the same for the same seed, and survive a file', () => {
    expect(generateGraph(core, 4)).toEqual(generateGraph(core, 4))
    expect(generateGraph(core, 4)).not.toEqual(generateGraph(core, 5))
    expect(JSON.parse(JSON.stringify(generateGraph(core, 4)))).toEqual(generateGraph(core, 4))
  })

  it('bring the rate that was asked for', () => {
    const { requests } = live(core, generateGraph(core, 2, { ratePerSecond: 50 }), [0, 100])
    expect(requests.reduce((sum, { arrivals }) => sum + arrivals, 0) / 100 / 50).toBeCloseTo(1, 1)
  })
})

describe('calls in one line', () => {
  it('sequence, parallel, background, chance and nesting', () => {
    const leaf = (name: string, rest: object = {}) => ({
      service: name,
      probability: 1,
      background: false,
      stages: [],
      ...rest,
    })
    expect(parseCalls(' a(b & c-1, d?0.3(e),\n ~f) ')).toEqual(
      leaf('a', {
        stages: [
          [leaf('b'), leaf('c-1')],
          [leaf('d', { probability: 0.3, stages: [[leaf('e')]] })],
          [leaf('f', { background: true })],
        ],
      }),
    )
  })

  it.each(['', 'a(b', 'a)', 'a(b))', 'a, b', '(a)', 'a(,b)(', 'a?2', 'a(B)', 'a()'])('refuses %j', (text) => {
    expect(() => parseCalls(text)).toThrow(ConfigError)
  })

  it('reads a chain of 100,000 calls', () => {
    const text = `${'a('.repeat(100_000)}a${')'.repeat(100_000)}`
    let depth = 0
    for (let at = parseCalls(text); at.stages.length > 0; at = at.stages[0]![0]!) depth++
    expect(depth).toBe(100_000)
  })
})

describe('a graph', () => {
  it('is refused with every problem and its place', () => {
    const bad = graphOf(
      call('a', 1, {
        background: true,
        stages: [[call('nobody', 1), { service: 'a', work: workOf({ llc: -1 }), probability: 2, afterCalls: 7 }]],
      }),
      [service('a', { replicas: 0, workers: 1.5, queueLimit: -1 }), service('a', { variability: Number.NaN })],
      { ratePerSecond: -1, hopMs: -1, timeoutMs: 0 },
    )
    let message = ''
    try {
      new MicroserviceSimulator(core, bad)
    } catch (error) {
      message = (error as Error).message
    }
    for (const part of [
      'hopMs must be >= 0, got -1',
      'services[0].replicas',
      'services[0].workers',
      'services[0].queueLimit',
      'services[1].name must be a name of its own, got a',
      'services[1].variability',
      'requests[0].ratePerSecond',
      'requests[0].timeoutMs',
      'requests[0].entry.background',
      'requests[0].entry.stages[0][0].service must be the name of a service, got nobody',
      'requests[0].entry.stages[0][1].work.llc must be >= 0, got -1',
      'requests[0].entry.stages[0][1].probability must be 0 … 1, got 2',
      'requests[0].entry.stages[0][1].afterCalls must be 0 … 1, got 7',
    ])
      expect(message).toContain(part)
  })
})
