export { STOCK_ALLOCATION } from './container-allocation.js'
export { findFunctions } from './find-functions.js'
export {
  type CallEnd,
  type ContainerOptions,
  type FunctionCallOptions,
  FunctionContainer,
  type FunctionSource,
} from './function-container.js'
export { FunctionPool, type FunctionPoolOptions } from './function-pool.js'
export {
  type BurstShape,
  burstyRates,
  drawArrivals,
  type FunctionLoad,
  type PlannedRequest,
} from './load/arrivals.js'
export { type LoadTarget, type RequestOutcome, sendLoad } from './load/load-generator.js'
export { LocalPlatform, type LocalPlatformOptions, MEMORY_MIB } from './local-platform.js'
export {
  CONTAINER_MIB,
  type LocalFunction,
  LocalServing,
  type LocalServingOptions,
  type LocalTick,
} from './local-serving.js'
export { type Lodger, MachineRoom, type MachineRoomOptions } from './machine-room.js'
export {
  decideAsStock,
  decideByDemand,
  decideByLocalPolicy,
  type LocalPolicyOptions,
  learnedPolicy,
} from './policy/local-deciders.js'
export type { PoolTotals } from './pool-tally.js'
export { PoolTenants } from './pool-tenants.js'
export { BURN_FUNCTION } from './programs.js'
export { quantileOf } from './quantile.js'
export { StockRule } from './stock-rule.js'
export { type Arm, type BlockHooks, type BlockResult, type BlockSetup, runBlock } from './trial/block.js'
export { DEMO_FUNCTIONS, DEMO_MEMORY_MIB, demoRequests } from './trial/demo.js'
export { type MachineState, measureMachine, whyTooBusy } from './trial/machine.js'
export { runArms, type TrialHooks, type TrialSetup } from './trial/trial.js'
export { type ArmVerdict, doubtsOf, verdictsOf } from './trial/verdict.js'
