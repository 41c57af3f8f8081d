// Traces as a page shows them: analysis in, plain data and HTML out. Behind `trimtab trace` and the playground alike.

export type { TraceInput } from '@trimtab/trace'
export { type Findings, TraceAnalysis } from './analysis.js'
export { type ReadHooks, readPaths, type Selection, selectPaths } from './read-paths.js'
export { duration as durationText, placeText, speed as speedText } from './report/format.js'
export { mountTraceReport, renderPartsStyle, renderTraceParts, renderTraceReport } from './report/index.js'
export type * from './report/types.js'
export { suspectFixes, suspectsAgainst, suspectsWithin, withGains } from './suspects.js'
export { baselineChanges, Replay, usualChanges } from './what-if.js'
