import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { METRICS_CONTENT_TYPE, type Metric, renderMetrics } from '@trimtab/prometheus'

/** What probes and Prometheus ask an operator. */
export interface HealthOptions {
  readonly metrics: readonly Metric[]
  /** Why it is not ready; empty: it is. */
  readonly unready: () => readonly string[]
}

/** Answers `/metrics`, `/healthz` (this process runs) and `/readyz` (it knows its cluster: 200, or 503 with the reasons). */
export const answerHealth =
  ({ metrics, unready }: HealthOptions): RequestListener =>
  (request: IncomingMessage, response: ServerResponse) => {
    const send = (status: number, type: string, text: string): void =>
      void response.writeHead(status, { 'content-type': type }).end(request.method === 'HEAD' ? '' : text)
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(405, 'text/plain', 'GET is all there is\n')
    switch (new URL(request.url ?? '/', 'http://operator').pathname) {
      case '/metrics':
        return send(200, METRICS_CONTENT_TYPE, renderMetrics(metrics))
      case '/healthz':
        return send(200, 'text/plain', 'ok\n')
      case '/readyz': {
        const reasons = unready()
        return reasons.length === 0
          ? send(200, 'text/plain', 'ok\n')
          : send(503, 'text/plain', reasons.map((reason) => `${reason}\n`).join(''))
      }
      default:
        return send(404, 'text/plain', 'there are /metrics, /healthz and /readyz\n')
    }
  }
