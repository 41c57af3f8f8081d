// The scores as a person reads them on a terminal.
import { type Column, formatTable, type Paint, type Row } from '../terminal.js'
import type { GroupScores, LengthEvaluation } from './report-types.js'

const COLUMNS: readonly Column[] = [
  { title: 'rows', align: 'right' },
  { title: 'accuracy', align: 'right' },
  { title: 'L1', align: 'right' },
  { title: 'order', align: 'right' },
]

const cellsOf = ({ name, rows, accuracy, l1, order }: GroupScores): string[] => [
  name,
  `${rows}`,
  accuracy.toFixed(3),
  l1.toFixed(3),
  order === null ? '–' : order.toFixed(3),
]

export function formatLengthEvaluation(report: LengthEvaluation, paint: Paint): string {
  const rows: Row[] = [
    cellsOf(report.all),
    { caption: 'by source' },
    ...report.sources.map(cellsOf),
    { caption: 'by model' },
    ...report.models.map(cellsOf),
  ]
  const lines = [
    paint.dim(`${describePredictor(report)} · ${report.file}${report.where ? ` where ${report.where}` : ''}`),
    '',
    formatTable([{ title: '', align: 'left' }, ...COLUMNS], rows, paint),
    '',
    `${report.microseconds320.toFixed(2)} µs a prediction (320 characters)`,
  ]
  const { learning } = report
  if (learning) {
    const points = learning.curve.map((point) => [`${point.finished}`, ...cellsOf(point).slice(2)])
    const columns: Column[] = [{ title: 'finished', align: 'right' }, ...COLUMNS.slice(1)]
    lines.push('', `as it learns from ${learning.file}:`, formatTable(columns, points, paint))
  }
  return `${lines.join('\n')}\n`
}

/** Who predicted, and what it knew. */
export function describePredictor({ predictor }: LengthEvaluation): string {
  const { name, trainedOn } = predictor
  const parts = trainedOn.map((source) => `${source.name} ${source.rows}`)
  return parts.length > 0 ? `${name}, trained on ${parts.join(', ')}` : name
}
