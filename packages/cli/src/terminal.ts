import type { Host, Output } from './host.js'

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
    isOn ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return { bold: style(1, 22), dim: style(2, 22), accent: style(36, 39), good: style(32, 39), bad: style(31, 39) }
}

export interface Column {
  readonly title: string
  readonly align: 'left' | 'right'
}

/** A row of cells, or a rule with a caption that sets groups of rows apart. */
export type Row = readonly string[] | { readonly caption: string }

/**
 * Aligned columns under a heading. Widths are those of the text without colours.
 * @param decorate  paints a finished line; the line's index in `rows`
 */
export function formatTable(columns: readonly Column[], rows: readonly Row[], paint: Paint): string {
  const cells = rows.filter((row): row is readonly string[] => !('caption' in row))
  const widths = columns.map(({ title }, i) => Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)))
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
    ...rows.map((row) => ('caption' in row ? caption(row.caption) : line(row))),
  ].join('\n')
}
