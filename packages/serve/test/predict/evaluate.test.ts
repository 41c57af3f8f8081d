import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countOrdered, type PredictedLength, scoreLengths } from '../../src/index.js'

it('counts ordered pairs as looking at every pair does', () => {
  const value = fc.integer({ min: 0, max: 8 })
  fc.assert(
    fc.property(fc.array(fc.tuple(value, value), { maxLength: 60 }), (rows) => {
      let pairs = 0
      let ordered = 0
      for (const [i, [truth, estimate]] of rows.entries()) {
        for (const [otherTruth, otherEstimate] of rows.slice(0, i)) {
          if (truth === otherTruth) continue
          pairs += 1
          if (estimate === otherEstimate) ordered += 0.5
          else if (estimate > otherEstimate === truth > otherTruth) ordered += 1
        }
      }
      const columns = [0, 1].map((k) => Float64Array.from(rows, (row) => row[k]!)) as [Float64Array, Float64Array]
      expect(countOrdered(...columns)).toEqual({ pairs, ordered })
    }),
  )
})

it('compares answers of the same model only, and classes one by one', () => {
  const row = (model: string, outputTokens: number, score: number, classes: [number, number]): PredictedLength => ({
    example: { model, prompt: '', outputTokens },
    score,
    trueClass: classes[0],
    class: classes[1],
    tokens: 0,
  })
  const rows = [row('a', 1, 0, [0, 0]), row('a', 2, 1, [1, 3]), row('b', 9, 0, [4, 4]), row('b', 8, 5, [2, 1])]
  expect(scoreLengths(rows)).toEqual({ rows: 4, accuracy: 0.5, l1: 0.75, order: 0.5, pairs: 2 })
})
