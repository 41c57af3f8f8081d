// The tables of the page: who owns the time, who is suspected, what a fix would buy, what changed, what was mended.
import { escapeHtml, fixed } from '../../report/format.js'
import type { ServiceColours } from './colours.js'
import { changeText, count, duration, percent, placeText, plural, signedDuration, signedPercent } from './format.js'
import { suspectText } from './head.js'
import type {
  CulpritsView,
  DiffView,
  LatencyView,
  PlaceView,
  RepairView,
  ServiceView,
  SuspectView,
  TraceView,
  WhatIfView,
} from './types.js'

const head = (columns: readonly (readonly [title: string, help: string])[]) =>
  `<thead><tr>${columns.map(([title, help]) => `<th scope="col"${help ? ` title="${escapeHtml(help)}"` : ''}>${title}</th>`).join('')}</tr></thead>`

const table = (columns: readonly (readonly [string, string])[], rows: readonly string[], caption: string) =>
  `<div tabindex="0" class="scroll"><table><caption class="unseen">${escapeHtml(caption)}</caption>${head(columns)}<tbody>${rows.join('')}</tbody></table></div>`

/** A way has the colour of the service it leads to. */
const named = (colours: ServiceColours, place: PlaceView, label: string = placeText(place)) =>
  `<th scope="row"><i class="dot" style="${colours.style(place.callee ?? place.service)}"></i>${escapeHtml(label)}</th>`

const bar = (colours: ServiceColours, service: string, share01: number) =>
  `<td class="share"><i class="track"><i style="${colours.style(service)};width:${(Math.min(1, Math.max(0, share01)) * 100).toFixed(1)}%"></i></i>${percent(share01)}</td>`

const MOST_SERVICES = 12 // before the rest is folded
const MOST_SLOWER = 4 // places of one suspect

export function renderServices(
  services: readonly ServiceView[],
  callPaths: readonly ServiceView[],
  colours: ServiceColours,
): string {
  if (services.length === 0) return ''
  const columns = [
    ['service', ''],
    ['share of latency', 'Of all time on all critical paths: shares add up to the latency.'],
    ['a request', 'Mean time on the path of a request, those without it counted as zero.'],
    ['p50', 'Median of its time on the path, of the requests whose path it is on.'],
    ['p99', 'Its 99th percentile.'],
    ['requests', 'Requests whose path it is on.'],
    ['errors', 'Its spans that failed.'],
    ['importance', 'Correlation of its time with the latency, −1 to 1 (relative importance, 3.2.3).'],
    ['of variance', 'Its part of the variance of the latency; parts add up to 100 %.'],
  ] as const
  const row = (one: ServiceView) =>
    `<tr>${named(colours, one, one.callPath)}${bar(colours, one.callee ?? one.service, one.share01)}<td>${duration(one.meanUs)}</td><td>${duration(one.p50Us)}</td><td>${duration(one.p99Us)}</td><td>${count(one.requests)}</td><td${one.errors > 0 ? ' class="bad"' : ''}>${count(one.errors)}</td><td>${fixed(one.relativeImportance, 2)}</td><td>${Number.isFinite(one.varianceShare) ? percent(one.varianceShare) : '–'}</td></tr>`
  const rest = services.slice(MOST_SERVICES)
  const others =
    rest.length > 0
      ? `<details><summary>${count(rest.length)} more with ${percent(rest.reduce((sum, one) => sum + one.share01, 0))} together</summary>${table(columns, rest.map(row), 'Other services')}</details>`
      : ''
  const fine = `<details><summary>By call path</summary>${table([['call path', 'The services on the way to it; the flame graph has every step.'], ...columns.slice(1)], callPaths.map(row), 'Call paths on the critical paths')}</details>`
  return `<section aria-labelledby="h-services"><h2 id="h-services">Who owns the latency</h2><p class="lead">Every instant of a request belongs to one service’s work, or to the way from one to another: network, connection, queue.</p>${table(columns, services.slice(0, MOST_SERVICES).map(row), 'Services on the critical paths')}${others}${fine}</section>`
}

