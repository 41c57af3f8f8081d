import type { BaseLearnerChoice } from '@trimtab/learn'

/** What congestion control is learned with: PPO as Aurora's; rewards come scaled from the simulator. */
export const CONGESTION_LEARNER: BaseLearnerChoice = {
  algorithm: 'ppo',
  preset: 'aurora',
  options: { rewardScale: 1 },
}
