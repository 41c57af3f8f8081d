import { basename } from 'node:path'
import type { Host } from '../host.js'
import { UsageError } from '../options.js'
import { readText } from '../read-file.js'
import { type RequestLog, readRequestLog } from './requests.js'
import type { ArrivalPattern } from './workload.js'

/** Reads a log of requests, gzip or not. @throws {UsageError} */
export async function readLogFile(path: string, host: Pick<Host, 'readBytes'>): Promise<RequestLog> {
  return readRequestLog(basename(path), await readText(path, host))
}

/** The arrival times of a log. @throws {UsageError} when it has none */
export async function readPattern(path: string, host: Pick<Host, 'readBytes'>): Promise<ArrivalPattern> {
  const pattern = patternOf(await readLogFile(path, host))
  if (pattern) return pattern
  throw new UsageError(`${path} has no arrival times: a field arrival_s, arrival_ms, timestamp or TIMESTAMP is needed`)
}

export const patternOf = ({ name, requests, hasArrivals }: RequestLog): ArrivalPattern | undefined =>
  hasArrivals ? { name, seconds: Float64Array.from(requests, ({ arrivalSeconds }) => arrivalSeconds!) } : undefined
