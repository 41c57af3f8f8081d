import { describe, expect, it } from 'vitest'
import { meanCurve, rocSvg } from './anomalies/curves.mjs'
import { judge, pairsOf } from './anomalies/judge.mjs'

/** A component with the score that a method gives it. */
const component = (score: number, isResponsible: boolean) => ({ score, isResponsible })
const view = (request: string, components: object[], scope = 'path') => ({
  ...{ scope, window: 1, request, kinds: ['cpu'], components },
})

describe('judging an accusation', () => {
  const collections = [
    {
      graph: 'shop',
      views: [
        view('buy', [component(3, true), component(1, false), component(-1, false), component(-2, true)]),
        view('look', [component(-1, true), component(2, false)]),
        view('sell', [component(1, false), component(-3, false)]),
        view('*', [component(9, true)], 'window'),
      ],
    },
  ]
  const pairs = pairsOf(collections)
  const method = { score: (pair: { score: number }) => pair.score, border: 0, wished: 2 }

  it('takes the pairs of the wished scope, each with its critical path', () => {
    expect(pairs.length).toBe(8)
    expect(new Set(pairs.map(({ path }: { path: string }) => path)).size).toBe(3)
    expect(pairsOf(collections, 'window').length).toBe(1)
  })

  it('counts hits, false alarms and right answers as by hand', () => {
    const { figures } = judge(method, pairs, 'isResponsible')
    expect(figures).toMatchObject({
      truePositives: 1 / 3,
      falsePositives: 3 / 5,
      accuracy: 3 / 8,
      balancedAccuracy: expect.closeTo((1 / 3 + 2 / 5) / 2, 12),
      wishedTruePositiveRate: 1 / 3,
      wishedFalsePositiveRate: 1 / 5,
      truePositiveRate: 1 / 3,
      topRight: 1 / 2, // of `buy` and `look`; nobody is to blame on `sell`
    })
  })
})

describe('curves', () => {
  const corner = [
    { falsePositiveRate: 0, truePositiveRate: 0 },
    { falsePositiveRate: 0, truePositiveRate: 1 },
    { falsePositiveRate: 1, truePositiveRate: 1 },
  ]
  const chance = [corner[0], corner[2]]

  it('are averaged at the same false-positive rate', () => {
    const mean = meanCurve([corner, chance])
    expect(
      [0, 0.5, 1].map((x) => mean.find(({ falsePositiveRate }) => falsePositiveRate === x)?.truePositiveRate),
    ).toEqual([0.5, 0.75, 1])
  })

  it('are drawn with their names', () => {
    const svg = rocSvg([{ title: 'One', right: 1, bottom: 0, lines: [{ name: 'chance', curve: chance }] }])
    expect(svg).toMatch(/^<svg .*One.*polyline.*chance.*<\/svg>\n$/s)
  })
})
