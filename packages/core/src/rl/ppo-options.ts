import { checkCounts } from '../checks.js'
import { Problems } from '../errors.js'
import type { LearnExports } from '../exports/learn.js'
import type { Sizes } from '../memory/arena.js'

/** Sizes and hyperparameters of a PPO agent. S: state, Z: context, G: global, A: action, C: capacity of the rollout. */
export interface PpoKernelOptions {
  readonly stateSize: number
  /** Z, columns of a context behind the state, seen by both networks. Default 0. */
  readonly contextSize?: number
  /** G, what the value network sees behind state and context and the policy never does. Default 0. */
  readonly globalSize?: number
  /** How many categories there are to choose from, of all heads together, or how many numbers an action has. */
  readonly actionSize: number
  /** How many of the categories belong to each head, one choice a head; they sum to `actionSize`. Default: one head of all. */
  readonly heads?: readonly number[]
  /** `categorical`: one choice of each head. `gaussian`: independent normals whose deviations depend on no state. */
  readonly policy: 'categorical' | 'gaussian'
  /** Hidden widths of policy and value network; none: both are linear. */
  readonly hidden: readonly number[]
  readonly activation: 'relu' | 'tanh'
  /** `orthogonal`: gains √2, 0.01 (policy) and 1 (value), as CleanRL; `uniform`: ±1/sqrt(in), as PyTorch. Default `orthogonal`. */
  readonly initialisation?: 'orthogonal' | 'uniform'
  /** log of a Gaussian's first deviations. Default 0. */
  readonly initialLogDeviation?: number
  /** Most steps of a rollout. */
  readonly capacity: number
  readonly miniBatchSize: number
  /** Streams of episodes that share the rollout, each with a context of its own. Default 1. */
  readonly partitions?: number
  readonly seed: number
  readonly policyLearningRate: number
  readonly valueLearningRate: number
  /** Adam's ε. Default 1e-8. */
  readonly adamEpsilon?: number
  /** Gradients of a larger L2 norm are scaled down to it. Default 0: never. */
  readonly maxGradientNorm?: number
  /** The norm is that of both networks together, as of one optimiser, instead of each one's own. Default false. */
  readonly sharedNorm?: boolean
  /** γ */
  readonly discount: number
  /** λ of generalised advantage estimation; not used by Monte-Carlo returns. */
  readonly lambda: number
  /** `monte-carlo`: plain returns, no λ and no value behind the last step of an episode. Default `gae`. */
  readonly returns?: 'gae' | 'monte-carlo'
  /** The probability ratio's incentive ends at 1 ± clip. */
  readonly clip: number
  /** Values may move so far from what they were and gain by it. Default 0: any distance. */
  readonly valueClip?: number
  /** Weight of mean (V − return)². */
  readonly valueWeight: number
  readonly entropyWeight: number
  /** Where advantages are brought to mean 0 and deviation 1. Default `mini-batch`. */
  readonly normalise?: 'mini-batch' | 'rollout' | 'never'
  /** How an epoch makes its mini-batches: every step once, or as many steps drawn with replacement. Default `shuffle`. */
  readonly draw?: 'shuffle' | 'replacement'
}

export const withDefaults = (options: PpoKernelOptions): Required<PpoKernelOptions> => ({
  contextSize: 0,
  globalSize: 0,
  heads: options.policy === 'gaussian' ? [] : [options.actionSize],
  initialisation: 'orthogonal',
  initialLogDeviation: 0,
  partitions: 1,
  adamEpsilon: 1e-8,
  maxGradientNorm: 0,
  sharedNorm: false,
  returns: 'gae',
  valueClip: 0,
  normalise: 'mini-batch',
  draw: 'shuffle',
  ...options,
})

const CHOICES = {
  policy: ['categorical', 'gaussian'],
  activation: ['relu', 'tanh'],
  initialisation: ['orthogonal', 'uniform'],
  returns: ['gae', 'monte-carlo'],
  normalise: ['never', 'mini-batch', 'rollout'],
  draw: ['shuffle', 'replacement'],
} as const

