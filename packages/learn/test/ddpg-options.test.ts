import { Problems } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import { checkDdpgOptions, type DdpgOptions, ddpgDefaults } from '../src/ddpg-options.js'

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

describe('checkDdpgOptions', () => {
  it('reports every problem at once, each with its path, value and what is allowed', () => {
    const message = problemsOf({
      ...ddpgDefaults,
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
      'options.hidden[1] must be a whole number of 1 … 134217728, got 0.5',
      'options.batchSize must be a whole number of 1 … 134217728, got 0',
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
    const message = problemsOf({ ...ddpgDefaults, noise })
    expect(message).toContain('options.noise.process.kind is unknown: {"kind":"pink"}')
    expect(message).toContain('options.noise.schedule.kind is unknown: {"kind":"daily"}')
  })
})
