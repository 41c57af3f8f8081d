// The answers as a person on call reads them on a terminal.
import { printable } from '@trimtab/core/text'
import { ownerName, type PathSummary } from '@trimtab/trace'
import { fixed } from '../report/format.js'
import { type Column, formatTable, type Paint } from '../terminal.js'
import type { Judgement } from './labels.js'
import {
  changeText,
  count,
  duration,
  percent,
  placeText,
  plural,
  signedDuration,
  signedPercent,
} from './report/format.js'
import { factsOf, suspectText } from './report/head.js'
import { diffWords, gainText, slowerText } from './report/tables.js'
import type {
  CulpritsView,
  DiffView,
  LatencyView,
  ServiceView,
  TraceReport,
  TraceView,
  WhatIfView,
} from './report/types.js'

const left = (title: string): Column => ({ title, align: 'left' })
const right = (title: string): Column => ({ title, align: 'right' })

/** What was read and how, and the latency of all of it. */
export function formatHeading(report: TraceReport, paint: Paint): string {
  const facts = factsOf(report).map(([name, value]) => `${name} ${value}`)
  const { count: requests, meanUs, p50Us, p90Us, p99Us } = report.latency
  const times =
    requests === 1
      ? `latency ${duration(p50Us)}`
      : `latency   mean ${duration(meanUs)}   p50 ${duration(p50Us)}   p90 ${duration(p90Us)}   p99 ${duration(p99Us)}`
  return `${paint.dim(facts.join(' · '))}\n\n${paint.bold(times)}\n`
}

export function formatServices(services: readonly ServiceView[], top: number, paint: Paint): string {
  const columns = [
    left('service or way'),
    right('share'),
    right('a request'),
    right('p50'),
    right('p99'),
    right('requests'),
    right('errors'),
    right('importance'),
    right('of variance'),
  ]
  const rows = services
    .slice(0, top)
    .map((one) => [
      placeText(one),
      percent(one.share01),
      duration(one.meanUs),
      duration(one.p50Us),
      duration(one.p99Us),
      count(one.requests),
      count(one.errors),
      fixed(one.relativeImportance, 2),
      percent(one.varianceShare),
    ])
  return `${formatTable(columns, rows, paint)}\n${restOf(services, top, paint)}`
}

const restOf = (services: readonly ServiceView[], top: number, paint: Paint): string => {
  const rest = services.slice(top)
  if (rest.length === 0) return ''
  const share01 = rest.reduce((sum, one) => sum + one.share01, 0)
  const text = `${plural(rest.length, 'more row')} with ${percent(share01)} together (--top ${services.length} shows all)`
  return `${paint.dim(text)}\n`
}

export function formatCallPaths(callPaths: readonly ServiceView[], top: number, paint: Paint): string {
  const rows = callPaths
    .slice(0, top)
    .map((one) => [percent(one.share01), duration(one.meanUs), duration(one.p99Us), one.callPath ?? ''])
  return `${formatTable([right('share'), right('a request'), right('p99'), left('call path')], rows, paint)}\n`
}

export function formatTraces(traces: readonly TraceView[], total: number, paint: Paint): string {
  const columns = [
    left('slowest requests'),
    right('latency'),
    right('spans'),
    right('errors'),
    left('mostly waits for'),
    right('share'),
  ]
  const rows = traces.map((one) => [
    `${one.traceId}  ${one.service} ${one.operation}`,
    duration(one.latencyUs),
    count(one.spans),
    count(one.errors),
    one.owner,
    percent(one.ownerShare01),
  ])
  const more = total > traces.length ? `${paint.dim(plural(total - traces.length, 'more request'))}\n` : ''
  return `${formatTable(columns, rows, paint)}\n${more}`
}

/** One request, section by section. */
export function formatPath(path: PathSummary, paint: Paint): string {
  const columns = [right('at'), right('waits'), right('share'), left('for')]
  const longest = Math.max(...path.sections.map(({ durationUs }) => durationUs))
  const rows = path.sections.map(({ startUs, durationUs, service, operation, edge }) => [
    duration(startUs),
    duration(durationUs),
    percent(durationUs / path.latencyUs),
    `${edge ? ownerName(edge) : service} ${operation}`.trimEnd(),
  ])
  const table = formatTable(columns, rows, paint)
    .split('\n')
    .map((line, i) => (path.sections[i - 1]?.durationUs === longest ? paint.accent(line) : line))
  const { count: omitted, selfUs } = path.omittedSections
  const owners = path.owners.slice(0, 5).map((owner) => `${ownerName(owner)} ${percent(owner.share)}`)
  return [
    paint.bold(
      `${path.service} ${path.operation} · ${duration(path.latencyUs)} · ${plural(path.spans, 'span')} · ${path.traceId}`,
    ),
    ...table,
    ...(omitted > 0
      ? [paint.dim(`${plural(omitted, 'shorter section')} in between, ${duration(selfUs)} together`)]
      : []),
    `owned by ${printable(owners.join(', '))}${path.owners.length > owners.length ? ', …' : ''}`,
    '',
  ].join('\n')
}

