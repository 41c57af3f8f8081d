import { type Core, createCore, mmcTimes, pollaczekKhinchine } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { live, queueOf } from './worlds.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

// 2,000 s at 50 … 400 visits a second: the mean wait has a standard error of 1 … 2.5 %, so 7 % are about three of them.
const SECONDS: [number, number] = [50, 2050]
const NEAR = 0.07

describe('a replica of the simulator is the queue of the textbook', () => {
  it.each([
    { workers: 1, ratePerSecond: 50, ms: 10 },
    { workers: 1, ratePerSecond: 80, ms: 10 },
    { workers: 3, ratePerSecond: 240, ms: 10 },
    { workers: 8, ratePerSecond: 400, ms: 16 },
  ])('M/M/$workers at $ratePerSecond/s of $ms ms waits as Erlang says', ({ workers, ratePerSecond, ms }) => {
    const graph = queueOf({ workers, ratePerSecond, ms, variability: 1 })
    const { instances, requests } = live(core, graph, SECONDS)
    const expected = mmcTimes(core.math, { arrivalRate: ratePerSecond, serviceRate: 1000 / ms, servers: workers })
    const wait = 1000 * expected.meanWait
    expect(Math.abs(instances[0]!.meanWaitMs / wait - 1)).toBeLessThan(NEAR)
    expect(instances[0]!.busy01).toBeCloseTo(expected.utilisation, 2)
    const sojourns = requests[0]!.latenciesMs
    const p99 = sojourns[Math.floor(0.99 * sojourns.length)]!
    expect(Math.abs(p99 / (1000 * expected.sojournQuantile) - 1)).toBeLessThan(NEAR)
  })

  it.each([0, 0.4, 2])('M/G/1 with a squared variation of %s waits as Pollaczek and Khinchine say', (variability) => {
    const graph = queueOf({ ratePerSecond: 70, ms: 10, variability })
    const { instances } = live(core, graph, SECONDS)
    const expected = pollaczekKhinchine({ arrivalRate: 70, meanService: 0.01, scvService: variability })
    expect(Math.abs(instances[0]!.meanWaitMs / (1000 * expected) - 1)).toBeLessThan(NEAR)
  })

  it('the queue has the length that arrivals times wait give (Little)', () => {
    const graph = queueOf({ workers: 2, ratePerSecond: 150, ms: 10, variability: 1 })
    const { instances } = live(core, graph, [0, 500])
    const { meanWaiting, meanWaitMs, arrivals } = instances[0]!
    // exact but for the visits that wait at the end
    expect(meanWaiting).toBeCloseTo(((arrivals / 500) * meanWaitMs) / 1000, 2)
  })

  it('two replicas share their load evenly and wait as two queues of half the load', () => {
    const { instances } = live(core, queueOf({ replicas: 2, ratePerSecond: 140, ms: 10, variability: 1 }), SECONDS)
    const alone = mmcTimes(core.math, { arrivalRate: 70, serviceRate: 100, servers: 1 })
    for (const { meanWaitMs, arrivals } of instances) {
      expect(Math.abs(meanWaitMs / (1000 * alone.meanWait) - 1)).toBeLessThan(NEAR)
      expect(Math.abs(arrivals / (70 * 2000) - 1)).toBeLessThan(0.01)
    }
  })
})
