// Tables in, findings out: what `trimtab rightsize` does between reading and showing.
import { type Core, createCore } from '@trimtab/core'
import type { LabelError } from '@trimtab/tasks'
import {
  type CrossValidationOptions,
  crossValidate,
  type RecommendOptions,
  type RuntimeForecast,
  type RuntimeTable,
  recommend,
  type Sample,
} from '@trimtab/tasks/rightsizing'
import type { Host } from '../host.js'
import { createProgress } from '../progress.js'
import { BASELINES, PREDICTORS } from './predictors.js'
import type { AdviceReport, EvaluationReport, ForecastRow, TableFacts } from './report-types.js'

const factsOf = ({ name, workloads, configurations, counters, rows }: RuntimeTable): TableFacts => ({
  name,
  workloads: workloads.length,
  configurations: configurations.length,
  counters: counters.length,
  rows,
})

/** Cross-validates the predictor and every baseline, with progress on stderr. */
export async function evaluateTable(
  table: RuntimeTable,
  predictor: string,
  options: Required<Omit<CrossValidationOptions, 'configurations'>>,
  host: Host,
): Promise<EvaluationReport> {
  const core = await createCore()
  const names = [predictor, ...BASELINES.filter((name) => name !== predictor)]
  const progress = createProgress(host, 'folds')
  const predictors = []
  try {
    for (const [i, name] of names.entries()) {
      const steps = crossValidate(core, table, PREDICTORS[name]!, options)
      const errors = drain(steps, ({ done, total }) =>
        progress.update({ done: i * total + done, total: names.length * total, label: name }),
      )
      predictors.push({ name, isChosen: name === predictor, errors })
    }
  } finally {
    progress.finish()
  }
  const { labels, folds, repeats, draws, seed } = options
  const settings = { labels, folds: Math.min(folds, groupsOf(table)), repeats, draws, seed }
  return { format: 'trimtab-rightsize-evaluation', version: 1, table: factsOf(table), settings, predictors }
}

const groupsOf = ({ workloads }: RuntimeTable): number => new Set(workloads.map(({ group }) => group)).size

/** Runs to the end. */
function drain<Step>(steps: Generator<Step, LabelError[]>, onStep: (step: Step) => void): LabelError[] {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    onStep(value)
  }
}

export interface AdviceRequest {
  readonly pool: RuntimeTable
  readonly workload: string
  readonly samples: readonly Sample[]
  readonly predictor: string
}

/** @throws {ConfigError} `samples_invalid`, `table_invalid` */
export async function advise(
  { pool, workload, samples, predictor }: AdviceRequest,
  options: Required<RecommendOptions>,
): Promise<AdviceReport> {
  const core: Core = await createCore()
  const found = recommend(core, pool, PREDICTORS[predictor]!, samples, options)
  const { maxSeconds, confidence, seed } = options
  return {
    format: 'trimtab-rightsize-advice',
    version: 1,
    table: factsOf(pool),
    workload,
    predictor: found.predictor || predictor,
    pool: found.pool,
    measured: samples.length,
    settings: { maxSeconds: orNull(maxSeconds), confidencePercent: confidence * 100, seed },
    best: found.best ? toRow(found.best) : null,
    forecasts: found.forecasts.map(toRow),
  }
}

const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null)

const toRow = ({ configuration, isMeasured, seconds, low, high, usd, fit }: RuntimeForecast): ForecastRow => ({
  configuration: configuration.name,
  isMeasured,
  seconds,
  low: Number.isFinite(high) ? low : null,
  high: orNull(high),
  usd: orNull(usd),
  fit,
})
