import { formatTable, type Paint } from '../terminal.js'
import type { LiveReport } from './run-live.js'
import { FIGURE_COLUMNS, factsOf, flawsOf, labelOf, sentencesOf } from './words.js'

/** A row an arm, what may be said of it, and what the machinery did. */
export function formatLive(report: LiveReport, paint: Paint): string {
  const { figures, gates } = report.verdict
  const columns = FIGURE_COLUMNS.map(({ title }) => ({ title, align: 'right' }) as const)
  const rows = figures.map((one) => [labelOf(one.arm), ...FIGURE_COLUMNS.map(({ cellOf }) => cellOf(one))])
  return [
    ...factsOf(report).split(' · ').map(paint.dim),
    '',
    formatTable([{ title: 'scaled by', align: 'left' }, ...columns], rows, paint),
    '',
    ...sentencesOf(report).map((sentence) => `• ${sentence}`),
    '',
    ...gates.map(({ name, holds, says }) => `${holds ? paint.good('✓') : paint.bad('✗')} ${name}: ${says}`),
    `periods left out: ${flawsOf(report)}`,
    '',
  ].join('\n')
}

/** The same in Markdown. */
export function renderLiveMarkdown(report: LiveReport): string {
  const { figures, gates } = report.verdict
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    '# Live: one machine, real processes',
    '',
    `${factsOf(report)}.`,
    '',
    row(['scaled by', ...FIGURE_COLUMNS.map(({ title }) => title)]),
    row(['---', ...FIGURE_COLUMNS.map(() => '---:')]),
    ...figures.map((one) => row([labelOf(one.arm), ...FIGURE_COLUMNS.map(({ cellOf }) => cellOf(one))])),
    '',
    ...sentencesOf(report).map((sentence) => `- ${sentence}`),
    '',
    row(['gate', '', '']),
    row(['---', '---', '---']),
    ...gates.map(({ name, holds, says }) => row([name, holds ? 'holds' : '**does not hold**', says])),
    '',
    `Periods left out: ${flawsOf(report)}. p99 counts from when requests were meant to go out.`,
    '',
  ].join('\n')
}
