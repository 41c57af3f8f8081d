import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from './http-error.js'

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

/** How many requests of each tenant wait; those without a name are one tenant. */
export class WaitingTenants {
  readonly #limit: number
  readonly #waiting = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * One more waits.
   * @returns takes it off again, however often it is called
   * @throws {HttpError} 429 `tenant_queue_full`
   */
  enter(tenant = ''): () => void {
    const waiting = this.#waiting.get(tenant) ?? 0
    if (waiting >= this.#limit)
      throw new HttpError(429, 'tenant_queue_full', `${waiting} requests of this tenant wait already: come again`, {
        retryAfterSeconds: 1,
      })
    this.#waiting.set(tenant, waiting + 1)
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      const left = this.#waiting.get(tenant)! - 1
      if (left > 0) this.#waiting.set(tenant, left)
      else this.#waiting.delete(tenant)
    }
  }
}
