/** A kind of JSON that is no traces, or traces that are not read here, and how to come by some that are. */
export interface ForeignJson {
  readonly name: string
  /** What to do instead, as an order. */
  readonly wayOut: string
  /** Keys that no format has that is read. */
  readonly keys: readonly string[]
}

const throughCollector = (receiver: string): string =>
  `let the OpenTelemetry collector take them (receiver ${receiver}) and write OTLP (exporter file)`

export const FOREIGN_JSON: readonly ForeignJson[] = [
  {
    name: "SkyWalking's JSON",
    wayOut: throughCollector('skywalking'),
    keys: ['segmentId', 'traceSegmentId', 'serviceCode', 'endpointName'],
  },
  {
    name: "Datadog's JSON",
    wayOut: throughCollector('datadog'),
    keys: ['parent_id', 'resource_name', 'meta_struct'],
  },
  {
    name: "AWS X-Ray's JSON",
    wayOut: throughCollector('awsxray'),
    keys: ['Traces', 'Segments', 'Document', 'subsegments', 'in_progress', 'start_time'],
  },
  {
    name: 'a dump of an Elasticsearch index',
    wayOut: "ask Jaeger's or Zipkin's API for the traces, as in /api/traces?service=NAME",
    keys: ['hits', '_shards', '_index', '_source', '_scroll_id'],
  },
  {
    name: "OpenTelemetry's console output",
    wayOut: 'use an OTLP exporter, or the file exporter of the collector',
    keys: ['context', 'trace_state'],
  },
  {
    name: 'OTLP metrics or logs',
    wayOut: 'name a file of spans (resourceSpans)',
    keys: ['resourceMetrics', 'resourceLogs', 'resource_metrics', 'resource_logs'],
  },
  {
    name: "Chrome's trace events",
    wayOut: 'they are the profile of one process, not the spans of requests',
    keys: ['traceEvents'],
  },
]

/** The answer of a server that had none. */
export const ERROR_BODY: Omit<ForeignJson, 'keys'> = {
  name: 'an error in place of traces',
  wayOut: 'ask the server again',
}
/** Keys under which servers tell an error, unless they hold nothing. */
export const ERROR_KEYS = ['error', 'errors'] as const
