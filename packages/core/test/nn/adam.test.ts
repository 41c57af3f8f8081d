import { beforeAll, describe, expect, it } from 'vitest'
import { Adam, type AdamOptions, type Core, createCore } from '../../src/index.js'
import { relativeGap, wave } from '../builds.js'
import { adamTwin } from '../twins.js'

let core: Core
let scalar: Core
beforeAll(async () => {
  core = await createCore()
  scalar = await createCore({ build: 'scalar' })
})

const base: AdamOptions = { parameters: 11, learningRate: 0.01 }
const variants: readonly (readonly [string, AdamOptions])[] = [
  ['plain', base],
  ['with coupled decay', { ...base, weightDecay: 0.1 }],
  ['with decoupled decay', { ...base, weightDecay: 0.1, decoupled: true }],
  ['with clipped norm', { ...base, maxNorm: 0.5 }],
  ['with other betas', { ...base, beta1: 0.5, beta2: 0.9, epsilon: 1e-5 }],
]

/** θ after 20 steps. */
function run(on: Core, options: AdamOptions, steps = 20, adam = new Adam(on, options)): Float32Array {
  const theta = Float32Array.from(wave(11))
  for (let t = 0; t < steps; t++) adam.step(theta, Float32Array.from(wave(11, t)))
  return theta
}

describe('Adam', () => {
  it.each(variants)('agrees with the slow twin: %s', (_, options) => {
    const theta = [...Float32Array.from(wave(11))]
    const m = theta.map(() => 0)
    const v = theta.map(() => 0)
    const filled = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0, decoupled: false, maxNorm: 0, ...options }
    for (let t = 0; t < 20; t++) adamTwin(filled, theta, [...Float32Array.from(wave(11, t))], m, v, t + 1)
    expect(relativeGap(run(core, options), theta)).toBeLessThan(1e-6)
  })

  it.each(variants)('gives the same bits from the scalar and the SIMD build: %s', (_, options) => {
    expect(run(core, options)).toEqual(run(scalar, options))
  })

  it('continues from a save to the bit', () => {
    const whole = new Adam(core, base)
    const theta = run(core, base, 20, whole)
    const first = new Adam(core, base)
    const resumed = run(core, base, 10, first)
    const second = new Adam(core, base)
    second.load(first.save())
    for (let t = 10; t < 20; t++) second.step(resumed, Float32Array.from(wave(11, t)))
    expect(resumed).toEqual(theta)
    expect(second.save()).toEqual(whole.save())
  })

  it.each([NaN, Infinity, 1e20])('refuses a gradient with %s and changes nothing', (bad) => {
    const adam = new Adam(core, base)
    const theta = Float32Array.from(wave(11))
    const gradient = Float32Array.from(wave(11))
    gradient[4] = bad
    expect(() => adam.step(theta, gradient)).toThrow(expect.objectContaining({ code: 'not_finite' }))
    expect(theta).toEqual(Float32Array.from(wave(11)))
    expect([...adam.firstMoments(), adam.steps]).toEqual(Array(12).fill(0))
  })

  it('names every problem of its options at once', () => {
    expect(() => new Adam(core, { parameters: 0, learningRate: -1, beta1: 1 })).toThrow(
      /parameters must be.*learningRate must be.*beta1 must be/,
    )
  })
})