/** What of a suspect got slower, in a sentence: `front → cart +200.0 ms a request, its work +1.0 ms`. */
export function slowerText({ service, slower = [] }: SuspectView): string[] {
  const shown = slower.slice(0, MOST_SLOWER).map((one) => {
    const place = one.callee === undefined && one.service === service ? 'its work' : placeText(one)
    return `${place} +${duration(one.addedUs)}`
  })
  return shown.length === 0 ? [] : [`slower, in a request: ${shown.join(', ')}`]
}

/** What a fix of it would buy, in a sentence. */
export const gainText = ({ changes, gain01, pessimistic01, optimistic01 }: WhatIfView): string =>
  `with ${changeText(changes)}, requests would take ${percent(gain01)} less on average${boundsText(pessimistic01, optimistic01, ' (', ')')}`

/** Between what and what; nothing where that is one number. */
function boundsText(low01: number, high01: number, before = '', after = ''): string {
  const [low, high] = [percent(low01), percent(high01)]
  return low === high ? '' : `${before}${low} to ${high}${after}`
}

export function renderCulprits(culprits: CulpritsView | undefined, colours: ServiceColours): string {
  if (!culprits) return ''
  const { suspects, against, judge } = culprits
  const most = Math.max(...suspects.map(({ score }) => score), 0)
  const cards = suspects.map((suspect, i) => {
    const { service, instance, score, probability01, reasons, whatIf } = suspect
    return `<li style="${colours.style(service)}"><div class="rank">${i + 1}</div><div><h3>${escapeHtml(suspectText(suspect))}${instance ? ` <span class="muted">${escapeHtml(instance)}</span>` : ''}${probability01 === undefined ? '' : ` <span class="tag">${percent(probability01)} sure</span>`}</h3><i class="track"><i style="width:${most > 0 ? ((Math.max(0, score) / most) * 100).toFixed(1) : 0}%"></i></i><ul>${[...slowerText(suspect), ...reasons, ...(whatIf ? [gainText(whatIf)] : [])].map((text) => `<li>${escapeHtml(text)}</li>`).join('')}</ul></div></li>`
  })
  const body = suspects.length === 0 ? '<p>No service stands out.</p>' : `<ol class="suspects">${cards.join('')}</ol>`
  return `<section aria-labelledby="h-culprits"><h2 id="h-culprits">Suspects</h2><p class="lead">${escapeHtml(against)}</p>${body}${judge ? `<details><summary>Who judged</summary><p>${escapeHtml(judge)}</p></details>` : ''}</section>`
}

export function renderWhatIf(
  rows: readonly WhatIfView[] | undefined,
  now: LatencyView,
  colours: ServiceColours,
): string {
  if (!rows || rows.length === 0) return ''
  const columns = [
    ['if', ''],
    ['mean latency', 'Of all requests, after the change.'],
    ['p50', ''],
    ['p99', ''],
    ['gain', 'Of the mean latency.'],
    [
      'between',
      'If nothing that may have begun by its own clock moved forward; if every call waited just for whom it suits, and calls to a service moved with its work.',
    ],
    ['requests', 'That reach it.'],
  ] as const
  const nowRow = `<tr><th scope="row">now</th><td>${duration(now.meanUs)}</td><td>${duration(now.p50Us)}</td><td>${duration(now.p99Us)}</td><td></td><td></td><td>${count(now.count)}</td></tr>`
  const body = rows.map((one) => {
    const [first] = one.changes
    return `<tr>${named(colours, first!, changeText(one.changes))}<td>${duration(one.meanUs)}</td><td>${duration(one.p50Us)}</td><td>${duration(one.p99Us)}</td>${bar(colours, first!.callee ?? first!.service, one.gain01)}<td class="muted">${boundsText(one.pessimistic01, one.optimistic01)}</td><td>${count(one.requests)}</td></tr>`
  })
  return `<section aria-labelledby="h-what-if"><h2 id="h-what-if">What a fix would buy</h2><p class="lead">The requests replayed with the work of a service, or the way between two, changed; whatever waited for it moves along.</p>${table(columns, [nowRow, ...body], 'What-if')}</section>`
}

