import { AdapterError } from '@trimtab/core'
import { isUnreachable } from '@trimtab/node/http'
import type { Status } from './types.js'

/** What an answer carries beside its body. */
export interface KubernetesErrorOptions extends ErrorOptions {
  readonly retryAfterMs?: number | undefined
}

/**
 * The API server said no. `code` is `api_` and the reason in snake case: `api_not_found`, `api_already_exists`, `api_conflict`,
 * `api_invalid`, `api_forbidden`, `api_unauthorized`, `api_expired`, `api_too_many_requests`, …; `api_answer_502` where no reason was given.
 */
export class KubernetesError extends AdapterError {
  /** The HTTP status, 400 … 599. */
  readonly httpStatus: number
  /** What the server answered: reason, message, and causes by field. */
  readonly answer: Status
  /** When to come again with what was not taken (429, 503); undefined: the server did not say. */
  readonly retryAfterMs: number | undefined

  /** @param asked  what was asked for, `GET /api/v1/pods` */
  constructor(httpStatus: number, answer: Status, asked: string, options: KubernetesErrorOptions = {}) {
    const { reason, message } = answer
    super(
      codeOf(reason, httpStatus),
      `${asked}: ${httpStatus} ${[reason, message].filter(Boolean).join(': ')}`,
      options,
    )
    this.httpStatus = httpStatus
    this.answer = answer
    this.retryAfterMs = options.retryAfterMs
  }
}

const codeOf = (reason: string | undefined, httpStatus: number): string =>
  reason ? `api_${reason.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()}` : `api_answer_${httpStatus}`

const UNTRUSTED = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|certificate/

/** What an error of a socket means: `api_untrusted`, `api_unreachable` (nothing was sent), or `api_broken_off`. */
export function toTransportError(cause: NodeJS.ErrnoException, asked: string): AdapterError {
  const { code = '', message } = cause
  const said = code && !message.includes(code) ? `${code}: ${message}` : message
  if (UNTRUSTED.test(`${code} ${message}`)) {
    const way = 'check certificate-authority and the name in the server URL of the kubeconfig'
    return new AdapterError('api_untrusted', `${asked}: the server's certificate is not accepted (${said}); ${way}`, {
      cause,
    })
  }
  if (isUnreachable(cause))
    return new AdapterError('api_unreachable', `${asked}: the API server cannot be reached (${said})`, { cause })
  return new AdapterError('api_broken_off', `${asked}: the connection broke off (${said})`, { cause })
}

/** Whether an error has one of these codes; two copies of a package may be loaded side by side, so the class says nothing. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as { code?: string } | undefined)?.code ?? '')
}
