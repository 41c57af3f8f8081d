export type { LabelledTrace } from './csv.js'
export type { TraceFormat } from './format.js'
export { parseTraces, type ReadOptions, readSpanTable, readTraces } from './read-traces.js'
export type { TraceSource } from './source.js'
