export type { LengthEstimator, LengthPrediction, LengthRequest } from './types.js'
