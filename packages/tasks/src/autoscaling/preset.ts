import type { BaseLearnerChoice } from '@trimtab/learn'

/** What autoscaling on the relative view is learned with. */
export const AUTOSCALING_LEARNER: BaseLearnerChoice = { algorithm: 'ddpg', preset: 'autoscaling', options: {} }

/** The same for the pools of adaptation: on logarithmic scales, without a price on violations, rewards lie around 1.4. */
export const ADAPTATION_LEARNER: BaseLearnerChoice = {
  algorithm: 'ddpg',
  preset: 'autoscaling',
  options: { hidden: [64, 64], rewardBaseline: 1.4, averageRate: 0, updatesPerStep: 1 },
}
