export {
  readSafetensors,
  type SafetensorsFile,
  type StoredTensor,
  type TensorDtype,
  writeSafetensors,
} from '@trimtab/core'
export { linearMap, linearUnmap, logMap, logUnmap, ternarySteps } from './action-map.js'
export type { AgentPreset, AgentSetup, SharedAgentSetup } from './agent-setup.js'
export { Bcq, type BcqSetup, createBcq } from './bcq.js'
export { type BcqOptions, bcqDefaults } from './bcq-options.js'
export { createDdpg, Ddpg, type DdpgExplanation, type DdpgPolicy, type DdpgSetup } from './ddpg.js'
export { type DdpgOptions, ddpgDefaults } from './ddpg-options.js'
export { createDqn, Dqn, type DqnExplanation, type DqnSetup, type DqnUpdateReport } from './dqn.js'
export { type DqnOptions, dqnDefaults } from './dqn-options.js'
export * from './episode/index.js'
export { type EpsilonSchedule, epsilonAt } from './epsilon.js'
export * from './many/index.js'
export * from './meta/index.js'
export {
  ExplorationNoise,
  type NoiseOptions,
  type NoiseProcess,
  type NoiseSchedule,
  type OrnsteinUhlenbeck,
  ornsteinUhlenbeckStep,
  scheduleValue,
} from './noise.js'
export { type NormaliserMoments, ObservationNormaliser } from './normaliser.js'
export {
  loadPolicy,
  Policy,
  type PolicyHead,
  type PolicyNetwork,
  type PolicyOptions,
  readPolicyNetwork,
} from './policy.js'
export {
  checkPurpose,
  POLICY_FORMAT_VERSION,
  type PolicyAlgorithm,
  type PolicyHeader,
  type PolicyPurpose,
  readPolicyFile,
  writePolicyFile,
} from './policy-file.js'
export { createPpo, Ppo, type PpoExplanation, type PpoSetup } from './ppo.js'
export { type PpoOptions, ppoDefaults } from './ppo-options.js'
export { createQTable, QTable, type QTableOptions, type QTableSetup, qTableDefaults } from './q-table.js'
export {
  createRegressor,
  type FitOptions,
  type FitReport,
  Regressor,
  type RegressorOptions,
  type RegressorSetup,
  regressorDefaults,
} from './regressor.js'
export type { SharedAgent } from './shared-agent.js'
export { boxSpace, choicesOf, discreteSpace, headsOf, headsSpace } from './spaces.js'