/** The change in sentences, for the page and the terminal. */
export function diffWords(diff: DiffView): string[] {
  const { before, after, changeUs, change01, marginUs, newEndpoints, goneEndpoints } = diff
  const alone = (list: readonly string[], when: string) =>
    list.length === 0
      ? []
      : [
          `${plural(list.length, 'endpoint')} ${when} only: ${list.slice(0, 5).join(', ')}${list.length > 5 ? ', …' : ''}.`,
        ]
  return [
    `In the same mix of endpoints, a request takes ${signedDuration(changeUs)} ± ${duration(marginUs)} (${signedPercent(change01)}), over ${plural(before.count, 'request')} before and ${count(after.count)} after.`,
    `A request after takes longer than one before in ${percent(diff.slower01)} of all pairs (rank test: ${fixed(Math.abs(diff.rankZ), 1)} σ from chance). ${diff.isWorse ? `Slower: ${diff.because}.` : 'Not slower by more than chance and 5 %.'}`,
    `Complete: ${percent(diff.completeBefore01)} of the requests before, ${percent(diff.completeAfter01)} after.`,
    ...alone(newEndpoints, 'after'),
    ...alone(goneEndpoints, 'before'),
  ]
}

export function renderDiff(diff: DiffView | undefined, colours: ServiceColours): string {
  if (!diff) return ''
  const columns = [
    ['service', ''],
    ['before', 'Mean time on the path of a request.'],
    ['after', ''],
    ['change', ''],
    ['of the change', 'Its part of the change of the mean latency.'],
    ['p50', 'Before and after, of all requests.'],
    ['p99', 'Before and after, of all requests.'],
    ['certainty', 'Rank test over all requests, in standard errors; above 3 is hardly chance.'],
  ] as const
  const body = diff.services.map((one) => {
    const change = one.afterUs - one.beforeUs
    return `<tr>${named(colours, one)}<td>${duration(one.beforeUs)}</td><td>${duration(one.afterUs)}</td><td class="${change > 0 ? 'bad' : 'good'}">${signedDuration(change)}</td><td>${signedPercent(one.share01)}</td><td>${duration(one.p50BeforeUs)} → ${duration(one.p50AfterUs)}</td><td>${duration(one.p99BeforeUs)} → ${duration(one.p99AfterUs)}</td><td>${fixed(Math.abs(one.rankZ), 1)} σ</td></tr>`
  })
  return `<section aria-labelledby="h-diff"><h2 id="h-diff">What changed</h2><p class="lead">${diffWords(diff).map(escapeHtml).join(' ')}</p>${table(columns, body, 'Services before and after')}</section>`
}

export function renderTraces(traces: readonly TraceView[], total: number, colours: ServiceColours): string {
  if (traces.length < 2) return ''
  const columns = [
    ['slowest requests', ''],
    ['latency', ''],
    ['spans', ''],
    ['mostly waits for', 'Who owns most of its critical path.'],
    ['share', ''],
    ['errors', ''],
  ] as const
  const body = traces.map(
    (one) =>
      `<tr><th scope="row">${escapeHtml(one.service)} <span class="muted">${escapeHtml(one.operation)}</span><br><code>${escapeHtml(one.traceId)}</code></th><td>${duration(one.latencyUs)}</td><td>${count(one.spans)}</td><td class="left"><i class="dot" style="${colours.style(one.ownerService)}"></i>${escapeHtml(one.owner)}</td>${bar(colours, one.ownerService, one.ownerShare01)}<td${one.errors > 0 ? ' class="bad"' : ''}>${count(one.errors)}</td></tr>`,
  )
  return `<section aria-labelledby="h-traces"><h2 id="h-traces">Requests</h2><p class="lead">The ${count(traces.length)} slowest of ${count(total)}.</p>${table(columns, body, 'Slowest requests')}</section>`
}

export function renderRepairs(repairs: readonly RepairView[]): string {
  const body =
    repairs.length === 0
      ? '<p>Nothing had to be mended.</p>'
      : table(
          [
            ['what was found, and what was done', ''],
            ['times', ''],
            ['for example', ''],
          ],
          repairs.map(
            ({ code, count: times, meaning, examples }) =>
              `<tr><th scope="row"><code>${escapeHtml(code)}</code><br><span class="muted">${escapeHtml(meaning)}</span></th><td>${count(times)}</td><td class="left examples">${examples.map((one) => `<code>${escapeHtml(one)}</code>`).join('<br>')}</td></tr>`,
          ),
          'Repairs',
        )
  return `<section aria-labelledby="h-repairs"><h2 id="h-repairs">Repairs</h2><p class="lead">Nothing is mended in silence: this is all that the data needed before it could be analysed.</p>${body}</section>`
}
