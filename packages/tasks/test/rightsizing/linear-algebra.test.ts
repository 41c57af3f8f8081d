import { type Core, createCore, Random } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { choleskyFactor, choleskySolve, symmetricEigen } from '../../src/rightsizing/linear-algebra.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const symmetric = (n: number, seed: number): Float64Array => {
  const random = new Random(core, seed)
  const a = new Float64Array(n * n)
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = random.normal()
  random.dispose()
  return a
}

describe('eigenvalues', () => {
  it('of [[2, 1], [1, 2]] are 3 and 1', () => {
    const { values, vectors } = symmetricEigen(Float64Array.of(2, 1, 1, 2), 2)
    expect([...values]).toEqual([expect.closeTo(3, 14), expect.closeTo(1, 14)])
    expect(Math.abs(vectors[0]! - vectors[1]!)).toBeLessThan(1e-14) // (1, 1)/√2
  })

  it.each([1, 3, 12, 40])('and vectors of a random matrix of %i rows make it again', (n) => {
    const a = symmetric(n, n)
    const { values, vectors } = symmetricEigen(a, n)
    for (let i = 0; i < n; i++) {
      if (i > 0) expect(values[i]!).toBeLessThanOrEqual(values[i - 1]!)
      for (let j = 0; j < n; j++) {
        let [again, product] = [0, 0]
        for (let k = 0; k < n; k++) {
          again += values[k]! * vectors[k * n + i]! * vectors[k * n + j]!
          product += vectors[i * n + k]! * vectors[j * n + k]!
        }
        expect(again).toBeCloseTo(a[i * n + j]!, 11)
        expect(product).toBeCloseTo(i === j ? 1 : 0, 12)
      }
    }
  })

  it('of zeros are zeros', () => {
    expect([...symmetricEigen(new Float64Array(9), 3).values]).toEqual([0, 0, 0])
  })
})

describe('a positive definite system', () => {
  it.each([1, 2, 9, 25])('of %i unknowns is solved', (n) => {
    const half = symmetric(n, 7 * n)
    const a = new Float64Array(n * n)
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        a[i * n + j] = i === j ? 0.5 : 0
        for (let k = 0; k < n; k++) a[i * n + j]! += half[i * n + k]! * half[j * n + k]!
      }
    const x = Float64Array.from({ length: n }, (_, i) => i - 2)
    const b = Float64Array.from(x, (_, i) => x.reduce((sum, value, j) => sum + a[i * n + j]! * value, 0))
    choleskyFactor(a, n)
    choleskySolve(a, b)
    for (let i = 0; i < n; i++) expect(b[i]!).toBeCloseTo(x[i]!, 9)
  })
})
