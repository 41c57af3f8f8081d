// Machines with capacity, replicas that are taken out one by one, and shares of the visits.
import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Anomaly,
  type InstanceTelemetry,
  MicroserviceSimulator,
  type Node,
  nodesFor,
  provision,
  RESOURCES,
  type ResourceVector,
  type SimulatorOptions,
  vectorOf,
} from '../../src/microservices/index.js'
import { anomalyAt, hotel, live, queueOf } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const all = (amount: number): ResourceVector => vectorOf(RESOURCES.map(() => amount))
const machines = (...capacities: readonly number[]): Node[] =>
  capacities.map((amount, i) => ({ name: `m${i}`, capacity: all(amount) }))

/** `replicas` of one service, each granted 1 of everything. */
const open = (replicas: number, options: SimulatorOptions = {}): MicroserviceSimulator =>
  new MicroserviceSimulator(core, queueOf({ ratePerSecond: 100, ms: 5, replicas }), { seed: 3, ...options })

const between = (simulator: MicroserviceSimulator, from: number, to: number): readonly InstanceTelemetry[] => {
  simulator.run(from)
  simulator.collect()
  simulator.run(to)
  return simulator.collect().instances
}

const refused = (code: string): unknown => expect.objectContaining({ code })

describe('machines', () => {
  it('with room for all change nothing', () => {
    const graph = hotel(core)
    expect(live(core, graph, [0, 20], { nodes: nodesFor(graph, 3, 10) })).toEqual(live(core, graph, [0, 20]))
  })

  it('bound what their instances are granted together, until one shrinks or is gone', () => {
    const simulator = open(2, { nodes: machines(3) })
    expect(simulator.mostGrant(0)).toEqual(all(2))
    expect(() => simulator.setGrant(0, all(2.1))).toThrow(refused('node_full'))
    expect(simulator.mostGrant(1)).toEqual(all(2)) // nothing changed
    simulator.setGrant(0, all(2))
    expect(() => simulator.setGrant(1, all(1.1))).toThrow(refused('node_full'))
    simulator.drain(0)
    simulator.run(10)
    expect(simulator.mostGrant(1)).toEqual(all(3))
    simulator.dispose()
  })

  it('get each new instance where most is left, and refuse one that fits nowhere, whole', () => {
    const simulator = open(1, { nodes: machines(1.5, 2.6) })
    simulator.scale('a', 3) // 2.6 takes the first and the third
    expect([0, 1, 2].map((i) => simulator.mostGrant(i).llc)).toEqual([1.6, 1.5, 1.6].map((x) => expect.closeTo(x, 9)))
    const before = simulator.save()
    expect(() => simulator.scale('a', 4)).toThrow(refused('nodes_full'))
    expect(() => simulator.replace(0)).toThrow(refused('nodes_full'))
    expect(simulator.save()).toEqual(before)
    simulator.dispose()
    expect(() => open(3, { nodes: machines(1, 1) })).toThrow(refused('nodes_full'))
  })

  it('are refused with every problem', () => {
    expect(() => open(1, { nodes: [{ name: 'm', capacity: all(0) }] })).toThrow(
      /nodes\[0\].capacity.cpu must be above 0/,
    )
    expect(() => nodesFor(hotel(core), 0, 0.5)).toThrow(/count must be(.|\n)*headroom must be/)
  })
})

