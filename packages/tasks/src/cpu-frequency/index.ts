export { type FrequencyPair, generateFrequencyPair, type Phase } from './application.js'
export { FixedFrequency, OverclockingRule } from './baselines.js'
export { FREQUENCY_DQN, SMARTOVERCLOCK_DQN } from './preset.js'
export { LEVELS, PROCESSORS, type Processor, type ProcessorName } from './processors.js'
export {
  FREQUENCY_REWARDS,
  type FrequencyOutcome,
  type FrequencyReward,
  type FrequencyRewardName,
  frequencyReward,
} from './reward.js'
export { FrequencyEnvironment, type FrequencyInfo } from './simulator.js'
export { FREQUENCY_ACTION, FREQUENCY_OBSERVATION } from './spaces.js'
export { CPU_FREQUENCY, CPU_FREQUENCY_LITERAL } from './task.js'
