import type { Problems } from '@trimtab/core'
import { checkNoiseOptions, type NoiseOptions } from './noise.js'

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
  /** Weight of mean max(0, |z| − saturationLimit)², z the actor's outputs before tanh: a price on corners only. Default 0. */
  readonly saturationPenalty?: number
  /** Default 1.5, where tanh has lost 90 % of its slope. */
  readonly saturationLimit?: number
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
 * Notes everything that is wrong with the options, each with its path.
 * @param path  where the options stand in the caller's configuration, `options`
 */
export function checkDdpgOptions(options: DdpgOptions, problems: Problems, path: string): void {
  const number = (name: string, value: unknown, says: string, holds: (x: number) => boolean): void =>
    problems.check(
      typeof value === 'number' && Number.isFinite(value) && holds(value),
      `${path}.${name} must be ${says}, got ${String(value)}`,
    )
  const count = (name: string, value: unknown): void =>
    number(name, value, 'a whole number ≥ 1', (x) => Number.isInteger(x) && x >= 1)
  const positive = (name: string, value: unknown): void => number(name, value, '> 0', (x) => x > 0)
  const notNegative = (name: string, value: unknown): void => number(name, value, '≥ 0', (x) => x >= 0)

  problems.check(options.hidden.length > 0, `${path}.hidden must name at least one layer, got none`)
  for (const [i, size] of options.hidden.entries()) count(`hidden[${i}]`, size)
  for (const name of ['batchSize', 'capacity', 'warmUp'] as const) count(name, options[name])
  problems.check(
    !(options.warmUp > options.capacity),
    `${path}.warmUp must not exceed capacity, got ${options.warmUp} > ${options.capacity}: learning would never begin`,
  )
  number('calibrationSteps', options.calibrationSteps, 'a whole number ≥ 0', (x) => Number.isInteger(x) && x >= 0)
  for (const name of ['updatesPerStep', 'actorLearningRate', 'criticLearningRate'] as const) {
    positive(name, options[name])
  }
  number('discount', options.discount, 'in [0, 1)', (x) => x >= 0 && x < 1)
  number('targetRate', options.targetRate, 'in (0, 1]', (x) => x > 0 && x <= 1)
  number('averageRate', options.averageRate, 'in [0, 1]', (x) => x >= 0 && x <= 1)
  number('rewardBaseline', options.rewardBaseline, 'finite', () => true)
  for (const name of ['weightDecay', 'maxGradientNorm', 'outputPenalty', 'cloningWeight'] as const) {
    notNegative(name, options[name])
  }
  notNegative('saturationPenalty', options.saturationPenalty ?? 0)
  notNegative('saturationLimit', options.saturationLimit ?? 0)
  checkNoiseOptions(options.noise, problems, `${path}.noise`)
}
