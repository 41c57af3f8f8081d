// Schedules of a log of requests, compared in a simulated server: readers, estimates, policies, measures.
export type { Admission, ExpectedTokens } from './admission.js'
export { type EngineModel, type EngineRequests, type EngineTimes, runEngine } from './engine.js'
export {
  errorsOf,
  estimateRows,
  estimateRowsWithErrors,
  onlineEstimator,
  pairwiseOrder,
  rowEstimator,
} from './estimates.js'
export { type Measures, measure, type ServedTimes } from './measure.js'
export { estimateWithErrors, type MeasuredErrors, measureErrors } from './measured-errors.js'
export { estimateOnline } from './online.js'
export { fcfsSecondsPerRequest, type RequestEstimates, type ServerModel, serve } from './policies.js'
export type { PolicyCurves, PolicyName, PolicyResult, ScheduleReport, SeedSpread } from './report-types.js'
export { type LoggedRequest, type RequestLog, readRequestLog } from './requests.js'
export {
  compareSchedules,
  type Estimator,
  runPolicy,
  type ScheduleRun,
  type ScheduleSettings,
  spreadOf,
} from './work.js'
export {
  type ArrivalPattern,
  atGap,
  drawWorkload,
  type LogWorkload,
  type LogWorkloadOptions,
  patternOf,
} from './workload.js'
