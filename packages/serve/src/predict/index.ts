export {
  countOrdered,
  type LengthScores,
  type PredictedLength,
  predictRows,
  scoreLengths,
} from './evaluate.js'
export {
  type LengthExample,
  type LengthFitOptions,
  LengthPredictor,
  type LengthPredictorOptions,
  MOST_OUTPUT_TOKENS,
  type SaveOptions,
} from './length-predictor.js'
export { type NamedEntry, NameTable } from './name-table.js'
export { CONTEXT_TOKENS, concatenateRounds, estimateTokens, type Message, textOf } from './rounds.js'
export { ServedLengths, type ServedModelLengths } from './served-lengths.js'
export type { LengthEstimator, LengthPrediction, LengthRequest } from './types.js'
