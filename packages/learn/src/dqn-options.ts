import type { Problems } from '@trimtab/core'
import { checkEpsilon, type EpsilonSchedule } from './epsilon.js'
import { OptionChecks } from './option-checks.js'

/** Everything that a DQN agent can be told; the network's outer sizes come from the spaces. */
export interface DqnOptions {
  /** Hidden layers, ReLU. */
  readonly hidden: readonly number[]
  /** Transitions per update, drawn uniformly with replacement. */
  readonly batchSize: number
  /** Transitions remembered of each pair; the oldest goes first. */
  readonly capacity: number
  /** Transitions stored before the first update. */
  readonly warmUp: number
  /** Updates per `update()` call, one call per time step; 0.25 is one every fourth step. */
  readonly updatesPerStep: number
  readonly learningRate: number
  /** γ, below 1. */
  readonly discount: number
  /** Of the temporal difference: `huber` bounds what one transition can do. */
  readonly loss: 'huber' | 'mse'
  /** Whether the learning network chooses the next action that the target network values. */
  readonly double: boolean
  /** target += rate · (network − target) after every `targetInterval` updates; 1 is a copy. */
  readonly targetRate: number
  readonly targetInterval: number
  /** Subtracted from every reward before learning: near the reward of a decent policy, Q need not learn an offset. */
  readonly rewardBaseline: number
  /** L2 on the weights, through Adam's gradient. */
  readonly weightDecay: number
  /** Gradient norm above which gradients are scaled down; 0 is off. */
  readonly maxGradientNorm: number
  /** Share of random actions over the steps explored. */
  readonly epsilon: EpsilonSchedule
}

/** For any task of some thousand steps: double DQN with soft targets, an update a step, ε that falls over five thousand steps. */
export const dqnDefaults: DqnOptions = {
  hidden: [64, 64],
  batchSize: 64,
  capacity: 100_000,
  warmUp: 1000,
  updatesPerStep: 1,
  learningRate: 1e-3,
  discount: 0.99,
  loss: 'huber',
  double: true,
  targetRate: 0.02,
  targetInterval: 1,
  rewardBaseline: 0,
  weightDecay: 0,
  maxGradientNorm: 10,
  epsilon: { from: 1, to: 0.05, steps: 5000 },
}

/**
 * Notes everything that is wrong with the options, each with its path.
 * @param path  where the options stand in the caller's configuration, `options`
 */
export function checkDqnOptions(options: DqnOptions, problems: Problems, path: string): void {
  const check = new OptionChecks(options, Object.keys(dqnDefaults), problems, path)
  check.layers('hidden', 0)
  check.replay()
  check.returns()
  check.counts('targetInterval')
  check.positive('learningRate')
  check.number('targetRate', 'in (0, 1]', (x) => x > 0 && x <= 1)
  check.notNegative('weightDecay', 'maxGradientNorm')
  check.choice('loss', ['huber', 'mse'])
  check.choice('double', [true, false])
  checkEpsilon(options.epsilon, problems, `${path}.epsilon`)
}
