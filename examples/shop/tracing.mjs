// OpenTelemetry as its documentation sets it up, without a context manager: contexts are handed over as arguments.
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'

/** The SDK's own clock has milliseconds only where a span starts: a call would begin before its caller made it. */
const now = () => performance.timeOrigin + performance.now()

const propagator = new W3CTraceContextPropagator()
const HEADERS = {
  get: (headers, name) => headers[name],
  keys: (headers) => Object.keys(headers),
  set: (headers, name, value) => {
    headers[name] = value
  },
}

/** The context that a request came with. */
export const contextOf = (headers) => propagator.extract(ROOT_CONTEXT, headers, HEADERS)

/** Headers that take a context along: W3C traceparent. */
export function headersOf(context) {
  const headers = {}
  propagator.inject(context, headers, HEADERS)
  return headers
}

/** Spans of one instance of a service, exported twice a second, or every `exportMs`. */
export class Tracing {
  #provider
  #tracer

  constructor(service, replica, { collector: url, exportMs = 500 }) {
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': service, 'service.instance.id': `${service}-${replica}` }),
      spanProcessors: [
        new BatchSpanProcessor(new OTLPTraceExporter({ url, compression: 'gzip' }), {
          scheduledDelayMillis: exportMs,
          maxQueueSize: 50_000,
        }),
      ],
    })
    this.#tracer = this.#provider.getTracer('shop')
  }

  /** Runs `work` in a span below `parent`; what it throws marks the span. @param kind  'server', 'client', 'producer' or 'consumer' */
  async within(name, kind, parent, work) {
    const span = this.#tracer.startSpan(name, { kind: SpanKind[kind.toUpperCase()], startTime: now() }, parent)
    try {
      return await work(trace.setSpan(parent, span))
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: error.message })
      throw error
    } finally {
      span.end(now())
    }
  }

  /** Sends what was not sent yet. */
  stop() {
    return this.#provider.shutdown()
  }
}
