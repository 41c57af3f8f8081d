import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createWorkload,
  type GpuClusterOptions,
  idleWatts,
  type ServedModel,
  simulateCluster,
  V100,
  type Workload,
  workMillijoules,
  workMs,
} from '../../src/index.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

const NOTHING = { fixedMs: 0, coreMs: 0, memoryMs: 0 }
/** A model of one operator that keeps the cores busy for `latencyMs`, times its length. */
const model = (name: string, latencyMs: number, more: Partial<ServedModel> = {}): ServedModel => ({
  name,
  isAutoregressive: false,
  hasLength: false,
  fullTokens: 0,
  latencyMs,
  operators: [
    { operator: name, memoryBytes: 1e9, prompt: NOTHING, fullLength: { fixedMs: 0, coreMs: latencyMs, memoryMs: 0 } },
  ],
  ...more,
})
const whole = (device: number, index: number, operators = 1) => {
  return { model: index, stages: [{ device, begin: 0, end: operators, score: 2 }] }
}
const workload = (
  rows: readonly [arrival: number, model: number, share?: number, predicted?: number][],
  durationSeconds = 10,
): Workload => ({
  arrival: Float64Array.from(rows, ([arrival]) => arrival),
  model: Int32Array.from(rows, ([, index]) => index),
  share: Float64Array.from(rows, ([, , share = 1]) => share),
  predictedShare: Float64Array.from(rows, ([, , share = 1, predicted = share]) => predicted),
  durationSeconds,
})
const simulate = (
  load: Workload,
  more: Partial<GpuClusterOptions> & Pick<GpuClusterOptions, 'models' | 'deployment'>,
) => simulateCluster(load, { law: V100, devices: 1, sloScale: 2, order: 'fcfs', warmUpSeconds: 0, ...more })

describe('cluster simulation', () => {
  it('serves one request of a model at a time, and models of one GPU by turns', () => {
    const models = [model('a', 100), model('b', 100)]
    const load = workload([
      [0, 0],
      [0.05, 1],
      [0.06, 0],
    ])
    // a alone to 50 ms, half done; a and b share to 150 ms, b half done then; the second a shares with b to 250 ms, then is alone.
    const { latencyMs } = simulate(load, { models, deployment: [whole(0, 0), whole(0, 1)] })
    expect([...latencyMs].map((ms) => Math.round(ms))).toEqual([150, 200, 240])
  })

  it('passes a request down the pipeline while the next one starts', () => {
    const operators = [0, 1].map((index) => ({
      operator: `op${index}`,
      memoryBytes: 1e9,
      prompt: NOTHING,
      fullLength: { fixedMs: 0, coreMs: 100, memoryMs: 0 },
    }))
    const models = [model('a', 200, { operators })]
    const stages = [
      { device: 0, begin: 0, end: 1, score: 2 },
      { device: 1, begin: 1, end: 2, score: 2 },
    ]
    const load = workload([
      [0, 0],
      [0, 0],
    ])
    const { latencyMs } = simulate(load, { models, devices: 2, deployment: [{ model: 0, stages }] })
    expect([...latencyMs].map((ms) => Math.round(ms))).toEqual([200, 300])
  })

  it('takes the shortest predicted request first, but only of models that generate', () => {
    const rows: [number, number, number, number][] = [
      [0, 0, 1, 1],
      [0.01, 0, 0.9, 0.9],
      [0.02, 0, 0.1, 0.1],
    ]
    const done = (isAutoregressive: boolean, order: 'fcfs' | 'ssjf'): number[] => {
      const models = [model('a', 1000, { isAutoregressive, hasLength: true })]
      return [...simulate(workload(rows), { models, deployment: [whole(0, 0)], order }).latencyMs].map((ms) =>
        Math.round(ms),
      )
    }
    expect(done(true, 'ssjf')).toEqual([1000, 1990, 1080])
    expect(done(true, 'fcfs')).toEqual([1000, 1890, 1980])
    expect(done(false, 'ssjf')).toEqual([1000, 1890, 1980])
  })

  it('waits as the Pollaczek–Khinchine formula says for fixed service times', () => {
    const models = [model('a', 100)]
    const load = createWorkload(core, models, { ratePerSecond: 6, durationSeconds: 20_000, seed: 5 })
    const { meanLatencyMs, deviceUtilisation } = simulate(load, { models, deployment: [whole(0, 0)] })
    const rho = 0.6
    expect(deviceUtilisation[0]).toBeCloseTo(rho, 2)
    expect(meanLatencyMs / (100 + (rho * 100) / (2 * (1 - rho)))).toBeCloseTo(1, 1.5)
  })

  it('draws idle power, and the energy of the work on top', () => {
    const models = [model('a', 100)]
    const load = workload([
      [0, 0],
      [5, 0],
    ])
    const { watts } = simulate(load, { models, deployment: [whole(0, 0)] })
    const joules = (2 * workMillijoules(V100, models[0]!.operators[0]!.fullLength, 1380)) / 1000
    expect(watts).toBeCloseTo(idleWatts(V100, 1380) + joules / 10, 9)
  })

  it('slows idle devices to their minimum, and work under way goes on at the new clock', () => {
    const models = [model('a', 1000)]
    const clocks: number[] = []
    const { latencyMs, deviceClockMhz } = simulate(workload([[0.9, 0]], 40), {
      models,
      deployment: [whole(0, 0)],
      sloScale: 20,
      scaler: { stepMhz: 200 },
      onTick: ({ clockMhz }) => clocks.push(clockMhz),
    })
    expect(clocks.slice(0, 5)).toEqual([1180, 980, 780, 580, 500])
    // 0.1 s at 1380 MHz, 1 s each at 1180, …: 0.1 + 0.855 s of the work are done after 2 s, the rest at 980 MHz.
    const rest = 1000 - 100 - (1000 * 1180) / 1380
    expect(latencyMs[0]).toBeCloseTo(100 + 1000 + rest * (1380 / 980), 6)
    expect(deviceClockMhz[0]).toBeLessThan(650)
  })

  it('gives the same figures for the same seed, and others for another', () => {
    const models = [model('a', 100, { hasLength: true }), model('b', 40)]
    const run = (seed: number) => {
      const load = createWorkload(core, models, { ratePerSecond: 8, durationSeconds: 100, seed, burstiness: 2 })
      return simulate(load, { models, deployment: [whole(0, 0), whole(0, 1)], scaler: {} })
    }
    expect(run(1)).toEqual(run(1))
    expect(run(1).watts).not.toBe(run(2).watts)
  })

  it('sends a request to the copy with the least under way', () => {
    const models = [model('a', 100)]
    const load = workload([
      [0, 0],
      [0.01, 0],
    ])
    const { latencyMs } = simulate(load, { models, devices: 2, deployment: [whole(0, 0), whole(1, 0)] })
    expect([...latencyMs].map((ms) => Math.round(ms))).toEqual([100, 100])
  })

  it('refuses a deployment that leaves operators out or names a device that is not there', () => {
    const models = [model('a', 100)]
    expect(() => simulate(workload([]), { models, deployment: [whole(1, 0)] })).toThrow(
      /must cover its 1 operators on 1 devices/,
    )
    expect(() => simulate(workload([]), { models, deployment: [whole(0, 0, 2)] })).toThrow(/must cover/)
    expect(() => simulate(workload([]), { models, deployment: [], sloScale: 0 })).toThrow(/sloScale must be > 0/)
  })
})

