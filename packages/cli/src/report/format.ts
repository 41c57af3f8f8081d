import { printable } from '@trimtab/core/text'
import type { AutoscalerSummary, AutoscalingReport, Spread } from '@trimtab/studies'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it may stand in HTML, in an element or in a quoted attribute; on the page it reads as `printable` has it. */
export const escapeHtml = (text: string): string => printable(text).replace(/[&<>"']/g, (letter) => ENTITIES[letter]!)

/** A value as JSON inside `<script type="application/json">`: nothing in it can end the element; six digits a fraction. */
export const jsonForScript = (value: unknown): string =>
  JSON.stringify(value, (_, one) =>
    typeof one === 'number' && !Number.isInteger(one) ? Number(one.toPrecision(6)) : one,
  ).replace(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const fixed = (value: number, digits: number): string =>
  Number.isFinite(value)
    ? value
        .toFixed(digits)
        .replace(/^-(0(\.0*)?)$/, '$1')
        .replace('-', '−')
    : '–'

/** With its sign, zero included: `+4.6`, `−0.3`. */
export const signed = (value: number, digits: number): string =>
  value >= 0 ? `+${fixed(value, digits)}` : fixed(value, digits)

/** One figure of the summary, the same on the terminal and in the report. */
export interface SummaryColumn {
  readonly title: string
  readonly unit: string
  /** What the figure means, for people who meet it first. */
  readonly help: string
  readonly digits: number
  /** The value of the column and its spread over seeds. */
  read(controller: AutoscalerSummary): Spread
}

const column = (
  title: string,
  unit: string,
  digits: number,
  read: SummaryColumn['read'],
  help: string,
): SummaryColumn => ({ title, unit, digits, read, help })

/**
 * The columns of the comparison, in the order of the table and of the report: how each is read, formatted and explained.
 */
export const SUMMARY_COLUMNS: readonly SummaryColumn[] = [
  column('cost', '$/h', 4, (c) => c.dollarsPerHour, 'US dollars an hour for requested cores and memory, judged.'),
  column(
    'relative',
    '',
    3,
    (c) => c.relativeCost,
    'Cost over that of the strongest rule of each application: the cheapest within the budget on the learning part.',
  ),
  column(
    'violations',
    '%',
    2,
    (c) => c.violationPercent,
    'Judged steps whose true p99 latency was above the SLO, or with out-of-memory kills.',
  ),
  column(
    'learning',
    '%',
    2,
    (c) => c.learningViolationPercent,
    'The same over the learning part, through which rules and bounds live as well.',
  ),
  column('worst hour', '%', 1, (c) => c.worstHourPercent, 'Violations of the worst judged hour.'),
  column('cores', '', 2, (c) => c.cores, 'Requested CPU cores, mean over judged steps.'),
  column('memory', 'GiB', 2, (c) => c.memoryGiB, 'Requested memory, mean over judged steps.'),
  column(
    'reward',
    '',
    1,
    (c) => c.reward,
    "The papers' reward of 100 judged steps: 0.7 for the SLO, 0.3 for utilisation; at most 200.",
  ),
]

/** `172.3` and `1.2`, as the column shows them; of one seed there is no spread: `–`. */
export function cellOf(
  { read, digits }: SummaryColumn,
  controller: AutoscalerSummary,
  seeds: number,
): { readonly mean: string; readonly deviation: string } {
  const { mean, deviation } = read(controller)
  return { mean: fixed(mean, digits), deviation: seeds > 1 ? fixed(deviation, digits) : '–' }
}

/** The heading of a column, with its unit where it has one. */
export const titleOf = ({ title, unit }: SummaryColumn): string => (unit ? `${title} ${unit}` : title)

/** The mark of the strongest rule: ` ★`, with the number of applications where it is not so in all of them. */
export const markOf = ({ strongestIn }: AutoscalerSummary, apps: number): string =>
  strongestIn === 0 ? '' : strongestIn === apps ? ' ★' : ` ★ ${strongestIn}/${apps}`

/** What the mark means. */
export const MARK_HELP = '★ the strongest rule: the cheapest within the budget on the learning part'

/** What was compared, in a few words each. */
export function factsOf({ settings }: AutoscalingReport): readonly (readonly [name: string, value: string])[] {
  const { load, apps, seeds, days, learnedShare, sloFactor, budgetPercent, resize, prices, world } = settings
  return [
    ['load', load],
    ['applications', String(apps.length)],
    ['seeds', String(seeds.length)],
    ['days', `${fixed(learnedShare * days, 1)} to learn, ${fixed((1 - learnedShare) * days, 1)} judged`],
    ['SLO', `${sloFactor} × p99 at ample resources`],
    ['budget', `${budgetPercent} % of steps`],
    ['resize', resize],
    ['prices', `$${prices.perCore} a core, $${prices.perGiB} a GiB, an hour`],
    ['world', world],
  ]
}
