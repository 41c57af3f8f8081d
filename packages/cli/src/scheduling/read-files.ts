import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { readAll } from '../adaptation/files.js'
import type { Host } from '../host.js'
import { UsageError } from '../options.js'
import { type RequestLog, readRequestLog } from './requests.js'
import type { ArrivalPattern } from './workload.js'

const LARGEST_BYTES = 512 * 1024 * 1024

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

async function readText(path: string, host: Pick<Host, 'readBytes'>): Promise<string> {
  try {
    const bytes = await readAll(path, host)
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
    return new TextDecoder().decode(isGzip ? gunzipSync(bytes, { maxOutputLength: LARGEST_BYTES }) : bytes)
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`)
  }
}
