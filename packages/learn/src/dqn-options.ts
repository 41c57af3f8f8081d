import type { Problems } from '@trimtab/core'
import type { EpsilonSchedule } from './epsilon.js'

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

/** Options with the setting they were made for. */
export interface DqnPreset extends DqnOptions {
  /** Steps per episode in the source, for orientation. */
  readonly setting: { readonly episodeSteps: number }
}

/** Options of DQN by the task and paper that they come from. */
export const dqnPresets: {
  readonly 'cpu-frequency': DqnPreset
  readonly 'smartoverclock-literal': DqnPreset
} = {
  /**
   * Learns within some thousand steps: soft targets, an update a step, a warm-up of ten episodes instead of five hundred. A frequency
   * shows within a step, so γ is low: over three applications 0.9 earned up to 6 % less than the best fixed level, 0.5 just as much.
   */
  'cpu-frequency': {
    setting: { episodeSteps: 100 },
    hidden: [64, 64],
    batchSize: 64,
    capacity: 100_000,
    warmUp: 1000,
    updatesPerStep: 1,
    learningRate: 1e-3,
    discount: 0.5,
    loss: 'huber',
    double: true,
    targetRate: 0.02,
    targetInterval: 1,
    rewardBaseline: 0,
    weightDecay: 0,
    maxGradientNorm: 10,
    epsilon: { from: 1, to: 0.05, steps: 3000 },
  },

  /** SmartOverclock with table A.5, the defaults of an older Stable-Baselines3; what the table leaves out is that library's. */
  'smartoverclock-literal': {
    setting: { episodeSteps: 100 },
    hidden: [64, 64], // SB3, MlpPolicy
    batchSize: 32, // table A.5
    capacity: 1_000_000, // table A.5
    warmUp: 50_000, // table A.5: five hundred episodes of one-second steps before the first update
    updatesPerStep: 0.25, // SB3: one update every four steps
    learningRate: 1e-4, // table A.5
    discount: 0.99, // table A.5
    loss: 'huber', // SB3
    double: false, // SB3
    targetRate: 1, // table A.5
    targetInterval: 2500, // SB3: 10,000 steps
    rewardBaseline: 0,
    weightDecay: 0,
    maxGradientNorm: 10, // SB3
    epsilon: { from: 1, to: 0.05, steps: 100_000 }, // table A.5: 10 % of the training; its length, taken as 1e6, is not printed
  },
}

/** A preset of DQN. */
export type DqnPresetName = keyof typeof dqnPresets

/**
 * Notes everything that is wrong with the options, each with its path.
 * @param path  where the options stand in the caller's configuration, `options`
 */
export function checkDqnOptions(options: DqnOptions, problems: Problems, path: string): void {
  const number = (name: string, value: number, says: string, holds: (x: number) => boolean): void =>
    problems.check(Number.isFinite(value) && holds(value), `${path}.${name} must be ${says}, got ${String(value)}`)
  const count = (name: string, value: number): void =>
    number(name, value, 'a whole number ≥ 1', (x) => Number.isInteger(x) && x >= 1)

  for (const [i, size] of options.hidden.entries()) count(`hidden[${i}]`, size)
  for (const name of ['batchSize', 'capacity', 'warmUp', 'targetInterval'] as const) count(name, options[name])
  problems.check(
    !(options.warmUp > options.capacity),
    `${path}.warmUp must not exceed capacity, got ${options.warmUp} > ${options.capacity}: learning would never begin`,
  )
  for (const name of ['updatesPerStep', 'learningRate'] as const) number(name, options[name], '> 0', (x) => x > 0)
  number('discount', options.discount, 'in [0, 1)', (x) => x >= 0 && x < 1)
  number('targetRate', options.targetRate, 'in (0, 1]', (x) => x > 0 && x <= 1)
  number('rewardBaseline', options.rewardBaseline, 'finite', () => true)
  for (const name of ['weightDecay', 'maxGradientNorm'] as const) number(name, options[name], '≥ 0', (x) => x >= 0)
  problems.check(['huber', 'mse'].includes(options.loss), `${path}.loss must be huber or mse, got ${options.loss}`)
  for (const name of ['from', 'to'] as const) {
    number(`epsilon.${name}`, options.epsilon[name], 'in [0, 1]', (x) => x >= 0 && x <= 1)
  }
  count('epsilon.steps', options.epsilon.steps)
}
