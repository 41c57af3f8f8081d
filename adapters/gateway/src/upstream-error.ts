import { HttpError } from './http-error.js'

/** Errors before a byte was sent: the server is not there, or not the one that it should be. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
const UNTRUSTED: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** What an error of a socket to the upstream means. */
export function toUpstreamError(cause: NodeJS.ErrnoException): HttpError {
  const { code = '', syscall, message } = cause
  const said = code ? `${code}: ${message}` : message
  if (syscall === 'connect' || UNREACHABLE.has(code))
    return new HttpError(502, 'upstream_unreachable', `the upstream cannot be reached (${said})`, { cause })
  if (UNTRUSTED.has(code))
    return new HttpError(502, 'upstream_untrusted', `the upstream's certificate is not accepted (${said})`, { cause })
  return new HttpError(502, 'upstream_failed', `the upstream broke off (${said})`, { cause })
}
