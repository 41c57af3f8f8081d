export {
  basicAuthorization,
  HTTP_CLIENT_OPTIONS,
  type HttpAnswer,
  HttpClient,
  type HttpClientOptions,
  type HttpRequest,
} from './http-client.js'
export { HttpServer } from './http-server.js'
export { readBody } from './read-body.js'
export { retryAfterMs } from './retry-after.js'
export { isUnreachable } from './unreachable.js'
