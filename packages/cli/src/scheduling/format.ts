// The findings as a person reads them on a terminal.

import type { Batching } from '@trimtab/serve'
import { fixed } from '../report/format.js'
import { type Column, formatTable, type Paint, type Row } from '../terminal.js'
import type { PolicyName, PolicyResult, ScheduleReport, SeedSpread } from './report-types.js'

export const POLICY_LABELS: Readonly<Record<PolicyName, string>> = {
  fcfs: 'first come, first served',
  class: 'shortest class first',
  ssjf: 'shortest first, ageing',
  'ssjf-unaged': 'shortest first, no ageing',
  oracle: 'true lengths, no ageing',
}

export const BATCHING_LABELS: Readonly<Record<Batching, string>> = {
  none: 'no batching',
  dynamic: 'dynamic batching',
  continuous: 'continuous batching',
}

/** `12.3`, `1230`, `0.45`: three digits that count. */
export const short = (value: number): string => fixed(value, value >= 100 ? 0 : value >= 10 ? 1 : 2)

/** A ratio as a change: `−41 %`. */
export const change = (ratio: number): string => {
  const percent = fixed(100 * (ratio - 1), 0)
  return `${percent.startsWith('−') || percent === '0' ? '' : '+'}${percent} %`
}

const withSpread = ({ mean, deviation }: SeedSpread): string => `${short(mean)} ± ${short(deviation)}`

/** What was replayed, in two lines. */
export function describeRun({ log, estimates, settings }: ScheduleReport): readonly [string, string] {
  const { count, seeds, arrivals, servers, bypass } = settings
  const skipped = log.skipped > 0 ? `, ${log.skipped} rows left out` : ''
  const who = estimates
    ? ` · lengths from ${estimates.name}, ${fixed(estimates.pairwiseOrder, 3)} of pairs in the right order${estimates.isLearning ? ' before they learn' : ''}`
    : ''
  return [
    `${log.name}: ${log.requests} requests of ${log.models} ${log.models === 1 ? 'model' : 'models'}${skipped}${who}`,
    `simulated: ${count} requests × ${seeds} seeds, ${arrivals} · ${servers} ${servers === 1 ? 'server' : 'servers'}, ${settings.secondsPerRequest} s + ${settings.secondsPerToken} s a token · ageing: bypass ${bypass}`,
  ]
}

const COLUMNS: readonly Column[] = [
  { title: 'policy', align: 'left' },
  ...['mean JCT s', 'against FCFS', 'p50 s', 'p99 s', 'max wait s', 'against FCFS', 'requests/s', 'in SLO %'].map(
    (title) => ({ title, align: 'right' as const }),
  ),
]

function rowOf(result: PolicyResult): readonly string[] {
  const isBase = result.policy === 'fcfs'
  return [
    POLICY_LABELS[result.policy],
    withSpread(result.meanJctSeconds),
    isBase ? '' : change(result.meanJctOverFcfs.mean),
    short(result.p50JctSeconds.mean),
    short(result.p99JctSeconds.mean),
    short(result.maxWaitSeconds.mean),
    isBase ? '' : `${fixed(result.maxWaitOverFcfs.mean, 2)}× (worst ${fixed(result.maxWaitOverFcfs.worst, 2)}×)`,
    fixed(result.throughputPerSecond.mean, 3),
    fixed(100 * result.attainment01.mean, 1),
  ]
}

/** One row a policy, grouped by batching and load. */
export function formatSchedule(report: ScheduleReport, paint: Paint): string {
  const { batchings, loads } = report.settings
  const rows = batchings.flatMap((batching) =>
    loads.flatMap((load): Row[] => [
      { caption: `${BATCHING_LABELS[batching]}, ρ = ${load}` },
      ...report.results.filter((one) => one.batching === batching && one.load === load).map(rowOf),
    ]),
  )
  const lines = formatTable(COLUMNS, rows, paint)
    .split('\n')
    .map((line) => (line.startsWith(POLICY_LABELS.ssjf) ? paint.accent(line) : line))
  return [...describeRun(report).map((line) => paint.dim(line)), '', ...lines, ''].join('\n')
}
