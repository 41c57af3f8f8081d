import { printable } from '@trimtab/core/text'
import type { AutoscalerSummary, Spread } from '@trimtab/studies'

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
  /** From the stored unit to the shown one: 100 for utilisations. */
  readonly scale: number
  /** The value of the column and its spread over seeds; `undefined` where the controller has none. */
  read(controller: AutoscalerSummary): Spread | undefined
}

const column = (
  title: string,
  unit: string,
  digits: number,
  read: SummaryColumn['read'],
  help: string,
  scale = 1,
): SummaryColumn => ({ title, unit, digits, read, help, scale })

/**
 * The columns of the comparison, in the order of the table and of the report: how each is read, formatted and explained.
 */
export const SUMMARY_COLUMNS: readonly SummaryColumn[] = [
  column(
    'reward',
    '',
    1,
    (c) => c.reward,
    'Sum over a judged episode of 100 steps: 0.7 for the SLO, 0.3 for utilisation; at most 200.',
  ),
  column(
    'violations',
    '%',
    2,
    (c) => c.violationPercent,
    'Judged steps whose true p99 latency was above the SLO, or with out-of-memory kills.',
  ),
  column('p99/SLO', '', 2, (c) => c.p99OverSlo, 'Median over judged steps; below 1 the SLO is met.'),
  column('CPU', '%', 0, (c) => c.cpuUtilisation01, 'Used share of the requested CPU.', 100),
  column('memory', '%', 0, (c) => c.memoryUtilisation01, 'Used share of the requested memory.', 100),
  column('cores', '', 1, (c) => c.requestedCores, 'Requested CPU cores, mean over judged steps.'),
  column(
    'learning',
    '%',
    2,
    (c) => c.learningViolationPercent,
    'SLO violations over all learning episodes, through which rules live as well.',
  ),
]

/** `172.3` and `1.2`, as the column shows them; undefined where the controller has no such figure. */
export function cellOf(
  { read, digits, scale }: SummaryColumn,
  controller: AutoscalerSummary,
): { readonly mean: string; readonly deviation: string } | undefined {
  const spread = read(controller)
  return spread && { mean: fixed(spread.mean * scale, digits), deviation: fixed(spread.deviation * scale, digits) }
}

/** The heading of a column, with its unit where it has one. */
export const titleOf = ({ title, unit }: SummaryColumn): string => (unit ? `${title} ${unit}` : title)
