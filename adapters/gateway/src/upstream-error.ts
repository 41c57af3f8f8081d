import { isUnreachable } from '@trimtab/node/http'
import { HttpError } from './http-error.js'

const UNTRUSTED: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** What an error of a socket to the upstream means. */
export function toUpstreamError(cause: NodeJS.ErrnoException): HttpError {
  const { code = '', message } = cause
  const said = code ? `${code}: ${message}` : message
  if (isUnreachable(cause))
    return new HttpError(502, 'upstream_unreachable', `the upstream cannot be reached (${said})`, { cause })
  if (UNTRUSTED.has(code))
    return new HttpError(502, 'upstream_untrusted', `the upstream's certificate is not accepted (${said})`, { cause })
  return new HttpError(502, 'upstream_failed', `the upstream broke off (${said})`, { cause })
}
