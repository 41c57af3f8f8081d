import type { ServerResponse } from 'node:http'
import type { HttpError } from './http-error.js'

const typeOf = (status: number): string => {
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}

/**
 * Answers `{ type: 'error', error: { message, type, param, code } }`, which OpenAI's clients and Anthropic's read. Where the answer has begun, the connection is cut instead: a stream that
 * ends early must not look like one that is done.
 */
export function answerError(response: ServerResponse, error: HttpError): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { status, code, message, retryAfterSeconds } = error
  const body = JSON.stringify({ type: 'error', error: { message, type: typeOf(status), param: null, code } })
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  })
  response.end(body)
}
