// What the page of serving and its worker say to each other. The number tells which question an answer is for: the page wants the last.
import type { Comparison, Settings } from './comparison.js'
import type { PowerComparison, PowerSettings } from './power.js'

export interface ToWorker {
  readonly number: number
  readonly settings: Settings
  /** Whose requests are served; without it, those that the page makes up. */
  readonly log: File | undefined
  /** Of a log: whether the predictor is told each length when that request is done. */
  readonly isLearning: boolean
  readonly power: PowerSettings
}

export type FromWorker =
  | { readonly type: 'comparison'; readonly number: number; readonly comparison: Comparison }
  | { readonly type: 'power'; readonly number: number; readonly power: PowerComparison }
  | { readonly type: 'failed'; readonly number: number; readonly message: string }