describe('a chosen replica', () => {
  it('that is drained gets no more visits; the last one stays', () => {
    const simulator = open(2)
    simulator.run(5)
    simulator.drain(0)
    const [gone, other] = between(simulator, 6, 10)
    expect([gone!.state, gone!.arrivals, gone!.open]).toEqual(['leaving', 0, 0])
    expect(other!.arrivals).toBeGreaterThan(300)
    expect(() => simulator.drain(0)).toThrow(refused('instance_not_serving'))
    expect(() => simulator.drain(1)).toThrow(refused('instance_needed'))
    expect(() => simulator.drain(2)).toThrow(refused('instance_unknown'))
    simulator.dispose()
  })

  it('that is replaced serves until the new one does, and once asked is enough', () => {
    const simulator = open(1)
    simulator.replace(0, 2)
    simulator.replace(0, 2)
    expect(between(simulator, 0.5, 1.9).map(({ state, arrivals }) => [state, arrivals > 0])).toEqual([
      ['serving', true],
      ['starting', false],
    ])
    expect(between(simulator, 3, 5).map(({ state, arrivals }) => [state, arrivals > 0])).toEqual([
      ['leaving', false],
      ['serving', true],
    ])
    simulator.dispose()
  })

  it('that is scaled in takes its starting replacement along', () => {
    const simulator = open(2)
    simulator.replace(1, 2)
    simulator.scale('a', 1)
    simulator.run(5)
    expect(simulator.instances.map(({ state }) => state)).toEqual(['serving', 'leaving', 'leaving'])
    simulator.dispose()
  })

  it('goes on from a saved moment in the midst of its replacement, to the byte', () => {
    const options = { nodes: machines(4, 4) }
    const [first, second] = [open(2, options), open(2, options)]
    first.run(3)
    first.setWeight(0, 0.25)
    first.replace(0, 2)
    second.load(first.save())
    for (const simulator of [first, second]) simulator.run(10)
    expect(second.save()).toEqual(first.save())
    expect(second.mostGrant(2)).toEqual(first.mostGrant(2))
    first.dispose()
    second.dispose()
  })

  it('gets its weight over all weights of the visits; where all weigh nothing, all are alike', () => {
    const simulator = open(2)
    const share = (from: number): number => {
      const [a, b] = between(simulator, from, from + 40)
      return a!.arrivals / (a!.arrivals + b!.arrivals)
    }
    simulator.setWeight(0, 3)
    expect(share(1)).toBeCloseTo(0.75, 1)
    simulator.setWeight(1, 0)
    expect(share(50)).toBe(1)
    simulator.setWeight(0, 0)
    expect(share(100)).toBeCloseTo(0.5, 1)
    expect(() => simulator.setWeight(0, -1)).toThrow(/a weight >= 0/)
    simulator.dispose()
  })
})

describe('what strikes a replica', () => {
  const struck = (anomaly: Partial<Anomaly>): MicroserviceSimulator => {
    const cpu = anomalyAt('cpu', { target: { service: 'a', replica: 0 }, ...anomaly })
    const simulator = open(1, { campaign: { name: 'one', anomalies: [cpu] } })
    simulator.run(5)
    simulator.replace(0, 8)
    return simulator
  }

  it('stays with it when it is replaced', () => {
    const simulator = struck({ startSeconds: 4, durationSeconds: 30 })
    const [sick, healthy] = between(simulator, 14, 16)
    expect(healthy!.arrivals).toBeGreaterThan(100)
    expect(healthy!.utilisation01.cpu).toBeLessThan(0.8)
    expect(sick!.utilisation01.cpu).toBeGreaterThan(0.45)
    simulator.dispose()
  })

  it('later strikes whoever is in its place', () => {
    const simulator = struck({ startSeconds: 20, durationSeconds: 10, intensity: 1 })
    expect(between(simulator, 14, 19)[1]!.utilisation01.cpu).toBeLessThan(0.8)
    expect(between(simulator, 21, 29)[1]!.utilisation01.cpu).toBe(1)
    simulator.dispose()
  })

  it('as a surge follows its place, and goes to the others where nobody is there', () => {
    const surge = anomalyAt('workload', { target: { service: 'a', replica: 1 }, startSeconds: 10, durationSeconds: 20 })
    const quiet = open(2)
    const replaced = open(2, { campaign: { name: 'one', anomalies: [surge] } })
    replaced.replace(1, 2)
    const [, , successor] = between(replaced, 11, 29)
    const [usual] = between(quiet, 11, 29)
    expect(successor!.arrivals).toBeGreaterThan(2 * usual!.arrivals)
    const drained = open(2, { campaign: { name: 'one', anomalies: [surge] } })
    drained.drain(1)
    expect(between(drained, 11, 29)[0]!.arrivals).toBeGreaterThan(3 * usual!.arrivals)
    for (const simulator of [quiet, replaced, drained]) simulator.dispose()
  })
})

it('an application can be given more load and other headroom', () => {
  const graph = hotel(core)
  const other = provision(graph, { load: 2, grants: { llc: 3 } })
  expect(other.requests.map(({ ratePerSecond }) => ratePerSecond)).toEqual(
    graph.requests.map(({ ratePerSecond }) => 2 * ratePerSecond),
  )
  expect(other.services[0]!.grant).toEqual({ ...graph.services[0]!.grant, llc: 3 * graph.services[0]!.grant.llc })
  expect(() => provision(graph, { load: 0 })).toThrow(/load must be above 0/)
})
