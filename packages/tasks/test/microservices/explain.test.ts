import { type Core, createCore } from '@trimtab/core'
import { createTraceCoreSync, PathFinder, traceFromSpans } from '@trimtab/trace'
import { beforeAll, expect, it } from 'vitest'
import {
  type Anomaly,
  busiestResource,
  Explainer,
  healthyBehaviour,
  Localiser,
  MicroserviceSimulator,
  routeTo,
  type ServiceGraph,
  SimulatedApplication,
  type Window,
} from '../../src/microservices/index.js'
import { hotel } from './worlds.js'

let core: Core
let graph: ServiceGraph
beforeAll(async () => {
  core = await createCore()
  graph = hotel(core)
})

const SEED = 5
const SLOW_MS = 600_000 // on a machine that does other things too
const STRESSED: Anomaly = {
  ...{ kind: 'cpu', target: { service: 'profile', replica: 0 }, startSeconds: 8, durationSeconds: 60, intensity: 0.9 },
}

it(
  'says how late requests came to a culprit, and about how long they take without the anomaly',
  () => {
    const healthy = healthyBehaviour(core, graph)
    const simulated = new SimulatedApplication(core, graph, {
      campaign: { name: 'test', anomalies: [STRESSED] },
      seed: SEED,
    })
    let window: Window
    do window = simulated.next()
    while (window.telemetry.fromSecond < 10)
    const [culprit] = new Localiser(healthy).find(window)
    expect(culprit!.instance).toBe('profile-0')
    const { route, lateMs, predictedMs } = new Explainer(healthy).explain(window, culprit!)
    expect(route[0]).toBe('frontend')
    expect(route.at(-1)).toBe('profile')

    // Truth: the same requests, where nothing was injected.
    const sloMs = healthy.slosMs.get(culprit!.request)!
    const late = new Map(
      window.traces
        .filter(({ names, operation, root }) => names.text(operation[root]!) === culprit!.request)
        .map(({ traceId, startNs, endNs, root }) => [traceId, (endNs[root]! - startNs[root]!) / 1e6] as const)
        .filter(([, ms]) => ms > sloMs),
    )
    const wellMs: number[] = []
    const well = new MicroserviceSimulator(core, graph, { seed: SEED })
    well.run(window.telemetry.toSecond, ({ traceId, startNs, endNs, root }) => {
      if (late.has(traceId)) wellMs.push((endNs[root]! - startNs[root]!) / 1e6)
    })
    const mean = (values: Iterable<number>): number => {
      const all = [...values]
      return all.reduce((sum, value) => sum + value, 0) / all.length
    }
    expect(wellMs.length).toBe(late.size)
    expect(lateMs).toBeCloseTo(mean(late.values()), 3)
    expect(mean(wellMs)).toBeLessThan(sloMs)
    expect(Math.abs(predictedMs - mean(wellMs))).toBeLessThan(0.25 * (lateMs - mean(wellMs)))
    const instance = window.telemetry.instances.find(({ name }) => name === 'profile-0')!
    expect(busiestResource(instance)).toMatchObject({ resource: 'cpu' })
    simulated.dispose()
    well.dispose()
  },
  SLOW_MS,
)

it('names every service once on the way from the front door, whatever calls it makes of itself', () => {
  const span = (id: string, parentId: string | undefined, service: string, startUs: number, durationUs: number) => ({
    ...{ id, traceId: 't', service, operation: id, startUs, durationUs },
    ...(parentId !== undefined && { parentId }),
  })
  const path = new PathFinder(createTraceCoreSync()).find(
    traceFromSpans([
      span('door', undefined, 'front', 0, 100),
      span('ask', 'door', 'front', 10, 80),
      span('answer', 'ask', 'cart', 20, 60),
      span('read', 'answer', 'db', 30, 40),
    ]),
  )
  const { service, names } = path.trace
  const to = (name: string) => routeTo(path, (row) => names.text(service[row]!) === name)
  expect(to('db')).toEqual(['front', 'cart', 'db'])
  expect(to('front')).toEqual(['front'])
  expect(to('nobody')).toBeUndefined()
})
