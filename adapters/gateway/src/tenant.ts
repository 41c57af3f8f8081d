import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whose request it is: the value of `header`, or the API key. Only a hash is kept, so that no key lands in memory dumps or logs.
 *
 * @param header  lower case; default: `Authorization`, then `api-key` (Azure) and `x-api-key`
 * @returns 16 hexadecimal digits; undefined for requests without a name
 */
export function tenantOf(headers: IncomingHttpHeaders, header?: string): string | undefined {
  const value =
    header === undefined ? (headers.authorization ?? headers['api-key'] ?? headers['x-api-key']) : headers[header]
  const name = Array.isArray(value) ? value.join(', ') : value
  return name ? createHash('sha256').update(name).digest('hex').slice(0, 16) : undefined
}
