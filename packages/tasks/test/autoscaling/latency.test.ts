import { allenCunneen, type Core, createCore, mmcTimes, pollaczekKhinchine } from '@trimtab/core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Application, LatencyModel, normalQuantile } from '../../src/autoscaling/index.js'
import { appOf } from './worlds.js'

let core: Core
let model: LatencyModel
beforeAll(async () => {
  core = await createCore()
  model = new LatencyModel(core.math)
})

const Z99 = 2.3263478740408408
const LONG = 1e9 // a window so long that it caps nothing

/** Pure CPU work of mean 0.1 s. */
const cpuApp = (variability: number): Application => ({
  ...appOf(['float-operations']),
  workSeconds: 0.1,
  waitSeconds: 0,
  variability,
})

/** The wait that 99 % of requests stay below: what waiting adds to the p99 of service. */
const waitP99 = (application: Application): number =>
  model.quantile(0.99, Z99) - application.workSeconds * (1 + Z99 * Math.sqrt(application.variability))

describe('latency model', () => {
  const queues = [1, 2, 3, 4].flatMap((servers) => [0.3, 0.7, 0.95].map((use) => [servers, use] as const))

  it.each(queues)('is M/M/c for %i whole cores and exponential work at utilisation %f', (servers, use) => {
    const app = cpuApp(1)
    const arrivalRate = servers * use * 10
    model.prepare(app, arrivalRate, servers, LONG)
    const exact = mmcTimes(core.math, { arrivalRate, serviceRate: 10, servers })
    expect(model.utilisation).toBeCloseTo(use, 12)
    expect(model.meanWaitSeconds).toBeCloseTo(exact.meanWait, 12)
    expect(waitP99(app)).toBeCloseTo(exact.waitQuantile, 10)
  })

  it.each(queues)('waits as Allen and Cunneen say for %i cores and steady work at utilisation %f', (servers, use) => {
    const arrivalRate = servers * use * 10
    model.prepare(cpuApp(0.3), arrivalRate, servers, LONG)
    const queue = { arrivalRate, serviceRate: 10, servers, scvArrival: 1, scvService: 0.3 }
    expect(model.meanWaitSeconds).toBeCloseTo(allenCunneen(queue), 12)
  })

  it('waits as Pollaczek and Khinchine say for one core', () => {
    model.prepare(cpuApp(0.3), 8, 1, LONG)
    const exact = pollaczekKhinchine({ arrivalRate: 8, meanService: 0.1, scvService: 0.3 })
    expect(model.meanWaitSeconds).toBeCloseTo(exact, 12)
  })

  it('throttles by hand: half a core runs 50 ms of every 100', () => {
    const app = cpuApp(0)
    model.prepare(app, 0, 0.5, 15)
    // 100 ms of work: 50 ms at once, 50 ms pause, 50 ms more.
    expect(model.serviceSeconds).toBeCloseTo(0.15, 12)
    model.prepare({ ...app, workSeconds: 0.05 }, 0, 0.5, 15)
    expect(model.serviceSeconds).toBeCloseTo(0.05, 12)
  })

  it('waits no longer than a window can build up', () => {
    const app = cpuApp(1)
    model.prepare(app, 20, 1, 15) // twice what one core can do
    expect(model.quantile(0.99, Z99)).toBeGreaterThan(15) // (2 − 1) × 15 s of work are left over
    expect(model.quantile(0.99, Z99)).toBeLessThan(25)
    model.prepare(app, 9.999, 1, 15) // stationary: 1000 s on average
    expect(model.meanWaitSeconds).toBeLessThan(10)
  })

  it('is never slower with more cores, nor with less traffic', () => {
    const number = (min: number, max: number) => fc.double({ min, max, noNaN: true })
    fc.assert(
      fc.property(
        number(0.001, 0.5),
        number(0, 0.3),
        number(0, 2),
        number(0, 60),
        number(0.125, 4),
        number(1, 3),
        (workSeconds, waitSeconds, variability, rate, cores, factor) => {
          const app = { ...cpuApp(variability), workSeconds, waitSeconds }
          const at = (ratePerSecond: number, limit: number): number[] => {
            model.prepare(app, ratePerSecond, limit, 15)
            return [model.quantile(0.99, Z99), model.quantile(0.5, 0), model.serviceSeconds, model.meanWaitSeconds]
          }
          const before = at(rate, cores)
          for (const better of [at(rate, cores * factor), at(rate / factor, cores)]) {
            for (const [i, value] of better.entries())
              expect(value).toBeLessThanOrEqual(before[i]! * (1 + 1e-9) + 1e-12)
          }
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('normalQuantile', () => {
  // Tables of the standard normal to 15 digits.
  it.each([
    [0.5, 0],
    [0.75, 0.674489750196082],
    [0.9, 1.2815515655446],
    [0.95, 1.64485362695147],
    [0.975, 1.95996398454005],
    [0.99, 2.32634787404084],
    [0.999, 3.09023230616781],
    [1 - 1e-6, 4.7534243088229],
    [0.01, -2.32634787404084],
    [1e-9, -5.99780701500769],
  ])('of %f is %f', (p, expected) => {
    expect(Math.abs(normalQuantile(core.math, p) - expected)).toBeLessThanOrEqual(
      1.2e-8 * Math.max(1, Math.abs(expected)),
    )
  })

  it('rises with p, across the seams of its three pieces too', () => {
    let last = Number.NEGATIVE_INFINITY
    for (let i = 1; i < 20_000; i++) {
      const quantile = normalQuantile(core.math, i / 20_000)
      expect(quantile).toBeGreaterThan(last)
      last = quantile
    }
  })
})
