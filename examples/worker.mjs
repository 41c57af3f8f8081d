// A Worker (Cloudflare, workerd, any host of `fetch` handlers): POST a trace as Jaeger, OTLP or Zipkin exports it, get what it waited for.
// Usage: wrangler dev examples/worker.mjs; curl --data-binary @trace.json localhost:8787
import { criticalPath, readTraces } from '@trimtab/trace'

export default {
  async fetch(request) {
    if (request.method !== 'POST' || !request.body) return new Response('POST a trace\n', { status: 405 })
    const answers = []
    try {
      for await (const trace of readTraces(request.body)) {
        const path = criticalPath(trace)
        const waits = path.map(({ span, startUs, endUs }) => ({ service: span.service, us: endUs - startUs }))
        answers.push({ traceId: trace.traceId, latencyUs: path.at(-1).endUs - path[0].startUs, waits })
      }
    } catch (error) {
      return Response.json({ code: error.code, message: error.message }, { status: 400 })
    }
    return Response.json(answers)
  },
}
