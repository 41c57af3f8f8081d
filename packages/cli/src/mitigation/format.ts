import { printable } from '@trimtab/core/text'
import {
  type CulpritAccount,
  LIMIT_RANGE,
  type LocatedCulprit,
  RESOURCE_UNITS,
  RESOURCES,
  type Resource,
} from '@trimtab/tasks/microservices'
import { formatTable, type Paint } from '../terminal.js'
import { duration, percent, placeText, plural } from '../trace/report/format.js'
import { gainText, slowerText } from '../trace/report/tables.js'
import type { LiveFinding } from './from-live.js'
import type {
  Incident,
  MitigationReport,
  Recommendation,
  RunOutcome,
  ShortGrant,
  SimulationReport,
  Step,
  TracesReport,
} from './report-types.js'

/** @param holds  what is limited there; default: all that can be */
const raiseText = (holds: readonly Resource[] = RESOURCES): string =>
  `raise ${holds.length === RESOURCES.length ? 'all five limits' : `the limits of ${holds.join(' and ')}`} to ${LIMIT_RANGE[1]}×`
const RAISE = raiseText()
const REPLACE = 'drain and replace it'
const RAISE_NETWORK = `raise the network limits of both ends of that edge, or ${REPLACE}`

/** A report for the terminal. */
export const formatMitigation = (report: MitigationReport, paint: Paint): string =>
  report.source === 'simulator' ? formatSimulation(report, paint) : formatTraces(report, paint)

function formatSimulation(report: SimulationReport, paint: Paint): string {
  const { application, seconds, load, anomalies, incidents, mitigated, withoutMitigation } = report
  const runs: [string, RunOutcome][] = [
    ['without mitigation', withoutMitigation],
    ...(mitigated ? [['mitigated', mitigated] as [string, RunOutcome]] : []),
  ]
  const table = formatTable(
    [
      { title: '', align: 'left' },
      ...['requests', 'late', 'failed', 'seconds over an SLO'].map((title) => ({ title, align: 'right' }) as const),
    ],
    runs.map(([name, { requests, late01, failed01, brokenSeconds01 }]) => [
      ...[name, String(requests), percent(late01), percent(failed01), percent(brokenSeconds01)],
    ]),
    paint,
  )
  return [
    paint.bold(
      `${application}, simulated: ${seconds} s of ${load}× its load, ${plural(anomalies, 'anomaly', 'anomalies')}`,
    ),
    '',
    ...(incidents.length === 0
      ? ['Nobody was named.']
      : incidents.map((incident, i) => incidentText(incident, i, paint))),
    '',
    table,
    '',
    foundText(incidents),
    mitigated ? 'Requests and anomalies are the same in both runs.' : 'Nothing was changed; --act carries it out.',
    '',
  ].join('\n')
}

function incidentText(incident: Incident, index: number, paint: Paint): string {
  const { steps, injected = [] } = incident
  const lines = [
    ...whyLines(incident),
    ...steps.map((step) => stepText(step)),
    ...thenLines(incident),
    `injected there: ${injected.join(', ') || 'nothing'}`,
  ]
  return [`${String(index + 1).padStart(2)}. ${headOf(incident, paint)}`, ...lines.map(printable)].join('\n      ')
}

function headOf({ instance, fromSecond, untilSecond }: Incident, paint: Paint): string {
  const [from, until] = [fromSecond, untilSecond].map(Math.round)
  const when = from === until ? `second ${from}` : `seconds ${from} to ${until}`
  return `${paint.accent(printable(instance))}  ${paint.dim(when)}`
}

/** An instance of a live application that limits are raised of: why, or what was done and what came of it. @param holds  what is limited there */
export function formatIncident(
  event: 'named' | 'over',
  incident: Incident,
  { paint, holds }: { readonly paint: Paint; readonly holds: readonly Resource[] },
): string {
  const lines =
    event === 'named'
      ? whyLines(incident)
      : [...incident.steps.map((step) => stepText(step, holds)), ...thenLines(incident)]
  return `${[headOf(incident, paint), ...lines.map(printable)].join('\n      ')}\n`
}

function whyLines({ because, account, busiest }: Incident): string[] {
  const used = `most used: ${busiest.resource}, ${percent(busiest.utilisation01)}`
  return because === 'queue' || !account
    ? [`its own queue is long, and no request is late yet; ${used}`]
    : culpritLines(because, account, used)
}

