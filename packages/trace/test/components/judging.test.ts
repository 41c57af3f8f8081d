// Curves, calibration and drift: what turns a decision value into something to act on.
import { readFileSync } from 'node:fs'
import { pearson, Random } from '@trimtab/core'
import { createTraceCore, type TraceCore } from '@trimtab/core/trace'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { distributionOf, driftOf } from '../../src/components/drift.js'
import { correlationEstimate } from '../../src/components/estimate.js'
import { fitCalibration, probabilityOf } from '../../src/components/platt.js'
import { areaUnder, type Judged, pointAt, rocCurve } from '../../src/components/roc.js'

let core: TraceCore
beforeAll(async () => {
  core = await createTraceCore()
})

interface Case {
  readonly name: string
  readonly scores: readonly number[]
  readonly positive: readonly boolean[]
  readonly weights: readonly number[]
  readonly slope: number
  readonly offset: number
  readonly area: number
  /** threshold, true-positive rate, false-positive rate */
  readonly curve: readonly (readonly [number, number, number])[]
}

const reference = JSON.parse(readFileSync(new URL('fixtures/sklearn.json', import.meta.url), 'utf8'))
const cases: readonly Case[] = reference.cases

const judgedOf = ({ scores, positive, weights }: Case): Judged[] =>
  scores.map((score, i) => ({ score, isPositive: positive[i]!, weight: weights[i] }))

const judgments = fc
  .array(fc.record({ score: fc.integer({ min: -5, max: 5 }), isPositive: fc.boolean() }), {
    minLength: 2,
    maxLength: 40,
  })
  .filter((list) => list.some(({ isPositive }) => isPositive) && list.some(({ isPositive }) => !isPositive))

describe('the ROC curve', () => {
  it.each(cases)('is that of scikit-learn: $name', (expected) => {
    const curve = rocCurve(judgedOf(expected))
    const got = curve.slice(1).map((p) => [p.threshold, p.truePositiveRate, p.falsePositiveRate])
    expect(got).toEqual(expected.curve.map((point) => point.map((value) => expect.closeTo(value, 12))))
    expect(areaUnder(curve)).toBeCloseTo(expected.area, 12)
  })

  it('has for its area the chance that a positive outscores a negative, ties counting half', () => {
    fc.assert(
      fc.property(judgments, (list) => {
        const positives = list.filter(({ isPositive }) => isPositive)
        const negatives = list.filter(({ isPositive }) => !isPositive)
        const wins = positives.flatMap((p) => negatives.map((n) => (Math.sign(p.score - n.score) + 1) / 2))
        expect(areaUnder(rocCurve(list))).toBeCloseTo(wins.reduce((a, b) => a + b, 0) / wins.length, 12)
      }),
    )
  })

  it('gives the threshold that finds the most for a price in false alarms, and keeps to the price', () => {
    fc.assert(
      fc.property(judgments, fc.double({ min: 0, max: 1, noNaN: true }), (list, wished) => {
        const point = pointAt(rocCurve(list), wished)
        const rate = (threshold: number, isPositive: boolean): number => {
          const side = list.filter((one) => one.isPositive === isPositive)
          return side.filter(({ score }) => score >= threshold).length / side.length
        }
        expect(rate(point.threshold, false)).toBeLessThanOrEqual(wished)
        for (const { score } of list) {
          if (rate(score, false) <= wished) expect(rate(score, true)).toBeLessThanOrEqual(rate(point.threshold, true))
        }
      }),
    )
  })

  it('needs both sides', () => {
    const onlyPositive = [{ score: 1, isPositive: true }]
    expect(() => rocCurve(onlyPositive)).toThrow(expect.objectContaining({ code: 'labels_one_sided' }))
  })
})

describe('the calibration', () => {
  it.each(cases)('is that of scikit-learn: $name', (expected) => {
    const { slope, offset } = fitCalibration(core, judgedOf(expected))
    expect(slope).toBeCloseTo(expected.slope, 4)
    expect(offset).toBeCloseTo(expected.offset, 4)
  })

  it('recovers the sigmoid that made the labels', () => {
    const random = new Random(core, 9)
    const judged = Array.from({ length: 20_000 }, () => {
      const score = random.normal(0, 2)
      return { score, isPositive: random.uniform() < core.math.sigmoid(1.5 * score - 0.5) }
    })
    const calibration = fitCalibration(core, judged)
    for (const score of [-2, 0, 1]) {
      expect(probabilityOf(core, calibration, score)).toBeCloseTo(core.math.sigmoid(1.5 * score - 0.5), 1.5)
    }
  })

  it('stays finite where the scores separate the labels', () => {
    const judged = [-3, -2, -1, 1, 2, 3].map((score) => ({ score, isPositive: score > 0 }))
    const calibration = fitCalibration(core, judged)
    expect(probabilityOf(core, calibration, 3)).toBeGreaterThan(0.7)
    expect(probabilityOf(core, calibration, 3)).toBeLessThan(1)
  })
})

describe('the interval of a correlation', () => {
  const { x, y, r, low, high } = reference.pearson

  it('is that of scipy', () => {
    expect(correlationEstimate(core, pearson(x, y), x.length)).toEqual({
      value: expect.closeTo(r, 12),
      low: expect.closeTo(low, 6),
      high: expect.closeTo(high, 6),
      count: x.length,
    })
  })

  it('is everything for three requests', () => {
    expect(correlationEstimate(core, 0.5, 3)).toEqual({ value: 0.5, low: -1, high: 1, count: 3 })
  })
})

describe('drift', () => {
  const normals = (n: number, mean: number, seed: number): number[] => {
    const random = new Random(core, seed)
    return Array.from({ length: n }, () => random.normal(mean))
  }

  it('is not seen in more of the same, be it much or little', () => {
    const then = distributionOf(normals(2000, 0, 1))
    for (const [seed, n] of [20, 200, 2000].entries()) {
      expect(driftOf(core, 'x', then, normals(n, 0, 10 + seed)).isDrifted).toBe(false)
    }
  })

  it('is seen when a feature moves by one deviation', () => {
    const then = distributionOf(normals(2000, 0, 1))
    expect(driftOf(core, 'x', then, normals(200, 1, 2))).toMatchObject({ feature: 'x', isDrifted: true })
  })

  it('is not proven by a handful', () => {
    const then = distributionOf(normals(2000, 0, 1))
    expect(driftOf(core, 'x', then, [1, 1.2, 0.9]).isDrifted).toBe(false)
  })

  it('works on features that are mostly one number', () => {
    const mostlyZero = (n: number): number[] => Array.from({ length: n }, (_, i) => (i % 20 === 0 ? 1 : 0))
    const then = distributionOf(mostlyZero(1000))
    expect(driftOf(core, 'x', then, mostlyZero(200)).isDrifted).toBe(false)
    expect(driftOf(core, 'x', then, Array(200).fill(1)).isDrifted).toBe(true)
  })
})
