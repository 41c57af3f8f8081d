import { ConfigError } from '@trimtab/core'
import { type CsvRow, type CsvTable, parseCsv } from '../../csv.js'

/** A function of the public trace of Azure Functions, 2019: one hour of it, minute by minute. */
export interface AzureFunction {
  /** `HashFunction` of the tables. */
  readonly id: string
  /** `timer`, `http`, `queue`, … */
  readonly trigger: string
  /** Invocations in each minute. */
  readonly perMinute: Float64Array
  /** Mean of a run, ms; NaN where no table says it. */
  readonly durationMs: number
  /** Mean of what was allocated, MiB; NaN where no table says it. */
  readonly memoryMiB: number
}

/** The trace as it is published: the text of its CSV files. */
export interface AzureTables {
  /** `HashFunction`, `Trigger`, then a column for each minute. */
  readonly invocations: string
  /** `HashFunction`, `Average` (ms). */
  readonly durations?: string
  /** `HashFunction`, `AverageAllocatedMb`. */
  readonly memory?: string
}

/** Every so many functions one is for tests, the others to learn from. */
const TEST_EVERY = 3

/**
 * Reads functions, in the order of the table of invocations.
 * @throws {ConfigError} `table_invalid` with table, line and column of the first cell that cannot be read
 */
export function readAzureFunctions({ invocations, durations, memory }: AzureTables): AzureFunction[] {
  const table = parseCsv('invocations', invocations)
  const id = columnOf('invocations', table, 'HashFunction')
  const trigger = columnOf('invocations', table, 'Trigger')
  const minutes = table.header.flatMap((column, i) => (/^\d+$/.test(column) ? [i] : []))
  if (minutes.length === 0) throw new ConfigError('table_invalid', 'invocations has no column of a minute: 1, 2, 3, …')
  const durationOf = numbersById('durations', durations, 'Average')
  const memoryOf = numbersById('memory', memory, 'AverageAllocatedMb')
  return table.rows.map((row) => ({
    id: row.cells[id]!,
    trigger: row.cells[trigger]!,
    perMinute: Float64Array.from(minutes, (column) => numberAt('invocations', table, row, column)),
    durationMs: durationOf.get(row.cells[id]!) ?? Number.NaN,
    memoryMiB: memoryOf.get(row.cells[id]!) ?? Number.NaN,
  }))
}

/** Functions to learn from and others to judge by: no function is in both. */
export function splitFunctions<F>(functions: readonly F[]): { readonly train: F[]; readonly test: F[] } {
  return {
    train: functions.filter((_, i) => i % TEST_EVERY !== TEST_EVERY - 1),
    test: functions.filter((_, i) => i % TEST_EVERY === TEST_EVERY - 1),
  }
}

function columnOf(name: string, { header }: CsvTable, column: string): number {
  const at = header.indexOf(column)
  if (at < 0) {
    const shown = header.slice(0, 12).join(', ')
    throw new ConfigError('table_invalid', `${name} has no column ${column}; it has ${shown}`)
  }
  return at
}

function numbersById(name: string, text: string | undefined, column: string): ReadonlyMap<string, number> {
  if (text === undefined) return new Map()
  const table = parseCsv(name, text)
  const id = columnOf(name, table, 'HashFunction')
  const value = columnOf(name, table, column)
  return new Map(table.rows.map((row) => [row.cells[id]!, numberAt(name, table, row, value)]))
}

function numberAt(name: string, { header }: CsvTable, { line, cells }: CsvRow, column: number): number {
  const cell = cells[column]!
  const value = cell === '' ? Number.NaN : Number(cell)
  if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
    const shown = JSON.stringify(cell.slice(0, 40))
    throw new ConfigError(
      'table_invalid',
      `${name}, line ${line}, column ${header[column]}: expected a number >= 0, got ${shown}`,
    )
  }
  return value
}
