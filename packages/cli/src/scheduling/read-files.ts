import { basename } from 'node:path'
import { UsageError } from '../options.js'
import { type Reading, readText } from '../read-file.js'
import { type RequestLog, readRequestLog } from './requests.js'
import { type ArrivalPattern, patternOf } from './workload.js'

/** Reads a log of requests, gzip or not. @throws {UsageError} */
export async function readLogFile(path: string, reading: Reading): Promise<RequestLog> {
  return readRequestLog(basename(path), await readText(path, reading))
}

/** The arrival times of a log. @throws {UsageError} when it has none */
export async function readPattern(path: string, reading: Reading): Promise<ArrivalPattern> {
  const pattern = patternOf(await readLogFile(path, reading))
  if (pattern) return pattern
  throw new UsageError(`${path} has no arrival times: a field arrival_s, arrival_ms, timestamp or TIMESTAMP is needed`)
}
