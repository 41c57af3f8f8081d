import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { embeddingSimilarity, Random } from '../../src/index.js'
import { SimilarityIndex } from '../../src/internal.js'
import { createServeCore, type ServeCore } from '../../src/serve.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

const small = fc.integer({ min: -8, max: 8 })

describe('the index of similar vectors', () => {
  it('finds what a look at every row of the group finds', () => {
    const cases = fc.record({
      rows: fc.array(
        fc.record({ group: fc.integer({ min: 0, max: 2 }), vector: fc.array(small, { minLength: 5, maxLength: 5 }) }),
        {
          minLength: 1,
          maxLength: 80,
        },
      ),
      group: fc.integer({ min: 0, max: 3 }),
      query: fc.array(small, { minLength: 5, maxLength: 5 }),
    })
    fc.assert(
      fc.property(cases, ({ rows, group, query }) => {
        using index = new SimilarityIndex(core, 80, 5)
        for (const [row, { group, vector }] of rows.entries()) index.set(row, group, vector)
        const similarity = (row: number): number => embeddingSimilarity(rows[row]!.vector, query).cosine
        const members = rows.flatMap((row, i) => (row.group === group ? [i] : []))
        const found = index.nearest(group, query)
        if (members.length === 0) {
          expect(found).toBeUndefined()
          return
        }
        expect(rows[found!.row]!.group).toBe(group)
        expect(found!.similarity).toBeCloseTo(Math.max(...members.map(similarity)), 5)
        expect(similarity(found!.row)).toBeCloseTo(found!.similarity, 5)
        const same = (row: number): boolean =>
          rows[row]!.vector.every((value, i) => value === rows[found!.row]!.vector[i])
        expect(members.find(same)).toBe(found!.row)
      }),
    )
  })

  it('takes the lowest of equal rows, and forgets a removed one', () => {
    using index = new SimilarityIndex(core, 3, 2)
    index.set(1, 7, [1, 1])
    index.set(2, 7, [2, 2])
    expect(index.nearest(7, [5, 5])).toEqual({ row: 1, similarity: expect.closeTo(1, 6) })
    index.remove(1)
    expect(index.nearest(7, [5, 5])?.row).toBe(2)
    index.remove(2)
    expect(index.nearest(7, [5, 5])).toBeUndefined()
  })

  it('holds a zero vector similar to nothing', () => {
    using index = new SimilarityIndex(core, 1, 2)
    index.set(0, 0, [0, 0])
    expect(index.nearest(0, [1, 0])).toEqual({ row: 0, similarity: 0 })
  })

  it('gives the same bits with SIMD and without', async () => {
    const scalar = await createServeCore({ build: 'scalar' })
    const random = new Random(core, 5)
    const vectors = Array.from({ length: 100 }, () => Array.from({ length: 37 }, () => Math.max(0, random.normal())))
    const [a, b] = [core, scalar].map((core) => {
      const index = new SimilarityIndex(core, 99, 37)
      for (const [row, vector] of vectors.slice(1).entries()) index.set(row, 0, vector)
      return index.nearest(0, vectors[0]!)
    })
    expect(a).toEqual(b)
  })

  it('refuses what it cannot hold', () => {
    expect(() => new SimilarityIndex(core, 0, 4)).toThrow(/rows must be/)
    using index = new SimilarityIndex(core, 2, 2)
    expect(() => index.set(2, 0, [1, 2])).toThrow(/row must/)
    expect(() => index.set(0, -1, [1, 2])).toThrow(/group must/)
    expect(() => index.set(0, 0, [1])).toThrow(/2 numbers/)
    expect(() => index.nearest(0, [1, Number.NaN])).toThrow(/finite/)
  })
})
