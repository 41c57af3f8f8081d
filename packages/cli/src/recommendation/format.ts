import { formatCpu, formatMemory } from '@trimtab/kubernetes'
import type { Allocation } from '@trimtab/tasks/autoscaling'
import { type Column, formatTable, type Paint, type Row } from '../terminal.js'
import type { Proposal, RecommendReport } from './report-types.js'

const MIB = 2 ** 20
const LEVELS = '▁▂▃▄▅▆▇█'

/** A report for the terminal. */
export function formatRecommendation(report: RecommendReport, paint: Paint): string {
  const { target, policy, rule } = report
  const title = paint.bold(`${target.kind} ${target.name} in ${target.namespace}, container ${target.container}`)
  const chosen = policy ?? rule
  return [
    title,
    spanText(report),
    '',
    tableOf(report, paint),
    '',
    `${decidedText(chosen)} ${report.withoutPolicy ?? ''}`.trim(),
    sloText(report),
    ...sureText(report),
    `bounds: ${report.bounds.replicas.join(' to ')} replicas; a pod ${report.bounds.cpu} CPU, ${report.bounds.memory} memory`,
    '',
    ...plotOf(report, paint),
    '',
    ...queryLines(report, paint),
    '',
    'Nothing was changed: only the workload, its pods and Prometheus were read.',
    '',
  ].join('\n')
}

function spanText({ history }: RecommendReport): string {
  const { fromSeconds, untilSeconds, stepSeconds, steps, gaps, measuredHours } = history
  const share = (100 * (steps - gaps)) / steps
  const at = (seconds: number): string => new Date(1000 * seconds).toISOString().slice(0, 16).replace('T', ' ')
  return `${at(fromSeconds)} to ${at(untilSeconds)} UTC, every ${stepSeconds} s: ${measuredHours.toFixed(1)} hours measured (${share.toFixed(0)} % of the steps)`
}

function tableOf({ requested, rule, policy, currency }: RecommendReport, paint: Paint): string {
  const left = (title: string): Column => ({ title, align: 'left' })
  const right = (title: string): Column => ({ title, align: 'right' })
  const columns = [left(''), right('requested'), right('rule'), ...(policy ? [right('policy')] : [])]
  const proposals = [rule, ...(policy ? [policy] : [])]
  const row = (name: string, first: string, of: (proposal: Proposal) => string): Row => [
    name,
    first,
    ...proposals.map(of),
  ]
  const now = (text: (allocation: Readonly<Allocation>) => string): [string, (proposal: Proposal) => string] => [
    text(requested.now),
    (proposal) => text(proposal.now),
  ]
  const money = (value: number): string => value.toFixed(4)
  const rows: Row[] = [
    row('replicas now', ...now(({ replicas }) => String(replicas))),
    row('cpu of a pod', ...now(({ coresPerReplica }) => formatCpu(coresPerReplica))),
    row('memory of a pod', ...now(({ memoryMiBPerReplica }) => formatMemory(memoryMiBPerReplica * MIB))),
    row(`${currency} an hour, mean`, money(requested.costPerHour), ({ costPerHour }) => money(costPerHour)),
    row('saved', '', ({ saving01 }) => `${(100 * saving01).toFixed(1)} %`),
  ]
  return formatTable(columns, rows, paint)
}

const decidedText = ({ by, because }: Proposal): string =>
  by === 'nobody' ? `Now nobody decides, what is in force is held: ${because}.` : `Now the ${by} decides: ${because}.`

function sloText({ slo }: RecommendReport): string {
  if (!slo) return 'SLO: how often it was broken is not known'
  const { p99Ms, brokenPercent, brokenSteps, judgedSteps } = slo
  return `SLO: p99 was above ${p99Ms} ms, or a pod killed for memory, in ${brokenPercent.toFixed(2)} % of the steps (${brokenSteps} of ${judgedSteps}), as it is`
}

function sureText({ p99Ms, slo }: RecommendReport): string[] {
  if (!p99Ms || !slo) return []
  const { expected, low, high } = p99Ms
  return [
    `p99 expected of what the policy wants now: ${expected.toFixed(0)} ms, with 95 % ${low.toFixed(0)} to ${high.toFixed(0)} ms`,
  ]
}

/** What was requested and what would have been, on one scale. */
function plotOf({ cores: { requested, wanted }, policy }: RecommendReport, paint: Paint): string[] {
  const most = Math.max(...[...requested, ...wanted].map((value) => value ?? 0))
  const line = (values: readonly (number | null)[]): string =>
    values
      .map((value) => (value === null ? ' ' : LEVELS[Math.min(7, Math.floor((8 * value) / Math.max(most, 1e-9)))]))
      .join('')
  const name = policy ? 'policy' : 'rule'
  return [
    `cores requested  ${paint.dim(line(requested))}  ${most.toFixed(2)} at most`,
    `cores by ${name.padEnd(7)} ${paint.accent(line(wanted))}`,
  ]
}

function queryLines({ queries, missing }: RecommendReport, paint: Paint): string[] {
  const asked = Object.entries(queries).map(([what, promql]) => {
    const gap = missing.find((one) => one.what === what)
    if (!gap) return `  ${what}: ${paint.dim(promql)}`
    return `  ${what}: ${paint.bad('not known')}, ${gap.why}${gap.taken ? `; ${gap.taken}` : ''}: ${paint.dim(promql)}`
  })
  return ['Asked of Prometheus:', ...asked]
}
