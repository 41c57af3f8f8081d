import { describe, expect, it } from 'vitest'
import { bestOf, dropAfter, episodesToAdapt, figuresOf, quantile, spread } from './meta/protocol.mjs'
import { report } from './meta/report.mjs'

describe('the protocol of the meta experiments', () => {
  it('counts the first of three evaluations that average 95 % of the best', () => {
    expect(episodesToAdapt([0.5, 0.94, 0.97, 0.95, 0.2], 1)).toEqual({ episodes: 1, never: false })
    expect(episodesToAdapt([1, 1, 1], 1)).toEqual({ episodes: 0, never: false })
    expect(episodesToAdapt([0.9, 1, 0.9, 0.9, 0.9], 1)).toEqual({ episodes: 4, never: true }) // never three in a row
  })

  it('drops are shares of the best that any method or constant action reached', () => {
    const best = bestOf([[0.5, 1.5], [1]], 2)
    expect(best).toBe(2)
    expect(dropAfter([0.5, 1.5], best, 1)).toBe(0.25)
    expect(dropAfter([0.5, 1.5], best, 9)).toBe(0.25) // the last there is
  })

  it('medians go over all apps, spread over apps and over the medians of the seeds', () => {
    expect(quantile([4, 1, 2, 3], 0.5)).toBe(2.5)
    const { median, mean, quartiles, seeds } = spread([
      [1, 2, 3],
      [5, 6, 7],
    ])
    expect({ median, mean, quartiles, seeds }).toEqual({ median: 4, mean: 4, quartiles: [2.25, 5.75], seeds: [2, 6] })
  })

  it('figures of a method come from its curve and the best of all', () => {
    const apps = [
      { seed: 0, app: 1, constant: 1, curves: { a: [0.5, 1, 1, 1], b: [0, 0, 0, 0] } },
      { seed: 1, app: 2, constant: 2, curves: { a: [1, 2, 2, 2], b: [0, 0, 0, 0] } },
    ]
    const { a, b } = figuresOf(apps, ['a', 'b'])
    expect(a).toMatchObject({ drop0: { median: 0.5 }, drop1: { median: 0 }, episodes: { median: 1 }, never: 0 })
    expect(b).toMatchObject({ drop1: { median: 1 }, episodes: { median: 3 }, never: 1 })
  })
})

it('a report holds its gates, every method and its command', () => {
  const apps = [{ seed: 0, app: 1, constant: 1, curves: { learned: [0.5, 1, 1, 1] } }]
  const { markdown, isShown } = report({
    ...{ title: 'T', lead: 'L', scaleName: 'gate' },
    study: { name: 'x', task: 't', seeds: [0], methods: ['learned'], pool: 1, apps: 1, rounds: 1, cap: 3, sources: 0 },
    result: { figures: figuresOf(apps, ['learned']), apps },
    gates: [{ figure: 'f', gate: '≤ 1', ours: '2', paper: '3', holds: false }],
  })
  expect(markdown).toMatch(/f \| ≤ 1 \| 2 \| 3 \| \*\*missed\*\*/)
  expect(markdown).toMatch(/learned embedding, first episode: random \| \*\*50\.0 %\*\*/)
  expect(markdown).toMatch(/npm run experiment -- x --scale gate/)
  expect(isShown).toBe(false)
})
