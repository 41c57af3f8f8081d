import type { Problems } from '@trimtab/core'
import { checkNoiseOptions, type NoiseOptions } from './noise.js'
import { OptionChecks } from './option-checks.js'

/** Everything that a DDPG agent can be told; the networks' outer sizes come from the spaces. */
export interface DdpgOptions {
  /** Hidden layers of actor and critic, ReLU; the actor ends in tanh. */
  readonly hidden: readonly number[]
  /** Transitions per update, drawn uniformly with replacement. */
  readonly batchSize: number
  /** Transitions remembered; the oldest goes first. */
  readonly capacity: number
  /** Transitions stored before the first update. */
  readonly warmUp: number
  /** Updates per `update()` call, one call per time step; 0.5 is one every second step. */
  readonly updatesPerStep: number
  readonly actorLearningRate: number
  readonly criticLearningRate: number
  /** γ, below 1. */
  readonly discount: number
  /** τ of the soft target update. */
  readonly targetRate: number
  /** averaged += rate · (actor − averaged) after each update; the averaged actor serves. 0: the actor itself serves. */
  readonly averageRate: number
  /** Subtracted from every reward before learning: near the reward of a decent policy, the critic need not learn an offset. */
  readonly rewardBaseline: number
  /** L2 on the weights, through Adam's gradient. */
  readonly weightDecay: number
  /** Gradient norm above which gradients are scaled down; 0 is off. */
  readonly maxGradientNorm: number
  /** L2 on the actor's outputs before tanh: keeps it out of saturation. */
  readonly outputPenalty: number
  /** Weight of mean max(0, |z| − saturationLimit)², z the actor's outputs before tanh: a price on corners only. */
  readonly saturationPenalty: number
  /** 1.5 is where tanh has lost 90 % of its slope. */
  readonly saturationLimit: number
  /** λ of λ · mean((π(s) − a_rule)²) over transitions that carry a rule's action. */
  readonly cloningWeight: number
  readonly noise: NoiseOptions
  /**
   * The first so many steps only tell each observation's mean and deviation, by which all later ones are normalised; they
   * are not learned from. 0: observations are used as they come.
   */
  readonly calibrationSteps: number
}

/**
 * For any task of some thousand steps whose rewards are of order 1 to 100: nothing in it knows a task. Observations are brought
 * to deviation 1 by what the first steps show, exploration fades with learning, a slow average serves.
 */
export const ddpgDefaults: DdpgOptions = {
  hidden: [64, 64],
  batchSize: 64,
  capacity: 100_000,
  warmUp: 1000,
  updatesPerStep: 1,
  actorLearningRate: 3e-4,
  criticLearningRate: 1e-3,
  discount: 0.99,
  targetRate: 5e-3,
  averageRate: 1e-3,
  rewardBaseline: 0,
  weightDecay: 0,
  maxGradientNorm: 1, // a first critic that is far off does not throw the actor into a corner
  outputPenalty: 0,
  saturationPenalty: 0,
  saturationLimit: 1.5,
  cloningWeight: 0,
  noise: {
    process: { kind: 'gaussian', deviation: 1 },
    schedule: { kind: 'updates', from: 0.3, decrement: 2e-5, floor: 0.05 },
  },
  calibrationSteps: 500,
}

/**
 * Notes everything that is wrong with the options, each with its path.
 * @param path  where the options stand in the caller's configuration, `options`
 */
export function checkDdpgOptions(options: DdpgOptions, problems: Problems, path: string): void {
  const check = new OptionChecks(options, Object.keys(ddpgDefaults), problems, path)
  check.layers('hidden', 1)
  check.replay()
  check.returns()
  check.number('calibrationSteps', 'a whole number ≥ 0', (x) => Number.isInteger(x) && x >= 0)
  check.positive('actorLearningRate', 'criticLearningRate')
  check.number('targetRate', 'in (0, 1]', (x) => x > 0 && x <= 1)
  check.shares('averageRate')
  check.notNegative('weightDecay', 'maxGradientNorm', 'outputPenalty', 'cloningWeight')
  check.notNegative('saturationPenalty', 'saturationLimit')
  checkNoiseOptions(options.noise, problems, `${path}.noise`)
}
