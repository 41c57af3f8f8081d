// The top of the page: what was read, and the answer in four figures.
import { escapeHtml } from '../../report/format.js'
import { changeText, count, duration, percent, placeText, plural } from './format.js'
import type { SuspectView, TraceReport } from './types.js'

const TITLES: Readonly<Record<string, string>> = {
  'critical-path': 'The critical path',
  profile: 'Where the time goes',
  culprits: 'Which service to fix',
  'what-if': 'What a fix would buy',
  diff: 'What changed',
}

/** `cart`; `cart (front → cart)` where what got slower most is a way to it or from it. */
export function suspectText({ service, slower: [worst] = [] }: SuspectView): string {
  return worst?.callee === undefined ? service : `${service} (${placeText(worst)})`
}

export const titleOf = ({ command }: TraceReport): string => TITLES[command] ?? 'Traces'

/** What was read and how it was analysed, as pairs of a name and a value. */
export function factsOf({ source, settings }: TraceReport): (readonly [name: string, value: string])[] {
  const { slice } = settings
  return [
    ['files', source.files.map((file) => (file === '-' ? 'stdin' : file)).join(', ')],
    ['requests', count(source.traces)],
    ['spans', count(source.spans)],
    ...(source.setAside > 0 ? [['set aside', plural(source.setAside, 'request')] as const] : []),
    ['complete', percent(source.complete01)],
    ['mode', settings.mode],
    [
      'overlap tolerance',
      settings.overlapTolerance === 'auto' ? 'clock resolution' : duration(settings.overlapTolerance),
    ],
    ...(settings.clockSkewUs === undefined ? [] : [['clock skew up to', duration(settings.clockSkewUs)] as const]),
    ...(settings.service === undefined ? [] : [['service', settings.service] as const]),
    ...(settings.operation === undefined ? [] : [['operation', settings.operation] as const]),
    ...(slice === undefined ? [] : [['percentiles', `${slice.from} to ${slice.to}`] as const]),
  ]
}

export function renderHead(report: TraceReport): string {
  const facts = factsOf(report).map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`)
  return `<header><div><h1>${titleOf(report)}</h1><p>What every request waited for, and who owns it.</p></div>
<button type="button" id="theme" aria-label="Switch between light and dark">◐</button>
<dl class="facts">${facts.join('')}</dl></header>`
}

export function renderTiles(report: TraceReport): string {
  const { latency, services, culprits, whatIf } = report
  const owner = services[0]
  const suspect = culprits?.suspects[0]
  const [first, ...rest] = whatIf ?? [] // none where no service owns any time
  const fix = first && rest.reduce((best, one) => (one.gain01 > best.gain01 ? one : best), first)
  const tiles = [
    {
      title: latency.count === 1 ? 'Latency' : 'Median latency',
      value: duration(latency.p50Us),
      note:
        latency.count === 1 ? 'one request' : `${plural(latency.count, 'request')}, mean ${duration(latency.meanUs)}`,
    },
    ...(latency.count === 1
      ? []
      : [
          {
            title: 'p99 latency',
            value: duration(latency.p99Us),
            note: `slowest ${duration(report.traces[0]?.latencyUs ?? latency.p99Us)}`,
          },
        ]),
    ...(owner
      ? [{ title: 'Owns most of it', value: placeText(owner), note: `${percent(owner.share01)} of all latency` }]
      : []),
    ...(suspect ? [{ title: 'First suspect', value: suspectText(suspect), note: suspect.reasons[0] ?? '' }] : []),
    ...(fix && !suspect
      ? [
          {
            title: 'Largest gain',
            value: percent(fix.gain01),
            note: `of the mean, with ${changeText(fix.changes)}`,
          },
        ]
      : []),
  ]
  return `<section class="tiles" aria-label="The answer in figures">${tiles
    .map(
      ({ title, value, note }) =>
        `<div><h3>${title}</h3><p><b>${escapeHtml(value)}</b></p><small>${escapeHtml(note)}</small></div>`,
    )
    .join('')}</section>`
}
