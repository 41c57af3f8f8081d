// The findings as a person reads them on a terminal.
import { type Column, formatTable, type Paint } from '../terminal.js'
import type { AdviceReport, EvaluationReport, ForecastRow, TableFacts } from './report-types.js'

/** `12.3`, `0.0456`, `1230`: three digits that count. */
export const short = (value: number): string => {
  if (value >= 1000) return value.toFixed(0)
  return value >= 1e-3 ? String(Number(value.toPrecision(3))) : value.toExponential(2)
}

/** What was used of the table and what was not. */
export function describeTable({ name, workloads, configurations, rows }: TableFacts): string {
  const left = [
    rows.failed > 0 ? `${rows.failed} failed runs left out` : '',
    rows.unmeasured > 0 ? `${rows.unmeasured} without a runtime left out` : '',
    rows.repeated > 0 ? `${rows.repeated} repeats averaged` : '',
  ].filter(Boolean)
  return [`${name}: ${workloads} workloads × ${configurations} configurations, ${rows.used} rows`, ...left].join(' · ')
}

/** One row a predictor, one column a number of labels: MAPE, as a share, ± its deviation over repeats. */
export function formatEvaluation({ table, settings, predictors }: EvaluationReport, paint: Paint): string {
  const labels = settings.labels.filter((count) =>
    predictors.some(({ errors }) => errors.some((e) => e.labels === count)),
  )
  const columns: Column[] = [
    { title: 'predictor', align: 'left' },
    ...labels.map((count) => ({ title: `${count} measured`, align: 'right' as const })),
  ]
  const rows = predictors.map(({ name, errors }) => [
    name,
    ...labels.map((count) => {
      const error = errors.find((one) => one.labels === count)
      return error ? error.mape.toFixed(3) + (settings.repeats > 1 ? ` ± ${error.deviation.toFixed(3)}` : '') : '–'
    }),
  ])
  const chosen = predictors.findIndex(({ isChosen }) => isChosen)
  const lines = formatTable(columns, rows, paint)
    .split('\n')
    .map((line, i) => (i === chosen + 1 ? paint.accent(line) : line))
  return [
    paint.dim(describeTable(table)),
    paint.dim(
      `mean absolute percentage error (1 = 100 %) on workloads not learnt from, ${settings.folds} folds × ${settings.repeats}, by how many configurations were measured`,
    ),
    '',
    ...lines,
    '',
  ].join('\n')
}

const FITS = { sure: 'yes', likely: 'likely', no: 'no' } as const

/** What to run on, then the cheapest configurations in order. */
export function formatAdvice(report: AdviceReport, top: number, paint: Paint): string {
  const { settings, forecasts, workload, table } = report
  const hasLimit = settings.maxSeconds !== null
  const columns: Column[] = [
    { title: 'configuration', align: 'left' },
    { title: 'seconds', align: 'right' },
    { title: `${settings.confidencePercent} % interval`, align: 'right' },
    { title: 'USD a run', align: 'right' },
    ...(hasLimit ? [{ title: `≤ ${settings.maxSeconds} s`, align: 'left' as const }] : []),
  ]
  const rows = forecasts
    .slice(0, top)
    .map((one) => [
      one.configuration,
      short(one.seconds),
      intervalOf(one),
      one.usd === null ? '–' : short(one.usd),
      ...(hasLimit ? [FITS[one.fit]] : []),
    ])
  const left = forecasts.length - rows.length
  return [
    paint.dim(describeTable(table)),
    paint.dim(
      `${workload}: ${report.measured} measured, the rest predicted by ${report.predictor} from ${report.pool} workloads`,
    ),
    '',
    adviceOf(report, paint),
    '',
    formatTable(columns, rows, paint),
    ...(left > 0 ? [paint.dim(`… and ${left} more (--top, --json)`)] : []),
    '',
  ].join('\n')
}

export const intervalOf = ({ isMeasured, low, high }: ForecastRow): string => {
  if (isMeasured) return 'measured'
  return low === null || high === null ? 'unknown' : `${short(low)} – ${short(high)}`
}

function adviceOf({ best, settings, forecasts }: AdviceReport, paint: Paint): string {
  const { maxSeconds } = settings
  if (!best) {
    const fastest = forecasts.reduce((a, b) => (b.seconds < a.seconds ? b : a))
    return paint.bad(
      `nothing is predicted to take ${maxSeconds} s or less; the fastest, ${fastest.configuration}, takes ${short(fastest.seconds)} s`,
    )
  }
  const what = best.usd === null ? 'fastest' : 'cheapest'
  const limit =
    maxSeconds === null
      ? ''
      : best.fit === 'sure'
        ? ` that takes at most ${maxSeconds} s`
        : ` that probably takes at most ${maxSeconds} s (its interval reaches beyond: measure it)`
  const cost = best.usd === null ? '' : `, ${short(best.usd)} USD a run`
  return paint.good(`${what}${limit}: ${best.configuration}, ${short(best.seconds)} s${cost}`)
}
