import { escapeUnprintable, printable } from '@trimtab/core/text'
import type { Host, Output } from './host.js'

/** First what a command writes of its own: colours of `Paint`, the line of progress that redraws itself, line breaks, tabs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const OWN_OR_UNPRINTABLE = /(\u001b\[(?:1|2|22|3[126]|39)m|\r\u001b\[2K|[\n\t])|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * The last border before a terminal, a pipe or a log: whatever a command writes, nothing but its own sequences gets through. Names in
 * lines are made `printable` where the lines are made (`formatTable`, `Paint`); this holds where one was forgotten.
 */
export function guardOutput(output: Output): Output {
  return {
    write: (text) => output.write(text.replace(OWN_OR_UNPRINTABLE, (found, own) => own ?? escapeUnprintable(found))),
    get isTTY() {
      return output.isTTY ?? false
    },
    get columns() {
      return output.columns ?? 80
    },
  }
}

/** Each takes text of one line, from wherever it comes, and gives it printable. */
export interface Paint {
  bold(text: string): string
  dim(text: string): string
  accent(text: string): string
  good(text: string): string
  bad(text: string): string
}

/** Colours for `output`, or none: NO_COLOR and pipes get plain text, FORCE_COLOR overrules a pipe. */
export function createPaint(output: Output, env: Host['env']): Paint {
  const isOn = !env.NO_COLOR && env.TERM !== 'dumb' && (Boolean(env.FORCE_COLOR) || output.isTTY === true)
  const style = (open: number, close: number) => (text: string) =>
    isOn ? `\u001b[${open}m${printable(text)}\u001b[${close}m` : printable(text)
  return { bold: style(1, 22), dim: style(2, 22), accent: style(36, 39), good: style(32, 39), bad: style(31, 39) }
}

export interface Column {
  readonly title: string
  readonly align: 'left' | 'right'
}

/** A row of cells of plain text, or a rule with a caption that sets groups of rows apart. */
export type Row = readonly string[] | { readonly caption: string }

/** Aligned columns under a heading, a line a row whatever stands in the cells. */
export function formatTable(columns: readonly Column[], rows: readonly Row[], paint: Paint): string {
  const lines = rows.map((row) => ('caption' in row ? row : row.map(printable)))
  const widths = columns.map(({ title }, i) =>
    lines.reduce((width, row) => ('caption' in row ? width : Math.max(width, row[i]?.length ?? 0)), title.length),
  )
  const line = (row: readonly string[]) =>
    columns
      .map(({ align }, i) =>
        align === 'left' ? (row[i] ?? '').padEnd(widths[i]!) : (row[i] ?? '').padStart(widths[i]!),
      )
      .join('  ')
      .trimEnd()
  const total = widths.reduce((sum, width) => sum + width + 2, -2)
  const caption = (text: string) => paint.dim(`── ${text} ${'─'.repeat(Math.max(0, total - text.length - 4))}`)
  return [
    paint.bold(line(columns.map(({ title }) => title))),
    ...lines.map((row) => ('caption' in row ? caption(row.caption) : line(row))),
  ].join('\n')
}