export function formatCulprits({ suspects, against }: CulpritsView, paint: Paint): string {
  const lines = suspects.map((suspect, i) => {
    const { instance, score, probability01, reasons, whatIf } = suspect
    const sure = probability01 === undefined ? `score ${fixed(score, 2)}` : `${percent(probability01)} sure`
    const name = i === 0 ? paint.accent(suspectText(suspect)) : paint.bold(suspectText(suspect))
    const head = `${String(i + 1).padStart(2)}. ${name}${instance ? ` ${printable(instance)}` : ''}  ${paint.dim(sure)}`
    return [head, ...[...slowerText(suspect), ...reasons, ...(whatIf ? [gainText(whatIf)] : [])].map(printable)].join(
      '\n      ',
    )
  })
  return `${paint.dim(against)}\n\n${lines.length > 0 ? lines.join('\n') : 'No service stands out.'}\n`
}

/** How often the true culprit came first, beside simpler methods, then incident by incident. */
export function formatJudgement({ incidents, scores }: Judgement, paint: Paint): string {
  const methods = formatTable(
    [left('method'), right('incidents'), right('first'), right('in the first three'), right('mean 1/rank')],
    scores.map(({ method, incidents: all, top1, top3, meanReciprocalRank }) => [
      method,
      count(all),
      percent(top1),
      percent(top3),
      fixed(meanReciprocalRank, 3),
    ]),
    paint,
  )
  const rows = formatTable(
    [
      left('incident'),
      left('what was done'),
      left('true culprit'),
      right('rank'),
      left('ranked first'),
      left('because'),
    ],
    incidents.map(({ fault, kind, culprit, rank, first, reasons }) => [
      fault,
      kind,
      culprit,
      rank === undefined ? 'absent' : String(rank),
      first,
      reasons[0] ?? '',
    ]),
    paint,
  )
  return `${methods}\n\n${rows}\n`
}

/** @param now  what the requests took as they are */
export function formatWhatIf(rows: readonly WhatIfView[], now: LatencyView, paint: Paint): string {
  const columns = [
    left('if'),
    right('mean'),
    right('p50'),
    right('p99'),
    right('gain'),
    right('at least'),
    right('at most'),
    right('requests'),
  ]
  const cells = rows.map((one) => [
    changeText(one.changes),
    duration(one.meanUs),
    duration(one.p50Us),
    duration(one.p99Us),
    signedPercent(one.gain01),
    signedPercent(one.pessimistic01),
    signedPercent(one.optimistic01),
    count(one.requests),
  ])
  const nowRow = ['now', duration(now.meanUs), duration(now.p50Us), duration(now.p99Us), '', '', '', count(now.count)]
  return `${formatTable(columns, [nowRow, ...cells], paint)}\n`
}

export function formatDiff(diff: DiffView, top: number, paint: Paint): string {
  const { before, after } = diff
  const latency = formatTable(
    [left('latency'), right('before'), right('after'), right('change'), right('')],
    (
      [
        ['mean', before.meanUs, after.meanUs],
        ['p50', before.p50Us, after.p50Us],
        ['p90', before.p90Us, after.p90Us],
        ['p99', before.p99Us, after.p99Us],
      ] as const
    ).map(([name, was, is]) => [
      name,
      duration(was),
      duration(is),
      signedDuration(is - was),
      signedPercent(is / was - 1),
    ]),
    paint,
  )
  const services = formatTable(
    [
      left('service or way'),
      right('before'),
      right('after'),
      right('change'),
      right('of the change'),
      right('p50'),
      right('p99'),
      right('certainty'),
    ],
    diff.services
      .slice(0, top)
      .map((one) => [
        placeText(one),
        duration(one.beforeUs),
        duration(one.afterUs),
        signedDuration(one.afterUs - one.beforeUs),
        signedPercent(one.share01),
        `${duration(one.p50BeforeUs)} → ${duration(one.p50AfterUs)}`,
        `${duration(one.p99BeforeUs)} → ${duration(one.p99AfterUs)}`,
        `${fixed(Math.abs(one.rankZ), 1)} σ`,
      ]),
    paint,
  )
  return `${latency}\n\n${services}\n\n${diffWords(diff).map(printable).join('\n')}\n`
}
