import { type Core, createCore, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  AllocationTable,
  type ArimaOrder,
  AUTOSCALING,
  AUTOSCALING_ADAPTATION,
  arimaMinimum,
  fitArima,
  TransferFeatures,
} from '../../src/autoscaling/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** An ARMA series of unit noise. */
function simulate(ar: readonly number[], ma: readonly number[], n: number, seed: number): Float64Array {
  const random = new Random(core, seed)
  const w = new Float64Array(n + 200)
  const e = w.map(() => random.normal())
  for (let t = 0; t < w.length; t++) {
    w[t] = e[t]!
    for (const [i, c] of ar.entries()) if (t > i) w[t]! += c * w[t - 1 - i]!
    for (const [j, c] of ma.entries()) if (t > j) w[t]! += c * e[t - 1 - j]!
  }
  random.dispose()
  return w.slice(200)
}

const sums = (values: Float64Array): Float64Array => {
  let sum = 0
  return values.map((value) => {
    sum += value
    return sum
  })
}

describe('an ARIMA fit', () => {
  // Coefficients come back to within four of their asymptotic deviations, about 0.02 at this length.
  it.each<[string, number[], number[], ArimaOrder]>([
    ['AR(1)', [0.7], [], { p: 1, d: 0, q: 0 }],
    ['AR(2)', [0.5, -0.3], [], { p: 2, d: 0, q: 0 }],
    ['MA(1)', [], [0.5], { p: 0, d: 0, q: 1 }],
    ['ARMA(1, 1)', [0.6], [0.4], { p: 1, d: 0, q: 1 }],
    ['ARIMA(2, 1, 1)', [0.5, -0.3], [0.4], { p: 2, d: 1, q: 1 }],
  ])('finds the coefficients of %s', (_name, ar, ma, order) => {
    for (const seed of [1, 2, 3]) {
      const w = simulate(ar, ma, 5000, seed)
      const fit = fitArima(order.d === 1 ? sums(w) : w, order)
      const errors = [...ar.map((c, i) => c - fit.ar[i]!), ...ma.map((c, j) => c - fit.ma[j]!)]
      // The long autoregression is short here, so a moving average comes out a little too small.
      for (const error of errors) expect(Math.abs(error)).toBeLessThan(ma.length > 0 ? 0.12 : 0.06)
    }
  })

  it('forecasts what follows a law exactly', () => {
    const line = Float64Array.from({ length: 30 }, (_, t) => 5 + 3 * t)
    expect(fitArima(line, { p: 1, d: 1, q: 0 }).forecast).toBeCloseTo(5 + 3 * 30, 9)
    expect(fitArima(line, { p: 2, d: 1, q: 1 }).forecast).toBeCloseTo(5 + 3 * 30, 9)
    const parabola = Float64Array.from({ length: 30 }, (_, t) => t * t)
    expect(fitArima(parabola, { p: 0, d: 2, q: 0 }).forecast).toBeCloseTo(900, 9)
    // 13 whole periods: the mean that is taken off is zero, and a sine is w(t) = 2 cos ω · w(t − 1) − w(t − 2).
    const wave = Float64Array.from({ length: 104 }, (_, t) => core.math.sin((2 * Math.PI * t) / 8))
    const fit = fitArima(wave, { p: 2, d: 0, q: 0 })
    expect(fit.ar[0]).toBeCloseTo(2 * core.math.cos((2 * Math.PI) / 8), 9)
    expect(fit.ar[1]).toBeCloseTo(-1, 9)
    expect(fit.forecast).toBeCloseTo(0, 9)
    expect(fitArima(new Float64Array(40).fill(7), { p: 2, d: 1, q: 1 }).forecast).toBe(7)
  })

  it('forecasts with less error than the last value does, near the noise that no forecast escapes', () => {
    const w = simulate([0.5, -0.3], [0.4], 1000, 9)
    const y = sums(w)
    let [ours, last] = [0, 0]
    for (let t = 300; t < 1000; t++) {
      ours += (fitArima(y.subarray(t - 200, t), { p: 2, d: 1, q: 1 }).forecast - y[t]!) ** 2 / 700
      last += (y[t - 1]! - y[t]!) ** 2 / 700
    }
    expect(ours).toBeLessThan(1.15) // the noise has variance one
    expect(last).toBeGreaterThan(1.4)
  })

  it.each<[string, number[], ArimaOrder]>([
    ['too short a series', [1, 2, 3], { p: 2, d: 1, q: 1 }],
    ['a NaN', [...new Float64Array(30), Number.NaN], { p: 1, d: 0, q: 0 }],
    ['an order that is none', [...new Float64Array(60)], { p: 1.5, d: 0, q: 0 }],
    ['an order beyond reason', [...new Float64Array(60)], { p: 9, d: 0, q: 0 }],
  ])('refuses %s', (_name, series, order) => {
    expect(() => fitArima(series, order)).toThrow(expect.objectContaining({ code: 'arima_invalid' }))
  })

  it('is finite for any series of the least length', () => {
    const order = { p: 2, d: 1, q: 1 }
    const random = new Random(core, 3)
    for (let i = 0; i < 300; i++) {
      const series = Float64Array.from({ length: arimaMinimum(order) }, () => random.poisson(i % 7))
      expect(Number.isFinite(fitArima(series, order).forecast)).toBe(true)
    }
    random.dispose()
  })
})

