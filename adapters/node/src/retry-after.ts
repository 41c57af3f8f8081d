import type { IncomingMessage } from 'node:http'

/**
 * When the server that refused wants to be asked again: a 429 or 503 with `Retry-After`, in seconds or as a date. Such a request was not
 * taken, so that it may be sent again.
 *
 * @returns milliseconds from now; undefined: it is the answer
 */
export function retryAfterMs({
  statusCode,
  headers,
}: Pick<IncomingMessage, 'statusCode' | 'headers'>): number | undefined {
  const said = headers['retry-after']
  if ((statusCode !== 429 && statusCode !== 503) || said === undefined) return undefined
  const milliseconds = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now()
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds)
}
