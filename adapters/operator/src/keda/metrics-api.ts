import type { RequestListener } from 'node:http'
import type { Recommendations } from './recommendations.js'

/**
 * Answers KEDA's `metrics-api` scaler: GET `/keda/NAMESPACE/NAME` is `{ "value": 3, … }`, 404 where there is no such autoscaler, 503 where it
 * has no decision that is fresh: KEDA falls back then.
 */
export const answerMetricsApi =
  (recommendations: Recommendations): RequestListener =>
  (request, response) => {
    const send = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
    const ref = refOf(request.url ?? '/')
    if (request.method !== 'GET' || ref === undefined)
      return send(404, { error: 'there is GET /keda/NAMESPACE/NAME of a MultidimPodAutoscaler' })
    const found = recommendations.of(ref)
    if (found.state !== 'fresh') return send(found.state === 'unknown' ? 404 : 503, { error: found.message })
    const { decidedBy, lastDecisionTime } = found.autoscaler.status ?? {}
    send(200, { value: found.replicas, ...ref, decidedBy, lastDecisionTime })
  }

function refOf(url: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^\/keda\/([a-z0-9-]+)\/([a-z0-9.-]+)\/?(?:\?.*)?$/.exec(url) ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}
