import { AdapterError } from '@trimtab/core'

/** A refusal in the protocol's words: a status, and a body `{ error, code }`. */
export class WhiskError extends AdapterError {
  readonly status: number

  constructor(status: number, message: string, options?: ErrorOptions) {
    super('whisk_refused', message, options)
    this.status = status
  }
}

export const unauthorised = (): WhiskError => new WhiskError(401, 'The supplied authentication is invalid.')
export const forbidden = (): WhiskError =>
  new WhiskError(403, 'The supplied authentication is not authorized to access this resource.')
export const notFound = (): WhiskError => new WhiskError(404, 'The requested resource does not exist.')
export const notAllowed = (): WhiskError => new WhiskError(405, 'HTTP method not allowed for this resource.')
export const conflict = (): WhiskError => new WhiskError(409, 'Concurrent modification to resource detected.')
export const malformed = (what: string): WhiskError => new WhiskError(400, `The request content was malformed: ${what}`)
export const tooLarge = (field: string, allowed: number): WhiskError =>
  new WhiskError(413, `${field} larger than allowed: at most ${allowed} bytes.`)
