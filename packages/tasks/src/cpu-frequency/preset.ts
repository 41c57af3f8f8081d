import type { BaseLearnerChoice } from '@trimtab/learn'

/** What CPU frequency is learned with: DQN over the levels. */
export const FREQUENCY_LEARNER: BaseLearnerChoice = { algorithm: 'dqn', preset: 'cpu-frequency', options: {} }
