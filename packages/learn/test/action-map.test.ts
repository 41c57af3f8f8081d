import { createCore } from '@trimtab/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linearMap, linearUnmap, logMap, logUnmap, ternarySteps } from '../src/index.js'

const core = await createCore()
const finite = { noNaN: true, noDefaultInfinity: true } as const
const action = fc.double({ min: -1, max: 1, ...finite })
const range = fc.tuple(fc.double({ min: 1e-3, max: 1e3, ...finite }), fc.double({ min: 1.01, max: 1e3, ...finite }))

describe('action maps', () => {
  it.each([
    [-7, 128],
    [-1, 128],
    [-0.5, 608],
    [0, 1088],
    [0.25, 1328],
    [1, 2048],
    [7, 2048],
  ])('linear: %d of [128, 2048] is %d', (u, expected) => {
    expect(linearMap(u, 128, 2048)).toBe(expected)
  })

  it.each([
    [-7, 0.25],
    [-1, 0.25],
    [-0.5, 0.5],
    [0, 1],
    [0.5, 2],
    [1, 4],
    [7, 4],
  ])('log: %d of [0.25, 4] is %d', (u, expected) => {
    expect(logMap(core.math, u, 0.25, 4)).toBeCloseTo(expected, 12)
  })

  it('stays inside its range, never falls and comes back, for any range', () => {
    const maps = [
      [linearMap, linearUnmap],
      [
        (u: number, low: number, high: number) => logMap(core.math, u, low, high),
        (x: number, low: number, high: number) => logUnmap(core.math, x, low, high),
      ],
    ] as const
    fc.assert(
      fc.property(action, action, range, (u, v, [low, ratio]) => {
        const high = low * ratio
        for (const [map, unmap] of maps) {
          const x = map(u, low, high)
          expect(x).toBeGreaterThanOrEqual(low)
          expect(x).toBeLessThanOrEqual(high)
          if (u <= v) expect(x).toBeLessThanOrEqual(map(v, low, high) * (1 + 1e-12))
          expect(unmap(x, low, high)).toBeCloseTo(u, 8)
        }
      }),
    )
  })
})

describe('ternarySteps', () => {
  it('takes the largest of keep, up, down per resource, the first of equals', () => {
    const heads = Float32Array.of(0.9, 0.1, -1, 0.1, 0.9, 0.2, -1, -0.9, -0.8, 0.5, 0.5, 0.5, -1, 0.3, 0.3)
    const steps = new Float32Array(5)
    ternarySteps(heads, steps)
    expect([...steps]).toEqual([0, 1, -1, 0, 1])
  })
})
