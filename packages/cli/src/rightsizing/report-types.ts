// What `trimtab rightsize` found, as plain data: for --json, for the terminal and for the page.
import type { LabelError } from '@trimtab/tasks'

export interface TableFacts {
  readonly name: string
  readonly workloads: number
  readonly configurations: number
  readonly counters: number
  /** Of rows: used, failed, without a runtime, averaged with another of their cell. */
  readonly rows: {
    readonly used: number
    readonly failed: number
    readonly unmeasured: number
    readonly repeated: number
  }
}

export interface PredictorErrors {
  readonly name: string
  /** Asked for; the others are there to compare with, given the same labels. */
  readonly isChosen: boolean
  readonly errors: readonly LabelError[]
}

/** How well runtimes of unseen workloads are predicted. */
export interface EvaluationReport {
  readonly format: 'trimtab-rightsize-evaluation'
  readonly version: 1
  readonly table: TableFacts
  readonly settings: {
    readonly labels: readonly number[]
    readonly folds: number
    readonly repeats: number
    readonly draws: number
    readonly seed: number
  }
  readonly predictors: readonly PredictorErrors[]
}

export interface ForecastRow {
  readonly configuration: string
  readonly isMeasured: boolean
  readonly seconds: number
  /** null where the pool is too small for an interval. */
  readonly low: number | null
  readonly high: number | null
  /** null where the table has no prices. */
  readonly usd: number | null
  readonly fit: 'sure' | 'likely' | 'no'
}

/** Which configuration a workload should run on. */
export interface AdviceReport {
  readonly format: 'trimtab-rightsize-advice'
  readonly version: 1
  readonly table: TableFacts
  readonly workload: string
  readonly predictor: string
  /** Workloads that were learnt from. */
  readonly pool: number
  readonly measured: number
  readonly settings: { readonly maxSeconds: number | null; readonly confidencePercent: number; readonly seed: number }
  readonly best: ForecastRow | null
  /** By cost, then runtime. */
  readonly forecasts: readonly ForecastRow[]
}
