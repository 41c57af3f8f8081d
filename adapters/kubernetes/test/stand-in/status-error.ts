// What an API server says no with.
import type { Status } from '../../src/index.js'

export interface Cause {
  readonly reason: string
  readonly message: string
  readonly field?: string
}

interface Details {
  readonly name?: string | undefined
  readonly kind?: string | undefined
  readonly group?: string | undefined
  readonly causes?: readonly Cause[]
  readonly retryAfterSeconds?: number
}

export class StatusError extends Error {
  readonly status: Status

  constructor(code: number, reason: string, message: string, details: Details = {}) {
    super(message)
    this.status = {
      apiVersion: 'v1',
      kind: 'Status',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      details,
      code,
    } as Status
  }
}

/** Names a kind of object in messages: `deployments.apps`. */
export interface Named {
  readonly plural: string
  readonly kind: string
  readonly group: string
}

const titleOf = ({ plural, group }: Named): string => (group === '' ? plural : `${plural}.${group}`)
const kindTitleOf = ({ kind, group }: Named): string => (group === '' ? kind : `${kind}.${group}`)
const detailsOf = ({ plural, group }: Named, name?: string): Details => ({
  name,
  kind: plural,
  ...(group ? { group } : {}),
})

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message)
export const unauthorized = (): StatusError => new StatusError(401, 'Unauthorized', 'Unauthorized')
export const noSuchPath = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource')
export const notFound = (of: Named, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${titleOf(of)} ${JSON.stringify(name)} not found`, detailsOf(of, name))
export const methodNotAllowed = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource')
export const alreadyExists = (of: Named, name: string): StatusError =>
  new StatusError(409, 'AlreadyExists', `${titleOf(of)} ${JSON.stringify(name)} already exists`, detailsOf(of, name))
export const conflict = (of: Named, name: string, why: string, causes: readonly Cause[] = []): StatusError =>
  new StatusError(
    409,
    'Conflict',
    causes.length > 0 ? why : `Operation cannot be fulfilled on ${titleOf(of)} ${JSON.stringify(name)}: ${why}`,
    { ...detailsOf(of, name), causes },
  )
export const changedMeanwhile = (of: Named, name: string): StatusError =>
  conflict(of, name, 'the object has been modified; please apply your changes to the latest version and try again')
export const expired = (message: string): StatusError => new StatusError(410, 'Expired', message)
export const unsupportedMediaType = (message: string): StatusError =>
  new StatusError(415, 'UnsupportedMediaType', message)
export const tooManyRequests = (
  message: string,
  retryAfterSeconds: number,
  causes: readonly Cause[] = [],
): StatusError => new StatusError(429, 'TooManyRequests', message, { retryAfterSeconds, causes })

export function invalid(of: Named, name: string, causes: readonly Cause[]): StatusError {
  const said = causes.map(({ field, message }) => `${field}: ${message}`)
  const list = said.length === 1 ? said[0] : `[${said.join(', ')}]`
  const details = { name, kind: of.kind, ...(of.group ? { group: of.group } : {}), causes }
  return new StatusError(422, 'Invalid', `${kindTitleOf(of)} ${JSON.stringify(name)} is invalid: ${list}`, details)
}
