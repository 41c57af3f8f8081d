import { malformed, WhiskError } from './whisk-error.js'

const MOST_LISTED = 200
const LISTED = 30

/** A part of a list. */
export interface Page {
  readonly skip: number
  readonly limit: number
}

/** `skip` and `limit` of a request. @throws {WhiskError} 400 */
export function pageOf(query: URLSearchParams, collection: string): Page {
  const skip = wholeOf(query, 'skip') ?? 0
  const limit = wholeOf(query, 'limit') ?? LISTED
  if (limit > MOST_LISTED)
    throw new WhiskError(400, `The value '${limit}' is not in the range of 0 to ${MOST_LISTED} for ${collection}.`)
  return { skip, limit: limit === 0 ? MOST_LISTED : limit }
}

/** A parameter that is a whole number ≥ 0. @throws {WhiskError} 400 */
export function wholeOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  if (!/^\d{1,15}$/.test(text)) throw malformed(`'${name}' must be a whole number ≥ 0`)
  return Number(text)
}

/** A parameter that is `true` or `false`. @throws {WhiskError} 400 */
export function truthOf(query: URLSearchParams, name: string, otherwise: boolean): boolean {
  const text = query.get(name)
  if (text === null) return otherwise
  if (text !== 'true' && text !== 'false') throw malformed(`'${name}' must be true or false`)
  return text === 'true'
}
