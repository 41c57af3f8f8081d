import { describe, expect, it } from 'vitest'
import { report } from './bootstrapping/report.mjs'
import { SCALES } from './bootstrapping.mjs'

/** An episode with so many percent of violations. */
const episode = (violations: number, changes = {}) => ({
  ...{ stage: 'online', reward: 150, violations, cpu: 0.3, memory: 0.7, cores: 5, byAgent: 100 },
  ...changes,
})

const life = (app: number, none: number, retraining: number) => ({
  ...{ job: 'serving', setting: 'papers', app, seed: 1 },
  result: {
    updates: [
      {
        name: 'file-size',
        arms: {
          rule: [episode(1)],
          none: [episode(none)],
          margin: [episode(none / 2)],
          retraining: [episode(retraining, { reward: 147 })],
          converged: [episode(0)],
        },
      },
    ],
  },
})

describe('the report on bootstrapping', () => {
  const early = (controller: string, app: number, violations: number[]) => ({
    ...{ job: 'early', controller, app, seed: 1 },
    result: violations.map((each) => episode(each)),
  })
  const results = [
    ...['rule', 'scratch-paper', 'lifecycle-bcq', 'envelope-bcq'].map((name) => early(name, 1, [1])),
    ...[1, 2, 3].map((app) => early('scratch', app, [10 * app, 0])),
    ...[1, 2, 3].map((app) => early('envelope', app, [app, 0])),
    ...[life(1, 8, 2), life(2, 4, 1)],
    ...[life(1, 0, 0)].map((one) => ({ ...one, setting: 'trimtab' })),
  ]
  const { json, markdown } = report({ scaleName: 'smoke', scale: SCALES.smoke, results })

  it('takes medians over applications, and ratios of means over all, as by hand', () => {
    expect(json.early.scratch.violations).toEqual({ median: 10, low: 5, high: 15, mean: 10 })
    expect(json.early.envelope.violations).toEqual({ median: 1, low: 0.5, high: 1.5, mean: 1 })
    expect(json.serving.papers.all.none.violations.mean).toBe(6)
    expect(Object.values(json.gates as Record<string, { ours: string }>).map(({ ours }) => ours)).toEqual([
      '10.0×',
      '−2.0 %',
      '4.0×',
    ])
  })

  it('says what was met', () => {
    expect(markdown).toMatch(/from scratch \| 16\.9× \| 10\.0× \| ≥ 5× \| yes/)
    const worse = report({ scaleName: 'gate', scale: SCALES.smoke, results: [...results, early('envelope', 4, [60])] })
    expect(worse.isShown).toBe(false)
    expect(worse.markdown).toMatch(/≥ 5× \| \*\*no\*\*/)
  })
})
