import type { AgentPreset, BaseLearnerChoice, PpoOptions } from '@trimtab/learn'

/** Stable-Baselines3's defaults, which the papers' codes start from, with CleanRL's choices where it names none. */
export const STABLE_BASELINES_PPO: PpoOptions = {
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
  valueClip: 0,
  valueWeight: 0.5,
  entropyWeight: 0,
  normalise: 'mini-batch',
  rewardBaseline: 0,
  rewardScale: 1,
  calibrationSteps: 0,
}

/** Aurora's congestion control, dissertation table A.7 (Stable-Baselines3's defaults with entropy .005) and PCC-RL's networks. */
export const AURORA: AgentPreset<PpoOptions> = {
  preset: 'aurora',
  options: {
    ...STABLE_BASELINES_PPO,
    hidden: [32, 16], // PCC-RL: two networks of 32-16 tanh; its input is ten intervals of three measurements
    entropyWeight: 0.005, // table A.7
    rewardScale: 1e-3, // PCC-RL scales its rewards, which count packets per second, by a thousandth
  },
}

/** What congestion control is learned with: PPO as Aurora's; rewards come scaled from the simulator. */
export const CONGESTION_LEARNER: BaseLearnerChoice = {
  algorithm: 'ppo',
  preset: AURORA.preset,
  options: { ...AURORA.options, rewardScale: 1 },
}
