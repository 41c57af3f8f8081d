// InfluxDB 2 answers Flux with annotated CSV: tables behind each other, each with its `#datatype` and its header.
import { AdapterError } from '@trimtab/core'
import type { Row } from './server.js'

const FIXED: readonly string[] = ['', 'result', 'table', '_time', '_start', '_stop', '_measurement']

/**
 * The rows of an answer, tables behind each other; columns of text are told from numbers by their datatype.
 * @throws {AdapterError} `influxdb_failed`: the query failed half-way
 */
export function readFluxCsv(csv: string): Row[] {
  const rows: Row[] = []
  let types: readonly string[] = []
  let names: readonly string[] | undefined
  for (const record of records(csv)) {
    if (record.length === 1 && record[0] === '')
      names = undefined // between two tables
    else if (record[0] === '#datatype') {
      types = record
      names = undefined
    } else if (record[0]!.startsWith('#')) continue
    else if (names === undefined) names = record
    else if (names.includes('error'))
      throw new AdapterError('influxdb_failed', `the query failed: ${record[names.indexOf('error')]}`)
    else rows.push(toRow(names, types, record))
  }
  return rows
}

function toRow(names: readonly string[], types: readonly string[], values: readonly string[]): Row {
  const fields = new Map<string, number | string>()
  for (const [i, name] of names.entries()) {
    if (FIXED.includes(name) || values[i] === '' || values[i] === undefined) continue
    fields.set(name, types[i] === 'string' ? values[i] : Number(values[i]))
  }
  return { timeUs: toMicroseconds(values[names.indexOf('_time')] ?? ''), fields }
}

/** RFC 3339 with up to nine digits behind the second. */
function toMicroseconds(time: string): number {
  const [, seconds, fraction = ''] = /^([^.Z]*)(?:\.(\d+))?Z$/.exec(time) ?? []
  return Date.parse(`${seconds}Z`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

/** RFC 4180: lines of values; a quoted one may hold commas, line breaks and doubled quotes. */
function* records(csv: string): Generator<string[]> {
  let record: string[] = []
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (end === '' && record.length === 0 && plain === '') return // behind the last line
    record.push(quoted?.replaceAll('""', '"') ?? plain!)
    if (end === ',') continue
    yield record
    record = []
  }
}