/** Why an instance is named, line by line. @param used  what is known of its resources */
function culpritLines(
  culprit: LocatedCulprit,
  { route, lateMs, predictedMs }: CulpritAccount,
  used?: string,
): string[] {
  const { request, instance, late, p99OverSlo, addedShare, edge } = culprit
  const hop = edge ? [edge.caller, edge.callee] : route.slice(-2)
  const way = [
    `path ${route.join(' → ')}`,
    ...(hop.length > 1 ? [`edge ${hop.join(' → ')}`] : []),
    ...(used ? [used] : []),
    ...(edge ? ['most of it was waited on that edge'] : []),
  ]
  return [
    `${request}: p99 is ${p99OverSlo.toFixed(1)}× its SLO, ${plural(late, 'request')} late; ${percent(addedShare)} of what they waited longer, they waited for ${instance}`,
    way.join('; '),
    `were it as usual, they would take ${percent(1 - predictedMs / lateMs)} less: ${duration(1e3 * lateMs)} → ${duration(1e3 * predictedMs)}`,
  ]
}

/** Who was named in a window of a live application, and what is recommended. */
export function formatFinding({ second, because, account }: LiveFinding, paint: Paint): string {
  const { service, instance, edge } = because
  const lines = [
    ...culpritLines(because, account),
    `recommended: ${edge ? RAISE_NETWORK : `${RAISE}, and if it is named again after that, ${REPLACE}`}`,
  ]
  return `${[`${paint.accent(printable(instance || service))}  ${paint.dim(`second ${second.toFixed(0)}`)}`, ...lines.map(printable)].join('\n      ')}\n`
}

function stepText({ kind, second, done, reason, short = [] }: Step, holds?: readonly Resource[]): string {
  const what = `second ${Math.round(second)}: ${kind === 'limits' ? raiseText(holds) : REPLACE}`
  switch (done) {
    case 'proposed':
      return `${what} (recommended)`
    case 'whole':
      return `${what}: done`
    case 'part':
      return `${what}: done in part${short.map(shortText).join('')}${reason ? `, ${reason}` : ''}`
    case 'nothing':
      return `${what}: not done${reason ? `, ${reason}` : ''}`
  }
}

const shortText = ({ resource, asked, granted }: ShortGrant): string =>
  `, ${resource} ${Number(granted.toPrecision(3))} of ${Number(asked.toPrecision(3))} ${RESOURCE_UNITS[resource]}`

function thenLines({ because, p99OverSloAfter, untilSecond, fromSecond }: Incident): string[] {
  if (because === 'queue') return []
  if (p99OverSloAfter === undefined) return ['then: the run ended']
  return [
    `then: named for ${plural(Math.round(untilSecond - fromSecond) + 1, 'second')}; after that, p99 is ${p99OverSloAfter.toFixed(1)}× its SLO`,
  ]
}

function foundText(incidents: readonly Incident[]): string {
  const byTraces = incidents.filter(({ because }) => because !== 'queue')
  const right = byTraces.filter(({ injected = [] }) => injected.length > 0).length
  return `${right} of ${plural(byTraces.length, 'incident')} named by traces were where something had been injected.`
}

function formatTraces({ files, against, recommendations }: TracesReport, paint: Paint): string {
  return [
    paint.bold(files.join(', ')),
    paint.dim(against),
    '',
    ...(recommendations.length === 0
      ? ['No service stands out: nothing to do.']
      : recommendations.map((one, i) => recommendationText(one, i, paint))),
    '',
    'Recommended only: traces say where, not which resource is short; nothing was changed.',
    '',
  ].join('\n')
}

function recommendationText(one: Recommendation, index: number, paint: Paint): string {
  const { service, instance, probability01, route, resource, slower = [], whatIf } = one
  const way = slower.find(({ callee }) => callee !== undefined)
  const lines = [
    ...slowerText(one),
    `path ${route.join(' → ')}${way ? `; edge ${placeText(way)}` : ''}`,
    resource === 'network'
      ? `resource: the network or the connections of that edge; ${RAISE_NETWORK}`
      : `resource: any; ${RAISE}, and if it is named again after that, ${REPLACE}`,
    ...(whatIf ? [gainText(whatIf)] : []),
  ]
  const sure = probability01 === undefined ? '' : `  ${paint.dim(`${percent(probability01)} sure`)}`
  const head = `${String(index + 1).padStart(2)}. ${paint.accent(service)}${instance ? ` ${printable(instance)}` : ''}${sure}`
  return [head, ...lines.map(printable)].join('\n      ')
}
