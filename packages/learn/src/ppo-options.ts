import type { Problems } from '@trimtab/core'
import type { PpoKernelOptions } from '@trimtab/core/internal'
import { OptionChecks } from './option-checks.js'

/** Everything that a PPO agent can be told; the networks' outer sizes and the kind of policy come from the spaces. */
export interface PpoOptions {
  /** Hidden layers of the policy and of the value network, which share nothing. */
  readonly hidden: readonly number[]
  readonly activation: 'relu' | 'tanh'
  /** First weights: `orthogonal` with a nearly indifferent policy, or `uniform` in ±1/sqrt(inputs). */
  readonly initialisation: 'orthogonal' | 'uniform'
  /** Standard deviation of a box's actions before anything is learned, in units of the range [−1, 1]. */
  readonly initialDeviation: number
  /** Steps between two updates, of all agents together; Monte-Carlo returns wait for the end of the episode, up to twice as many. */
  readonly rolloutSteps: number
  readonly miniBatchSize: number
  /** Passes over a rollout. */
  readonly epochs: number
  /** How a pass makes its mini-batches: every step once, or as many drawn with replacement. */
  readonly draw: 'shuffle' | 'replacement'
  readonly policyLearningRate: number
  readonly valueLearningRate: number
  /** Adam's ε. */
  readonly adamEpsilon: number
  /** Gradient norm above which gradients are scaled down; 0 is off. */
  readonly maxGradientNorm: number
  /** The norm is taken over both networks, as one optimiser for both would. */
  readonly sharedNorm: boolean
  /** γ, below 1. */
  readonly discount: number
  /** λ of generalised advantage estimation. */
  readonly lambda: number
  /** `monte-carlo`: plain discounted returns without λ and without a value behind a time limit. */
  readonly returns: 'gae' | 'monte-carlo'
  /** The probability ratio's incentive ends at 1 ± clip. */
  readonly clip: number
  /** Values may move so far in an update and gain by it; 0: any distance. */
  readonly valueClip: number
  /** Weight of mean (V − return)². */
  readonly valueWeight: number
  readonly entropyWeight: number
  /** Where advantages are brought to mean 0 and deviation 1. */
  readonly normalise: 'mini-batch' | 'rollout' | 'never'
  /** Subtracted from every reward before learning. */
  readonly rewardBaseline: number
  /** Multiplies what is left: returns of about ±10 suit the value network. */
  readonly rewardScale: number
  /**
   * The first so many steps only tell each observation's mean and deviation, by which all later ones are normalised; they
   * are not learned from. 0: observations are used as they come.
   */
  readonly calibrationSteps: number
}

/** Room for a rollout: Monte-Carlo returns wait for the end of an episode. */
export const rolloutCapacity = ({ returns, rolloutSteps }: PpoOptions): number =>
  returns === 'monte-carlo' ? 2 * rolloutSteps : rolloutSteps

/** What the options are to the kernel. */
export const kernelOptions = (
  core: { readonly math: { log(x: number): number } },
  options: PpoOptions,
  partitions: number,
): Omit<PpoKernelOptions, 'stateSize' | 'actionSize' | 'policy' | 'seed'> => ({
  ...options,
  capacity: rolloutCapacity(options) + partitions - 1, // a step of all agents at once may be what completes it
  partitions,
  initialLogDeviation: core.math.log(options.initialDeviation),
})

/** CleanRL's and Stable-Baselines3's common ground, with rollouts and rates for tasks of some ten thousand steps. */
export const ppoDefaults: PpoOptions = {
  hidden: [64, 64],
  activation: 'tanh',
  initialisation: 'orthogonal',
  initialDeviation: 0.5, // of a range of 2
  rolloutSteps: 512,
  miniBatchSize: 64,
  epochs: 10,
  draw: 'shuffle',
  policyLearningRate: 3e-4, // 1e-3 drove one seed of five against the walls of a double integrator for good
  valueLearningRate: 1e-3,
  adamEpsilon: 1e-5,
  maxGradientNorm: 0.5,
  sharedNorm: true, // one optimiser for both networks
  discount: 0.99,
  lambda: 0.95,
  returns: 'gae',
  clip: 0.2,
  valueClip: 0, // CleanRL clips by 0.2; it is not known to help
  valueWeight: 0.5,
  entropyWeight: 0,
  normalise: 'mini-batch',
  rewardBaseline: 0,
  rewardScale: 1,
  calibrationSteps: 0,
}

/**
 * Notes everything that is wrong with the options, each with its path.
 * @param path  where the options stand in the caller's configuration, `options`
 */
export function checkPpoOptions(options: PpoOptions, problems: Problems, path: string): void {
  const check = new OptionChecks(options, Object.keys(ppoDefaults), problems, path)
  check.layers('hidden', 0)
  check.returns()
  check.counts('rolloutSteps', 'miniBatchSize', 'epochs')
  check.number('calibrationSteps', 'a whole number ≥ 0', (x) => Number.isInteger(x) && x >= 0)
  check.choice('activation', ['relu', 'tanh'])
  check.choice('initialisation', ['orthogonal', 'uniform'])
  check.choice('draw', ['shuffle', 'replacement'])
  check.choice('returns', ['gae', 'monte-carlo'])
  check.choice('normalise', ['mini-batch', 'rollout', 'never'])
  check.choice('sharedNorm', [true, false])
  check.positive('policyLearningRate', 'valueLearningRate', 'adamEpsilon', 'rewardScale')
  check.number('initialDeviation', 'in [1e-6, 1e6]', (x) => x >= 1e-6 && x <= 1e6)
  check.shares('lambda')
  check.number('clip', 'in (0, 1)', (x) => x > 0 && x < 1)
  check.notNegative('maxGradientNorm', 'valueClip', 'valueWeight', 'entropyWeight')
}
