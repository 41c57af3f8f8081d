export type { ColumnNames } from './columns.js'
export {
  type CrossValidationOptions,
  crossValidate,
  type FoldDone,
  finish,
} from './cross-validation.js'
export { generateServerless, type ServerlessOptions } from './generator.js'
export { type HeldOut, type HeldOutOptions, heldOut } from './held-out.js'
export { AWS_USD_PER_GB_SECOND, LAMBDA_SIZES_MB } from './lambda.js'
export { type EmbeddingOptions, type NetworkOptions, networkPredictor } from './network.js'
export type { FitPredictor, Prediction, Predictor, Sample } from './predictor.js'
export { fitBest, STATISTICAL_PREDICTORS } from './predictors/index.js'
export { NETWORK_PRESETS, SET_EMBEDDING } from './preset.js'
export { type ReadTableOptions, readRuntimeTable } from './read-table.js'
export { type Recommendation, type RecommendOptions, type RuntimeForecast, recommend } from './recommend.js'
export {
  type Configuration,
  type MeasuredWorkload,
  type Measurement,
  measuredOn,
  type RuntimeTable,
  RuntimeTableBuilder,
  withWorkloads,
} from './runtime-table.js'
export { sampleOf, samplesFor, samplesOf } from './samples.js'
export { RIGHTSIZING } from './task.js'
