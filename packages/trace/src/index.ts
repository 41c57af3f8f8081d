export { Names } from './names.js'
export { REPAIRS, type RepairCode, type RepairCount, Repairs } from './repairs.js'
export { ERROR, FOLLOWS_FROM, KINDS, type Span, type SpanKind, type Trace } from './types.js'