/** The words of the shape that the core plans by. */
export const shapeOf = (options: Required<PpoKernelOptions>): Sizes => ({
  stateSize: options.stateSize,
  contextSize: options.contextSize,
  globalSize: options.globalSize,
  actionSize: options.actionSize,
  gaussian: options.policy === 'gaussian' ? 1 : 0,
  miniBatchSize: options.miniBatchSize,
  capacity: options.capacity,
  partitions: options.partitions,
  activation: options.activation === 'tanh' ? 2 : 1, // assembly/nn/activation.ts
  hidden: options.hidden,
  heads: options.heads,
})

/** K: an index a head, or the numbers of a Gaussian's action. */
export const actionWidthOf = ({ policy, actionSize, heads }: Required<PpoKernelOptions>): number =>
  policy === 'gaussian' ? actionSize : heads.length

type BehindPointer<Name extends 'ppo_configure' | 'ppo_configure_adam'> =
  Parameters<LearnExports[Name]> extends [number, ...infer Rest] ? Rest : never

/** The arguments of ppo_configure and ppo_configure_adam, behind the pointer. */
export const lossArguments = (options: Required<PpoKernelOptions>): BehindPointer<'ppo_configure'> => [
  options.discount,
  options.lambda,
  options.returns === 'monte-carlo' ? 1 : 0,
  options.clip,
  options.valueClip,
  options.valueWeight,
  options.entropyWeight,
  CHOICES.normalise.indexOf(options.normalise),
  options.draw === 'replacement' ? 1 : 0,
]
export const adamArguments = (options: Required<PpoKernelOptions>): BehindPointer<'ppo_configure_adam'> => [
  options.policyLearningRate,
  options.valueLearningRate,
  options.adamEpsilon,
  options.maxGradientNorm,
  options.sharedNorm ? 1 : 0,
]

/** @throws {ConfigError} `config_invalid` with every problem */
export function checkPpoOptions(options: Required<PpoKernelOptions>): void {
  const problems = new Problems()
  const { stateSize, actionSize, capacity, miniBatchSize, partitions, contextSize, globalSize, hidden, heads } = options
  const { seed, adamEpsilon, clip, initialLogDeviation } = options
  checkCounts(problems, { stateSize, actionSize, capacity, miniBatchSize, partitions, hidden, heads })
  if (contextSize !== 0) checkCounts(problems, { contextSize })
  if (globalSize !== 0) checkCounts(problems, { globalSize })
  const choices = heads.reduce((sum, size) => sum + size, 0)
  problems.check(
    choices === (options.policy === 'gaussian' ? 0 : actionSize),
    `heads of a categorical must sum to actionSize ${actionSize}, and a Gaussian has none, got [${heads.join(', ')}]`,
  )
  problems.check(Number.isSafeInteger(seed), `seed must be a safe integer, got ${seed}`)
  for (const [name, choices] of Object.entries(CHOICES) as [keyof typeof CHOICES, readonly string[]][]) {
    problems.check(
      choices.includes(options[name]),
      `${name} must be one of ${choices.join(', ')}, got ${options[name]}`,
    )
  }
  for (const name of ['discount', 'lambda'] as const) {
    problems.check(options[name] >= 0 && options[name] <= 1, `${name} must be in [0, 1], got ${options[name]}`)
  }
  problems.check(clip > 0 && clip < 1, `clip must be in (0, 1), got ${clip}`)
  problems.check(adamEpsilon > 0 && adamEpsilon < Infinity, `adamEpsilon must be > 0, got ${adamEpsilon}`)
  problems.check(
    Math.abs(initialLogDeviation) <= 20,
    `initialLogDeviation must be within ±20, got ${initialLogDeviation}`,
  )
  for (const name of [
    ...['policyLearningRate', 'valueLearningRate', 'maxGradientNorm'],
    ...['valueClip', 'valueWeight', 'entropyWeight'],
  ] as (
    | 'policyLearningRate'
    | 'valueLearningRate'
    | 'maxGradientNorm'
    | 'valueClip'
    | 'valueWeight'
    | 'entropyWeight'
  )[]) {
    problems.check(Number.isFinite(options[name]) && options[name] >= 0, `${name} must be >= 0, got ${options[name]}`)
  }
  problems.throwIfAny('PpoKernel')
}
