import { allenCunneen, type Core, createCore, mmcTimes, pollaczekKhinchine, Random } from '@trimtab/core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Application,
  BURSTING,
  BurstingLatency,
  CLUSTER_LAWS,
  createLatencyModel,
  normalQuantile,
  ThrottledLatency,
} from '../../src/autoscaling/index.js'
import { appOf } from './worlds.js'

let core: Core
let model: ThrottledLatency
beforeAll(async () => {
  core = await createCore()
  model = new ThrottledLatency(core.math)
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

describe('the throttled law', () => {
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
})

/** 99 of 100 requests take at most this long in one thread that may use `cores` of each 100 ms: simulated request by request. */
function simulatedP99({ workSeconds, variability }: Application, rate: number, cores: number): number {
  const PERIOD = 0.1
  const random = new Random(core, 1, 0)
  const quota = cores * PERIOD
  const latencies: number[] = []
  let [arrival, free, period, left] = [0, 0, 0, quota]
  const shape = 1 - Math.sqrt(variability) // half always and half exponential: as live requests are drawn
  for (let i = 0; i < 40_000; i++) {
    arrival += random.exponential(1 / rate)
    let work = workSeconds * (shape + random.exponential(1 - shape))
    let now = Math.max(arrival, free)
    while (work > 0) {
      if (now >= (period + 1) * PERIOD - 1e-12) {
        period = Math.max(period + 1, Math.floor(now / PERIOD + 1e-9))
        left = quota
      }
      const run = Math.min(work, left, (period + 1) * PERIOD - now)
      work -= run
      left -= run
      now = left <= 1e-12 && work > 0 ? (period + 1) * PERIOD : now + run
    }
    free = now
    latencies.push(now - arrival)
  }
  random.dispose()
  return latencies.sort((a, b) => a - b)[Math.ceil(0.99 * latencies.length) - 1]!
}

describe('the bursting law', () => {
  const NO_OVERHEAD = { ...BURSTING, overheadSeconds: 0 }
  const grid = [0.125, 0.25, 0.5, 0.9].flatMap((cores) => [0.35, 0.55, 0.7, 0.85].map((use) => [cores, use] as const))

  it.each(grid)('is near what CFS does to a thread at a limit of %f cores and utilisation %f', (cores, use) => {
    const app = { ...cpuApp(0.25), workSeconds: 0.002 }
    const rate = (use * cores) / app.workSeconds
    const law = new BurstingLatency(core.math, NO_OVERHEAD)
    law.prepare(app, rate, cores, LONG)
    const ratio = law.quantile(0.99, Z99) / simulatedP99(app, rate, cores)
    expect(ratio).toBeGreaterThan(0.7)
    expect(ratio).toBeLessThan(1.6) // the last where a limit hardly ever stops anybody, and then for long
  })

  it('is a pod without a limit where the limit is whole cores', () => {
    const app = cpuApp(0.3)
    const law = new BurstingLatency(core.math, NO_OVERHEAD)
    law.prepare(app, 16, 2, LONG)
    model.prepare(app, 16, 2, LONG)
    expect(law.meanWaitSeconds).toBeCloseTo(model.meanWaitSeconds, 12)
  })

  it('takes what lies between processes at no load as well, and I/O as it varies', () => {
    const app = { ...cpuApp(0), waitSeconds: 0.02 }
    const law = new BurstingLatency(core.math, { ...BURSTING, overheadSeconds: 0.003 })
    law.prepare(app, 0, 1, 15)
    expect(law.quantile(0.99, Z99)).toBeCloseTo(0.003 + app.workSeconds + 0.02 * Math.log(100), 12)
    expect(law.serviceSeconds).toBeCloseTo(0.003 + app.workSeconds + 0.02, 12)
  })
})

it.each(CLUSTER_LAWS)('the %s law is never slower with more cores, nor with less traffic', (law) => {
  const judged = createLatencyModel(core.math, law)
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
          judged.prepare(app, ratePerSecond, limit, 15)
          return [judged.quantile(0.99, Z99), judged.quantile(0.5, 0), judged.serviceSeconds, judged.meanWaitSeconds]
        }
        const before = at(rate, cores)
        for (const better of [at(rate, cores * factor), at(rate / factor, cores)]) {
          for (const [i, value] of better.entries()) expect(value).toBeLessThanOrEqual(before[i]! * (1 + 1e-9) + 1e-12)
        }
      },
    ),
    { numRuns: 2000 },
  )
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
