export { createTraceCore, createTraceCoreSync, type TraceCore } from '@trimtab/core/trace'
export { isComplete } from './completeness.js'
export {
  areaUnder,
  type ClassifierCalibration,
  type ClassifierOptions,
  type Component,
  type ComponentChange,
  type CongestionIntensity,
  type CriticalComponent,
  CriticalComponentClassifier,
  type CriticalComponentOptions,
  type CriticalComponents,
  criticalComponents,
  type Estimate,
  FEATURE_SETS,
  type FeatureDrift,
  type FeatureSet,
  type FeatureSetName,
  type Judged,
  type LabelledComponent,
  measureComponents,
  type OperatingPoint,
  pointAt,
  rocCurve,
  type Verdict,
} from './components/index.js'
export {
  BASELINES,
  type BaselineName,
  baselineRankings,
  type Culprit,
  type CulpritContext,
  type CulpritRanking,
  CulpritWindow,
  type CulpritWindowOptions,
  EVIDENCE,
  type EvidenceName,
  type Localisation,
  type OwnerChange,
  type RankOptions,
  rankCulprits,
  scoreGuessing,
  scoreRankings,
} from './culprits/index.js'
export { Names } from './names.js'
export { type Owner, ownerName } from './owner.js'
export { type ClockResolution, clockResolution } from './path/clock-resolution.js'
export { type ClockSkewOptions, correctClockSkew } from './path/clock-skew.js'
export { criticalPath, type Section } from './path/critical-path.js'
export { type DragAndSlack, dragAndSlack } from './path/drag-and-slack.js'
export {
  type JaegerUiSection,
  type JaegerUiSpan,
  type JaegerUiTrace,
  jaegerUiCriticalPath,
} from './path/jaeger-ui.js'
export type { PathOptions } from './path/options.js'
export { PathFinder } from './path/path-finder.js'
export { rowsOnPath } from './path/rows-on-path.js'
export { treesOf } from './path/trees.js'
export type { CriticalPath } from './path/types.js'
export {
  bucketStart,
  type CallPathChange,
  type CallPathProfile,
  type Change,
  Distribution,
  diffProfiles,
  type EdgeChange,
  type EdgeProfile,
  type EndpointChange,
  type EndpointProfile,
  type Exemplar,
  Histogram,
  type InstanceProfile,
  type Interval,
  type JudgedChange,
  Moments,
  Profile,
  type ProfileCell,
  type ProfileDiff,
  type QuantileChange,
  RELATIVE_ERROR,
  type ServiceChange,
  type ServiceProfile,
  type Slice,
  type SliceCell,
  type SliceOptions,
} from './profile/index.js'
export {
  type BatchFormat,
  type BatchTally,
  JoinedTraces,
  type LabelledTrace,
  LiveTraces,
  type LiveTracesOptions,
  parseTraces,
  READ_LIMITS,
  type ReadLimits,
  type ReadOptions,
  readSpanTable,
  readTraces,
  type StreamOptions,
  type TraceFormat,
  type TraceInput,
  type TraceSource,
  type Unpacker,
  type UnpackingStream,
} from './read/index.js'
export { REPAIRS, type RepairCode, type RepairCount, Repairs } from './repairs.js'
export { toSpans, traceFromSpans, tracesFromSpans } from './spans.js'
export { type SpanRow, TraceBuilder } from './trace-builder.js'
export { type Edge, ERROR, FOLLOWS_FROM, type Frame, KINDS, type Span, type SpanKind, type Trace } from './types.js'
export {
  OwnTimes,
  type Retimed,
  type SpanChange,
  UsualTimes,
  WhatIf,
  type WhatIfOptions,
  whatIf,
} from './what-if/index.js'
export { type PairKind, type SiblingPair, Workflow, type WorkflowEdge, wilsonInterval } from './workflow/index.js'
export {
  type CallTree,
  CallTreeBuilder,
  type CellSummary,
  callTree,
  foldedStacks,
  frameName,
  inclusiveOnPath,
  type Omitted,
  type PathAttributes,
  type PathSummary,
  type ProfileSummary,
  prometheusText,
  type SectionSummary,
  type SpanAttributes,
  type SpeedscopeEvent,
  type SpeedscopeFile,
  type SpeedscopeProfile,
  SpeedscopeWriter,
  spanAttributes,
  summarisePath,
  summariseProfile,
  summariseTimes,
  sumUp,
  type TimeSummary,
} from './write/index.js'
