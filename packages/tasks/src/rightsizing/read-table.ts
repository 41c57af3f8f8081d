import { ConfigError } from '@trimtab/core'
import { type CsvRow, parseCsv } from '../csv.js'
import { type ColumnNames, type Columns, findColumns } from './columns.js'
import { AWS_USD_PER_GB_SECOND } from './lambda.js'
import { type RuntimeTable, RuntimeTableBuilder } from './runtime-table.js'

/** What a table of runs does not say itself. */
export interface ReadTableOptions {
  /** Which column is what, where the names do not say it. */
  readonly columns?: ColumnNames
  /** Price of memory where a serverless table has no costs, USD for a GB-second. Default: AWS Lambda's of 2024, x86. */
  readonly usdPerGbSecond?: number
}

const SUCCEEDED = ['', 'ok', 'success', 'succeeded', 'completed']

/**
 * Reads a table of runtimes, one run (or the mean of several) a row: serverless functions by memory size, or workloads by
 * virtual machine. Which it is, and which column is what, the header says: `function,memory_mb,duration_ms`,
 * `workload,provider,nodes,runtime_s,cost_usd,status`. Failed runs (`status` other than ok) are left out, repeats of a cell
 * are averaged, both are counted in `rows`.
 *
 * @param name  of the file: for messages, and of the workload where no column names one
 * @throws {ConfigError} `table_invalid`: columns missing, a runtime without a unit, a value that cannot be read (with its line)
 * @example
 * const table = readRuntimeTable('functions.csv', 'function,memory_mb,duration_ms\nresize,128,900\nresize,512,240\n')
 * table.workloads[0].seconds // [0.9, 0.24]
 */
export function readRuntimeTable(name: string, text: string, options: ReadTableOptions = {}): RuntimeTable {
  const { header, rows } = parseCsv(name, text)
  const place = new Map(header.map((column, i) => [column, i]))
  const cell = ({ cells }: CsvRow, column: string | undefined) =>
    column === undefined ? '' : cells[place.get(column)!]!
  const isNumber = (column: string) => rows.every((row) => !Number.isNaN(Number(cell(row, column))))
  const columns = findColumns(name, header, isNumber, options.columns)
  const left = { failed: 0, unmeasured: 0 }
  const builder = new RuntimeTableBuilder(columns.configuration, columns.counters)
  for (const row of rows) {
    const read = (column: string) => readNumber(name, row.line, column, cell(row, column))
    if (!SUCCEEDED.includes(cell(row, columns.status).toLowerCase())) {
      left.failed++
      continue
    }
    if (cell(row, columns.runtime) === '') {
      left.unmeasured++
      continue
    }
    const seconds = read(columns.runtime) * columns.secondsPerUnit
    if (!(seconds > 0))
      throw new ConfigError(
        'table_invalid',
        `${name}, line ${row.line}: ${columns.runtime} must be > 0, got ${cell(row, columns.runtime)}`,
      )
    builder.add({
      workload: columns.workload === undefined ? name : cell(row, columns.workload),
      settings: columns.configuration.map((column) => cell(row, column)),
      seconds,
      usd: columns.cost === undefined ? Number.NaN : read(columns.cost) * columns.usdPerUnit,
      counters: columns.counters.map(read),
    })
  }
  return builder.build(name, left, priceOfMemory(columns, options.usdPerGbSecond ?? AWS_USD_PER_GB_SECOND))
}

/** NaN for an empty cell. */
function readNumber(name: string, line: number, column: string, text: string): number {
  const value = text === '' ? Number.NaN : Number(text)
  if (text !== '' && !Number.isFinite(value))
    throw new ConfigError(
      'table_invalid',
      `${name}, line ${line}: ${column} must be a number, got ${JSON.stringify(text.slice(0, 40))}`,
    )
  return value
}

/** Platforms of functions bill memory times duration. */
function priceOfMemory(columns: Columns, usdPerGbSecond: number): (settings: readonly string[]) => number {
  const at = columns.memory === undefined ? -1 : columns.configuration.indexOf(columns.memory)
  return (settings) => (at < 0 ? Number.NaN : (Number(settings[at]) / 1024) * usdPerGbSecond)
}
