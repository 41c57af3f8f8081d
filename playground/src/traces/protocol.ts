// What the page of traces and its worker say to each other.
import type { PlaceView, SpeedChange, TraceReport, WhatIfView } from 'trimtab/trace/report'

export interface Question {
  readonly source:
    | { readonly type: 'sample'; readonly name: string }
    | {
        readonly type: 'files'
        readonly files: readonly File[]
        /** Traces of a time when all was well; empty: there are none. */
        readonly baseline: readonly File[]
      }
  readonly service?: string
  readonly slice?: { readonly from: number; readonly to: number }
  readonly mode: 'blocking' | 'to-trace-end' | 'firm'
  readonly overlapTolerance: 'auto' | 0
}

export type ToWorker =
  | { readonly type: 'analyse'; readonly question: Question }
  /** Of the requests analysed last. */
  | { readonly type: 'what-if'; readonly change: SpeedChange }

/** That place made so many times as fast. */
export const changeOf = ({ service, callee, kind = 'call' }: PlaceView, speedUp: number): SpeedChange => ({
  service,
  ...(callee !== undefined && { callee, kind }),
  speedUp,
})

export type FromWorker =
  | { readonly type: 'progress'; readonly read01: number; readonly spans: number; readonly spansPerSecond: number }
  | {
      readonly type: 'done'
      readonly report: TraceReport
      /** Everything that a request can reach, for the form. */
      readonly services: readonly string[]
      /** What it took; a recorded answer took nothing. */
      readonly seconds?: number
    }
  | { readonly type: 'what-if'; readonly view: WhatIfView }
  | { readonly type: 'failed'; readonly message: string }
