export type { SpanChange } from './change.js'
export type { Retimed } from './retime.js'
export { OwnTimes, UsualTimes } from './usual-times.js'
export { WhatIf, type WhatIfOptions, whatIf } from './what-if.js'
