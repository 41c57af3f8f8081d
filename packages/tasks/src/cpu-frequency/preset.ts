import type { AgentPreset, BaseLearnerChoice, DqnOptions } from '@trimtab/learn'

/**
 * Learns within some thousand steps: soft targets, an update a step, a warm-up of ten episodes instead of five hundred. A frequency
 * shows within a step, so γ is low: over three applications 0.9 earned up to 6 % less than the best fixed level, 0.5 just as much.
 */
export const FREQUENCY_DQN: AgentPreset<DqnOptions> = {
  preset: 'cpu-frequency',
  options: {
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
}

/** SmartOverclock with table A.5, the defaults of an older Stable-Baselines3; what the table leaves out is that library's. */
export const SMARTOVERCLOCK_DQN: AgentPreset<DqnOptions> = {
  preset: 'smartoverclock-literal',
  options: {
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

/** What CPU frequency is learned with: DQN over the levels. */
export const FREQUENCY_LEARNER: BaseLearnerChoice = {
  algorithm: 'dqn',
  preset: FREQUENCY_DQN.preset,
  options: { ...FREQUENCY_DQN.options },
}
