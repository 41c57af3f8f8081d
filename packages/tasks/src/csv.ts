import { ConfigError } from '@trimtab/core'

export interface CsvRow {
  /** Where the row begins, counted from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export interface CsvTable {
  readonly header: readonly string[]
  readonly rows: readonly CsvRow[]
}

const SHOWN_COLUMNS = 12

/**
 * Reads comma-separated values as RFC 4180 has them: quoted cells may hold commas, quotes (doubled) and line ends. Empty
 * lines and a byte-order mark are skipped, spaces around a cell are not part of it.
 * @param name  of the file, for messages
 * @throws {ConfigError} `table_invalid`: no header, a column named twice, a row of another width, a quote that never closes
 */
export function parseCsv(name: string, text: string): CsvTable {
  const rows = [...rowsOf(name, text)]
  const header = rows.shift()?.cells
  if (!header) throw new ConfigError('table_invalid', `${name} is empty: its first line must name the columns`)
  const twice = header.find((column, i) => header.indexOf(column) < i)
  if (twice !== undefined)
    throw new ConfigError('table_invalid', `${name} names the column ${JSON.stringify(twice)} twice`)
  const odd = rows.find(({ cells }) => cells.length !== header.length)
  if (odd) {
    const names = `${header.slice(0, SHOWN_COLUMNS).join(', ')}${header.length > SHOWN_COLUMNS ? ', …' : ''}`
    throw new ConfigError(
      'table_invalid',
      `${name}, line ${odd.line}: expected ${header.length} cells (${names}), got ${odd.cells.length}`,
    )
  }
  return { header, rows }
}

function* rowsOf(name: string, text: string): Generator<CsvRow, void> {
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let line = 1
  while (at < text.length) {
    const first = line
    const cells: string[] = []
    let isOpen = true
    while (isOpen) {
      while (text[at] === ' ' || text[at] === '\t') at++
      if (text[at] === '"') {
        let cell = ''
        for (at++; ; at++) {
          const close = text.indexOf('"', at)
          if (close < 0)
            throw new ConfigError('table_invalid', `${name}, line ${line}: a quote is opened and never closed`)
          cell += text.slice(at, close)
          at = close + 1
          if (text[at] !== '"') break
          cell += '"'
        }
        line += cell.split('\n').length - 1
        cells.push(cell.trim())
        while (text[at] === ' ' || text[at] === '\t' || text[at] === '\r') at++
        if (at < text.length && text[at] !== ',' && text[at] !== '\n')
          throw new ConfigError(
            'table_invalid',
            `${name}, line ${line}: ${JSON.stringify(text[at])} follows a closing quote; quotes inside a cell are doubled`,
          )
      } else {
        let end = at
        while (end < text.length && text[end] !== ',' && text[end] !== '\n') end++
        cells.push(text.slice(at, end).trim())
        at = end
      }
      isOpen = text[at] === ','
      at++
    }
    line++
    if (cells.length > 1 || cells[0] !== '') yield { line: first, cells }
  }
}
