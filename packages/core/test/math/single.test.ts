import { beforeAll, describe, expect, it } from 'vitest'
import { type Core, createCore } from '../../src/index.js'

// f32 exp, tanh and sigmoid: four at a time in the SIMD build, one at a time in the scalar build.
const KINDS = [
  ['exp', 0, Math.exp, -87, 88],
  ['tanh', 1, Math.tanh, -12, 12],
  ['sigmoid', 2, (x: number) => 1 / (1 + Math.exp(-x)), -80, 80],
] as const

let simd: Core
let scalar: Core
beforeAll(async () => {
  simd = await createCore({ build: 'simd' })
  scalar = await createCore({ build: 'scalar' })
})

function map(core: Core, kind: number, x: Float32Array): Float32Array {
  const from = core.allocate(x.byteLength)
  const to = core.allocate(x.byteLength)
  new Float32Array(core.memory.buffer, from, x.length).set(x)
  core.exports.single_map(kind, from, to, x.length)
  const y = new Float32Array(core.memory.buffer, to, x.length).slice()
  core.release(from)
  core.release(to)
  return y
}

const bits = (x: Float32Array): Uint32Array => new Uint32Array(x.buffer, x.byteOffset, x.length)
const grid = (low: number, high: number, n: number): Float32Array =>
  Float32Array.from({ length: n }, (_, i) => low + ((high - low) * i) / (n - 1))

describe.each(KINDS)('%s', (_, kind, truth, low, high) => {
  it('stays within 2.5 units in the last place of the exact value', () => {
    const x = grid(low, high, 200_001)
    const y = map(simd, kind, x)
    let worst = 0
    x.forEach((value, i) => {
      const exact = truth(value)
      const unit = 2 ** (Math.floor(Math.log2(Math.abs(exact) || 1e-38)) - 23)
      worst = Math.max(worst, Math.abs(y[i]! - exact) / unit)
    })
    expect(worst).toBeLessThan(2.5)
  })

  it('gives the same bits four at a time and one at a time', () => {
    const x = Float32Array.of(...grid(low * 1.3, high * 1.3, 20_001), -0, 0, 1e-30, -1e-42, Infinity, -Infinity)
    expect(bits(map(simd, kind, x))).toEqual(bits(map(scalar, kind, x)))
  })

  it('keeps NaN and stays finite at the extremes', () => {
    const y = map(simd, kind, Float32Array.of(NaN, 3.4e38, -3.4e38, 200))
    expect(y[0]).toBeNaN()
    expect([...y.subarray(1)].every(Number.isFinite)).toBe(true)
  })
})

it('tanh returns the smallest numbers as they are', () => {
  const x = Float32Array.of(1e-40, -1e-40, 1e-20, -1e-8)
  expect(map(simd, 1, x)).toEqual(x)
})
