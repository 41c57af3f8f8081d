export { AgentSums } from './agent-sums.js'
export { type EvaluateManyOptions, evaluateMany, type ManyEvaluation } from './evaluate-many.js'
export { type ImitateManyOptions, imitateMany } from './imitate-many.js'
export {
  type AgentRows,
  type ManyController,
  type ManyImitator,
  type ManyLearner,
  type ManyTransition,
  ruleOfEach,
} from './many-agent.js'
export { MANY_CORRECTIONS, MANY_TENANTS, SIMPPO_COMPACT, SIMPPO_FULL } from './presets.js'
export {
  type ManyEnvironment,
  type ManyEpisodeOptions,
  type ManyPilot,
  type ManySummary,
  type ManyTick,
  runManyEpisode,
} from './run-many.js'
export { type TrainManyOptions, trainMany } from './train-many.js'
export { type GlobalVariable, writeOthers } from './write-others.js'
