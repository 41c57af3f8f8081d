export { inclusiveOnPath, type PathAttributes, type SpanAttributes, spanAttributes } from './attributes.js'
export { type CallTree, CallTreeBuilder, callTree, sumUp } from './call-tree.js'
export { foldedStacks, frameName } from './folded.js'
export { prometheusText } from './prometheus.js'
export { type SpeedscopeEvent, type SpeedscopeFile, type SpeedscopeProfile, SpeedscopeWriter } from './speedscope.js'
export {
  type CellSummary,
  type Omitted,
  type PathSummary,
  type ProfileSummary,
  type SectionSummary,
  summarisePath,
  summariseProfile,
  summariseTimes,
  type TimeSummary,
} from './summary.js'