describe('workload', () => {
  it('has the combined rate, the same GPU time for every model, and lengths of the trace', () => {
    const models = [model('a', 100, { hasLength: true }), model('b', 400, { hasLength: true })]
    const load = createWorkload(core, models, { ratePerSecond: 5, durationSeconds: 4000, seed: 3 })
    expect(load.arrival.length / 4000).toBeCloseTo(5, 0)
    const counts = [0, 1].map((index) => load.model.filter((of) => of === index).length)
    expect(counts[0]! / counts[1]!).toBeGreaterThan(3.8)
    expect(counts[0]! / counts[1]!).toBeLessThan(4.2)
    const shares = load.share.toSorted()
    expect(shares[Math.floor(shares.length / 2)]).toBeCloseTo(0.23, 1)
    expect([...load.arrival]).toEqual([...load.arrival.toSorted()])
  })

  it('refuses what makes no sense, all at once', () => {
    expect(() => createWorkload(core, [], { ratePerSecond: 0, durationSeconds: -1, seed: 1 })).toThrow(
      /model .* ratePerSecond .* durationSeconds/,
    )
  })
})

describe('laws of the GPU', () => {
  it('are the roofs at the default clock, and proportional below for work on the cores', () => {
    expect(workMs(V100, { fixedMs: 1, coreMs: 3, memoryMs: 0 }, 1380)).toBeCloseTo(4, 12)
    expect(workMs(V100, { fixedMs: 1, coreMs: 3, memoryMs: 0 }, 690)).toBeCloseTo(7, 12)
    expect(workMs(V100, { fixedMs: 1, coreMs: 0, memoryMs: 3 }, 1380)).toBeCloseTo(4, 12)
    expect(workMs(V100, { fixedMs: 1, coreMs: 0, memoryMs: 3 }, 1240)).toBeLessThan(4.1)
  })
})