describe('the table of allocations', () => {
  it('answers with the means where an allocation was tried, and with the nearest elsewhere', () => {
    const table = new AllocationTable()
    expect(table.nearest([0, 0, 0])).toBeUndefined()
    table.record([0, 0, 0], 0.5, 1)
    table.record([0.01, 0, 0], 1, 2) // the same cell
    table.record([1, 1, 1], 0, 0)
    expect(table.nearest([0, 0, 0])).toEqual({ preservation: 0.75, reward: 1.5 })
    expect(table.nearest([0.3, 0.1, -0.2])).toEqual({ preservation: 0.75, reward: 1.5 })
    expect(table.nearest([0.8, 1, 0.9])).toEqual({ preservation: 0, reward: 0 })
    expect(table.nearest([7, 7, 7])).toEqual({ preservation: 0, reward: 0 })
  })
})

describe('the features of TL+', () => {
  const create = (): TransferFeatures =>
    new TransferFeatures(AUTOSCALING_ADAPTATION.environment(core, AUTOSCALING_ADAPTATION.pool(core, 4, 1)[0]!))
  const action = (i: number): Float32Array => Float32Array.of(((i * 7) % 5) / 2 - 1, 0.5, ((i * 3) % 7) / 3 - 1)

  it('stand behind the state: no change and full marks before anything is known', () => {
    const world = create()
    const observation = world.reset(1)
    expect([...observation.subarray(-3)]).toEqual([0, 1, 1])
    expect(observation.subarray(0, -3)).toEqual(world.world.reset(1))
    world.dispose()
  })

  it('remember what an allocation earned, through episodes, until told to forget', () => {
    const world = create()
    const fixed = Float32Array.of(0.5, 0.5, 0)
    world.reset(1)
    const { reward } = world.step(fixed)
    expect(world.step(fixed).observation.at(-1)).toBeCloseTo(reward, 6)
    world.reset(2)
    expect(world.step(fixed).observation.at(-1)).not.toBe(1)
    world.forget()
    world.reset(2)
    expect(world.step(fixed).observation.at(-1)).toBe(1)
    world.dispose()
  })

  it('forecast the load better than no forecast, over forty applications', () => {
    let [with_, without] = [0, 0]
    for (const pair of AUTOSCALING_ADAPTATION.pool(core, 0, 40)) {
      const world = new TransferFeatures(AUTOSCALING_ADAPTATION.environment(core, pair))
      let forecast = world.reset(1).at(-3)!
      for (let i = 0; i < 100; i++) {
        const { observation } = world.step(Float32Array.of(1, 0.8, 0.8))
        const change = observation[7]!
        if (i >= 40) {
          with_ += Math.abs(change - forecast)
          without += Math.abs(change)
        }
        forecast = observation.at(-3)!
      }
      world.dispose()
    }
    expect(with_).toBeLessThan(without)
  })

  it('continue from a saved moment elsewhere, to the byte', () => {
    const [first, second] = [create(), create()]
    first.reset(1)
    for (let i = 0; i < 70; i++) first.step(action(i))
    second.reset(5)
    second.load(Buffer.from(first.save()))
    expect(second.save()).toEqual(first.save())
    for (let i = 0; i < 20; i++) expect(second.step(action(i))).toEqual(first.step(action(i)))
    const state = first.save()
    for (const length of [0, 8, 24, 100, state.length - 1]) {
      expect(() => first.load(state.slice(0, length))).toThrow(
        expect.objectContaining({ code: 'simulator_state_invalid' }),
      )
    }
    expect(first.save()).toEqual(state)
    first.dispose()
    second.dispose()
  })

  it('refuse a world with another view', () => {
    const world = AUTOSCALING.environment(core, AUTOSCALING.pool(core, 0, 1)[0]!)
    expect(() => new TransferFeatures(world)).toThrow(/logarithmic/)
    world.dispose()
  })
})
