import { AdapterError } from '@trimtab/core'
import { printable } from '@trimtab/core/text'
import { type HttpAnswer, retryAfterMs } from '@trimtab/node/http'

/** What is read back, by name; a field that a point has not is absent. */
export interface Row {
  readonly timeUs: number
  readonly fields: ReadonlyMap<string, number | string>
}

/** Which points of one measurement are meant; names as `encodeName` gives them. */
export interface PointQuery {
  readonly measurement: string
  readonly tag: string
  readonly tagValue: string
  /** Every point has the first one. */
  readonly fields: readonly string[]
}

/** A database of either generation. */
export interface InfluxServer {
  /** @throws {AdapterError} as `requireOk`, `http_…` */
  write(lines: readonly string[], signal: AbortSignal): Promise<void>
  /** The last `n` points before `beforeUs`, oldest first. @throws as `write`; {AdapterError} `influxdb_failed` */
  readBefore(beforeUs: number, n: number, query: PointQuery, signal: AbortSignal | undefined): Promise<Row[]>
  dispose(): void
}

/** The database did not take it; it may, later. */
export class Unavailable extends AdapterError {
  /** It asked for this much patience. */
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs: number) {
    super('influxdb_failed', message)
    this.retryAfterMs = retryAfterMs
  }
}

/** The data itself is at fault, and always will be. */
const REFUSED: readonly number[] = [400, 413, 422]

/**
 * @throws {AdapterError} `influxdb_refused`: no try will do; `influxdb_failed` (`Unavailable`): overloaded, denied, no such database, …
 */
export function requireOk(url: string, answer: HttpAnswer): void {
  const { statusCode, body } = answer
  if (statusCode >= 200 && statusCode < 300) return
  const message = `${url}: HTTP ${statusCode}, ${printable(reasonOf(body).slice(0, 500)) || 'no reason given'}`
  if (REFUSED.includes(statusCode)) throw new AdapterError('influxdb_refused', message)
  throw new Unavailable(message, retryAfterMs(answer) ?? 0)
}

/** 1.x says `error`, 2.x `message`; a proxy whatever it likes. */
function reasonOf(body: string): string {
  try {
    const { error, message } = JSON.parse(body) as { readonly error?: string; readonly message?: string }
    return error ?? message ?? body
  } catch {
    return body
  }
}
