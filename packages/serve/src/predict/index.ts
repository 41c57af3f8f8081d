export {
  type FitOptions,
  type LengthExample,
  LengthPredictor,
  type LengthPredictorOptions,
} from './length-predictor.js'
export type { LengthEstimator, LengthPrediction, LengthRequest } from './types.js'
