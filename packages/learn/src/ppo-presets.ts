import type { PpoOptions } from './ppo-options.js'

/** Options with the setting they were made for. */
export interface PpoPreset extends PpoOptions {
  /** Inputs, outputs of the policy and steps per episode in the source. For orientation: the spaces decide. */
  readonly setting: { readonly stateSize: number; readonly actionSize: number; readonly episodeSteps: number }
}

/** CleanRL's and Stable-Baselines3's common ground. */
const SOUND = {
  hidden: [64, 64],
  activation: 'tanh',
  initialisation: 'orthogonal',
  initialDeviation: 1,
  rolloutSteps: 2048,
  miniBatchSize: 64,
  epochs: 10,
  draw: 'shuffle',
  policyLearningRate: 3e-4,
  valueLearningRate: 3e-4,
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
} as const

/** Named sets of options. `default` is sound for most tasks; the others are as their papers print them. */
export const ppoPresets: { readonly default: PpoPreset; readonly aurora: PpoPreset; readonly simppo: PpoPreset } = {
  /** Separate 64-64 tanh networks; a rollout short enough that the episodes of the tasks here, of 100 steps, teach soon. */
  default: {
    ...SOUND,
    setting: { stateSize: 12, actionSize: 3, episodeSteps: 100 },
    rolloutSteps: 512,
    initialDeviation: 0.5, // of a range of 2
    policyLearningRate: 1e-3,
    valueLearningRate: 1e-3,
    discount: 0.9, // as `ddpg`'s: an action shows within a step or two
  },

  /** Aurora's congestion control, dissertation table A.7 (Stable-Baselines3's defaults with entropy .005) and PCC-RL's networks. */
  aurora: {
    ...SOUND,
    setting: { stateSize: 30, actionSize: 1, episodeSteps: 400 }, // ten intervals of three measurements
    hidden: [32, 16], // PCC-RL: two networks of 32-16 tanh
    entropyWeight: 0.005, // table A.7
    rewardScale: 1e-3, // PCC-RL scales its rewards, which count packets per second, by a thousandth
  },

  /** SIMPPO, dissertation 4.7 and its released code: plain returns, tiny mini-batches drawn with replacement. */
  simppo: {
    ...SOUND,
    setting: { stateSize: 7, actionSize: 5, episodeSteps: 50 },
    activation: 'relu', // code: 64-64 ReLU with PyTorch's first weights
    initialisation: 'uniform',
    rolloutSteps: 250, // five episodes of 50
    miniBatchSize: 5,
    epochs: 5,
    draw: 'replacement',
    adamEpsilon: 1e-8,
    maxGradientNorm: 0,
    returns: 'monte-carlo',
    valueWeight: 0.05,
    entropyWeight: 0.01,
    normalise: 'rollout',
  },
}

/** A preset of PPO. */
export type PpoPresetName = keyof typeof ppoPresets
