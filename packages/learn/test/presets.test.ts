import { Problems } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import { checkDdpgOptions, type DdpgOptions } from '../src/ddpg-options.js'
import { ddpgPresets } from '../src/index.js'

function problemsOf(options: DdpgOptions): string {
  const problems = new Problems()
  checkDdpgOptions(options, problems, 'options')
  try {
    problems.throwIfAny('ddpg')
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

/** Parameters of a dense net of these layer sizes. */
const parameters = (sizes: readonly number[]): number =>
  sizes.slice(1).reduce((sum, out, i) => sum + out * (sizes[i]! + 1), 0)

describe('ddpgPresets', () => {
  it.each(Object.entries(ddpgPresets))('%s passes its own validation', (_, preset) => {
    expect(problemsOf(preset)).toBe('')
  })

  it.each([
    ['autoscaling', 12, 3],
    ['firm-continuous', 8, 5],
    ['firm-ternary', 8, 15],
  ] as const)('%s is an actor %d-40-40-%d', (name, stateSize, actionSize) => {
    const { setting, hidden } = ddpgPresets[name]
    expect(setting).toMatchObject({ stateSize, actionSize })
    expect(parameters([setting.stateSize, ...hidden, setting.actionSize])).toBe(
      41 * 40 + (stateSize + 1) * 40 + 41 * actionSize,
    )
  })

  // Dissertation tables 3.3 and 5.2, as printed.
  it.each([
    ['firm-continuous', 1e5, 0.9, 2e-3],
    ['firm-ternary', 1e5, 0.9, 2e-3],
    ['aware-paper', 1e6, 0.99, 3e-3],
  ] as const)(
    '%s has the printed buffer %d, discount %d and soft update %d',
    (name, capacity, discount, targetRate) => {
      expect(ddpgPresets[name]).toMatchObject({
        batchSize: 64,
        capacity,
        discount,
        targetRate,
        actorLearningRate: 3e-4,
        criticLearningRate: 3e-3,
        noise: { schedule: { from: 1, decrement: 1e-6 } },
      })
    },
  )
})

describe('checkDdpgOptions', () => {
  it('reports every problem at once, each with its path, value and what is allowed', () => {
    const message = problemsOf({
      ...ddpgPresets.autoscaling,
      hidden: [40, 0.5],
      batchSize: 0,
      capacity: 10,
      warmUp: 11,
      updatesPerStep: -1,
      actorLearningRate: Number.NaN,
      discount: 1,
      targetRate: 0,
      averageRate: 2,
      rewardBaseline: Number.POSITIVE_INFINITY,
      outputPenalty: -1,
      noise: {
        process: { kind: 'ornstein-uhlenbeck', mu: 0, theta: -1, sigma: 0.2, dt: 0 },
        schedule: { kind: 'updates', from: 1, decrement: -1e-6, floor: 0.05 },
      },
    })
    for (const problem of [
      'options.hidden[1] must be a whole number ≥ 1, got 0.5',
      'options.batchSize must be a whole number ≥ 1, got 0',
      'options.warmUp must not exceed capacity, got 11 > 10',
      'options.updatesPerStep must be > 0, got -1',
      'options.actorLearningRate must be > 0, got NaN',
      'options.discount must be in [0, 1), got 1',
      'options.targetRate must be in (0, 1], got 0',
      'options.averageRate must be in [0, 1], got 2',
      'options.rewardBaseline must be finite, got Infinity',
      'options.outputPenalty must be ≥ 0, got -1',
      'options.noise.process.theta must be ≥ 0, got -1',
      'options.noise.process.dt must be > 0, got 0',
      'options.noise.schedule.decrement must be ≥ 0, got -0.000001',
    ]) {
      expect(message).toContain(problem)
    }
  })

  it('names an unknown kind of noise', () => {
    const noise = { process: { kind: 'pink' }, schedule: { kind: 'daily' } } as unknown as DdpgOptions['noise']
    const message = problemsOf({ ...ddpgPresets.autoscaling, noise })
    expect(message).toContain('options.noise.process.kind is unknown: {"kind":"pink"}')
    expect(message).toContain('options.noise.schedule.kind is unknown: {"kind":"daily"}')
  })
})
