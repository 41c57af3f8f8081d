import type { Problems } from '@trimtab/core'
import type { PpoKernelOptions } from '@trimtab/core/internal'

/** Everything that a PPO agent can be told; the networks' outer sizes and the kind of policy come from the spaces. */
export interface PpoOptions {
  /** Hidden layers of the policy and of the value network, which share nothing. */
  readonly hidden: readonly number[]
  readonly activation: 'relu' | 'tanh'
  /** First weights: `orthogonal` with a nearly indifferent policy, or `uniform` in ±1/sqrt(inputs). */
  readonly initialisation: 'orthogonal' | 'uniform'
  /** Standard deviation of a box's actions before anything is learned, in units of the range [−1, 1]. */
  readonly initialDeviation: number
  /** Steps between two updates; Monte-Carlo returns wait for the end of the episode, up to twice as many. */
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
): Omit<PpoKernelOptions, 'stateSize' | 'actionSize' | 'policy' | 'seed'> => ({
  ...options,
  capacity: rolloutCapacity(options),
  initialLogDeviation: core.math.log(options.initialDeviation),
})

/**
 * Notes everything that is wrong with the options, each with its path.
 * @param path  where the options stand in the caller's configuration, `options`
 */
export function checkPpoOptions(options: PpoOptions, problems: Problems, path: string): void {
  const number = (name: string, value: unknown, says: string, holds: (x: number) => boolean): void =>
    problems.check(
      typeof value === 'number' && Number.isFinite(value) && holds(value),
      `${path}.${name} must be ${says}, got ${String(value)}`,
    )
  const choice = (name: keyof PpoOptions, choices: readonly unknown[]): void =>
    problems.check(
      choices.includes(options[name]),
      `${path}.${name} must be one of ${choices.join(', ')}, got ${String(options[name])}`,
    )
  for (const [i, size] of options.hidden.entries()) {
    number(`hidden[${i}]`, size, 'a whole number ≥ 1', (x) => Number.isInteger(x) && x >= 1)
  }
  for (const name of ['rolloutSteps', 'miniBatchSize', 'epochs'] as const) {
    number(name, options[name], 'a whole number ≥ 1', (x) => Number.isInteger(x) && x >= 1)
  }
  number('calibrationSteps', options.calibrationSteps, 'a whole number ≥ 0', (x) => Number.isInteger(x) && x >= 0)
  choice('activation', ['relu', 'tanh'])
  choice('initialisation', ['orthogonal', 'uniform'])
  choice('draw', ['shuffle', 'replacement'])
  choice('returns', ['gae', 'monte-carlo'])
  choice('normalise', ['mini-batch', 'rollout', 'never'])
  choice('sharedNorm', [true, false])
  for (const name of ['policyLearningRate', 'valueLearningRate', 'adamEpsilon', 'rewardScale'] as const) {
    number(name, options[name], '> 0', (x) => x > 0)
  }
  number('initialDeviation', options.initialDeviation, 'in [1e-6, 1e6]', (x) => x >= 1e-6 && x <= 1e6)
  number('discount', options.discount, 'in [0, 1)', (x) => x >= 0 && x < 1)
  number('lambda', options.lambda, 'in [0, 1]', (x) => x >= 0 && x <= 1)
  number('clip', options.clip, 'in (0, 1)', (x) => x > 0 && x < 1)
  number('rewardBaseline', options.rewardBaseline, 'finite', () => true)
  for (const name of ['maxGradientNorm', 'valueClip', 'valueWeight', 'entropyWeight'] as const) {
    number(name, options[name], '≥ 0', (x) => x >= 0)
  }
}
