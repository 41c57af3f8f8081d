import { type Core, createCore, TensorReader } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { ExplorationNoise, type NoiseOptions, ornsteinUhlenbeckStep, scheduleValue } from '../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const CONSTANT = { kind: 'episodes', from: 1, to: 1, episodes: 1 } as const
const GAUSSIAN: NoiseOptions = { process: { kind: 'gaussian', deviation: 0.2 }, schedule: CONSTANT }
const CORRELATED: NoiseOptions = {
  process: { kind: 'ornstein-uhlenbeck', mu: 0, theta: 0.15, sigma: 0.2, dt: 1 },
  schedule: CONSTANT,
}

const series = (noise: ExplorationNoise, n: number): number[] => {
  const out = new Float32Array(1)
  return Array.from({ length: n }, () => {
    noise.sample(out)
    return out[0]!
  })
}
const mean = (x: readonly number[]): number => x.reduce((a, b) => a + b, 0) / x.length
/** Mean of x[t]·x[t + lag], for a process of mean 0. */
const autocovariance = (x: readonly number[], lag: number): number => mean(x.slice(lag).map((v, t) => v * x[t]!))

describe('noise processes', () => {
  const n = 40_000
  it('gaussian: mean 0, deviation 0.2, no memory', () => {
    const x = series(new ExplorationNoise(core, 1, GAUSSIAN, 5), n)
    expect(Math.abs(mean(x))).toBeLessThan((5 * 0.2) / Math.sqrt(n)) // five standard errors, here and below
    expect(Math.abs(Math.sqrt(autocovariance(x, 0)) / 0.2 - 1)).toBeLessThan(5 / Math.sqrt(2 * n))
    expect(Math.abs(autocovariance(x, 1)) / 0.04).toBeLessThan(5 / Math.sqrt(n))
  })

  it('Ornstein–Uhlenbeck: variance σ²dt/(1 − (1 − θdt)²) and correlation 1 − θdt between neighbours', () => {
    const x = series(new ExplorationNoise(core, 1, CORRELATED, 5), n)
    const keep = 1 - 0.15
    const variance = 0.2 ** 2 / (1 - keep ** 2)
    expect(Math.abs(autocovariance(x, 0) / variance - 1)).toBeLessThan(0.1) // about 3,000 independent samples
    expect(Math.abs(autocovariance(x, 1) / autocovariance(x, 0) - keep)).toBeLessThan(0.02)
  })

  it('an Ornstein–Uhlenbeck step by hand', () => {
    expect(ornsteinUhlenbeckStep(0.5, -1, { mu: 0.1, theta: 0.15, sigma: 0.2, dt: 0.01 })).toBeCloseTo(
      0.5 - 0.15 * 0.4 * 0.01 - 0.02,
      15,
    )
  })

  it('a correlated process starts anew with each episode', () => {
    const noise = new ExplorationNoise(
      core,
      1,
      { ...CORRELATED, process: { kind: 'ornstein-uhlenbeck', mu: 0.7, theta: 0.15, sigma: 0, dt: 1 } },
      1,
    )
    series(noise, 10)
    noise.endEpisode()
    expect(series(noise, 1)[0]).toBe(Math.fround(0.7))
  })
})

describe('noise schedules', () => {
  it.each([
    [0, 0.3],
    [50, 0.175],
    [100, 0.05],
    [1000, 0.05],
  ])('falls in a straight line: after %d episodes %d', (episodes, expected) => {
    const schedule = { kind: 'episodes', from: 0.3, to: 0.05, episodes: 100 } as const
    expect(scheduleValue(schedule, episodes, 1e9)).toBeCloseTo(expected, 12)
  })

  it.each([
    [0, 1],
    [1, 0.999999],
    [500_000, 0.5],
    [950_000, 0.05],
    [3_000_000, 0.05],
  ])('ε falls by 1e-6 an update down to its floor: after %d updates %d', (updates, expected) => {
    const schedule = { kind: 'updates', from: 1, decrement: 1e-6, floor: 0.05 } as const
    expect(scheduleValue(schedule, 1e9, updates)).toBeCloseTo(expected, 12)
  })

  it('schedule and scale multiply the same draws', () => {
    const schedule = { kind: 'episodes', from: 1, to: 0.5, episodes: 1 } as const
    const loud = new ExplorationNoise(core, 1, GAUSSIAN, 9)
    const quiet = new ExplorationNoise(core, 1, { ...GAUSSIAN, schedule }, 9)
    quiet.endEpisode()
    quiet.scale = 0.5
    expect(quiet.factor).toBe(0.25)
    const expected = series(loud, 20)
    for (const [i, x] of series(quiet, 20).entries()) expect(x).toBeCloseTo(expected[i]! / 4, 7)
  })
})

describe('saved noise', () => {
  it.each([
    ['gaussian', GAUSSIAN],
    ['Ornstein–Uhlenbeck', CORRELATED],
  ])('%s continues to the bit in a fresh object', (_, options) => {
    const first = new ExplorationNoise(core, 1, options, 3)
    series(first, 7)
    first.endEpisode()
    first.countUpdates(12)
    first.scale = 0.5
    series(first, 4)
    const state = new TensorReader(first.save())
    const second = new ExplorationNoise(core, 1, options, 99)
    second.load(state)()
    expect(series(second, 9)).toEqual(series(first, 9))
    expect(second.save()).toEqual(first.save())
  })

  it('refuses the state of another number of actions and changes nothing', () => {
    const noise = new ExplorationNoise(core, 1, CORRELATED, 3)
    const before = noise.save()
    const other = new TensorReader(new ExplorationNoise(core, 2, CORRELATED, 3).save())
    expect(() => noise.load(other)).toThrow(expect.objectContaining({ code: 'tensor_mismatch' }))
    expect(noise.save()).toEqual(before)
  })
})
