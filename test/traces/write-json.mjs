// Generated traces as Jaeger JSON, OTLP JSON and Zipkin v2 JSON, in parts of bounded size, so that a file of any length
// can be written without holding it.

/** Numbers instances in the order met. */
function numbering() {
  const numbers = new Map()
  return {
    of(key) {
      if (!numbers.has(key)) numbers.set(key, numbers.size + 1)
      return numbers.get(key)
    },
    entries: () => numbers.entries(),
  }
}

/** What an HTTP client or server library adds to a span; only where `tags` is asked for. */
const attributesOf = ({ kind, operation, isError }) => [
  ['rpc.system', 'grpc'],
  ['rpc.method', operation],
  ['server.address', '10.96.14.203'],
  ['server.port', 8080],
  ['http.response.status_code', isError ? 503 : 200],
  ['otel.scope.name', '@opentelemetry/instrumentation-grpc'],
  ['span.kind', kind],
]

const jaegerTag = ([key, value]) =>
  `{"key": ${JSON.stringify(key)}, "type": "${typeof value === 'number' ? 'int64' : 'string'}", "value": ${JSON.stringify(value)}}`

function jaegerSpan(span, process, tags) {
  const { traceId, id, parentId, operation, startUs, durationUs, reference } = span
  const refType = reference === 'follows-from' ? 'FOLLOWS_FROM' : 'CHILD_OF'
  const references = parentId ? `{"refType": "${refType}", "traceID": "${traceId}", "spanID": "${parentId}"}` : ''
  const tagList = tags ? attributesOf(span).map(jaegerTag).join(', ') : ''
  return `{"traceID": "${traceId}", "spanID": "${id}", "operationName": ${JSON.stringify(operation)}, "references": [${references}], "startTime": ${startUs}, "duration": ${durationUs}, "tags": [${tagList}], "logs": [], "processID": "p${process}"}`
}

/** Yields the text of one trace in parts of about `SPANS_A_PART` spans. */
const SPANS_A_PART = 1000

function* jaegerTrace(spans, tags) {
  const processes = numbering()
  yield `{"traceID": "${spans[0].traceId}", "spans": [`
  for (let at = 0; at < spans.length; at += SPANS_A_PART) {
    const part = spans.slice(at, at + SPANS_A_PART)
    yield (at > 0 ? ', ' : '') +
      part.map((span) => jaegerSpan(span, processes.of(`${span.service} ${span.instance}`), tags)).join(', ')
  }
  const described = [...processes.entries()].map(([key, number]) => {
    const [service, instance] = key.split(' ')
    const tagList = tags ? jaegerTag(['service.instance.id', instance]) : ''
    return `"p${number}": {"serviceName": "${service}", "tags": [${tagList}]}`
  })
  yield `], "processes": {${described.join(', ')}}}`
}

/**
 * Jaeger's HTTP API and UI download: `{"data": [trace, …]}`, spaced like Python's `json.dumps`, as the Nezha files are.
 * @param traces  an iterable of traces, each an array of spans
 * @param tags  whether spans carry the usual attributes (the Nezha files have none)
 */
export function* jaegerJson(traces, { tags = false } = {}) {
  let separator = '{"data": ['
  for (const spans of traces) {
    yield separator
    yield* jaegerTrace(spans, tags)
    separator = ', '
  }
  yield separator === ', ' ? ']}' : '{"data": []}'
}

/** Traces in batches of about `SPANS_A_PART` spans, as a collector exports them. */
export function* batches(traces) {
  let batch = []
  for (const spans of traces) {
    for (let at = 0; at < spans.length; at += SPANS_A_PART) {
      const part = spans.slice(at, at + SPANS_A_PART)
      if (batch.length > 0 && batch.length + part.length > SPANS_A_PART) {
        yield batch
        batch = []
      }
      batch.push(...part)
    }
  }
  if (batch.length > 0) yield batch
}

/** instance → its spans, in the order met. */
export function byInstance(batch) {
  const groups = new Map()
  for (const span of batch) {
    const group = groups.get(span.instance)
    if (group) group.push(span)
    else groups.set(span.instance, [span])
  }
  return groups
}

const OTLP_KIND = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }
const otlpAttribute = ([key, value]) =>
  JSON.stringify({ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } })

function otlpSpan(span, tags) {
  const { traceId, id, parentId, operation, kind, startUs, durationUs, isError } = span
  const parent = parentId ? `"parentSpanId":"${parentId}",` : ''
  const attributes = tags ? `"attributes":[${attributesOf(span).map(otlpAttribute).join(',')}],` : ''
  return `{"traceId":"${traceId}","spanId":"${id}",${parent}"name":${JSON.stringify(operation)},"kind":${OTLP_KIND[kind]},"startTimeUnixNano":"${startUs}000","endTimeUnixNano":"${startUs + durationUs}000",${attributes}"status":{${isError ? '"code":2' : ''}}}`
}

/** OTLP JSON as the collector's file exporter writes it, compact: `{"resourceSpans": […]}`. */
export function* otlpJson(traces, { tags = false } = {}) {
  let separator = '{"resourceSpans":['
  for (const batch of batches(traces)) {
    for (const [instance, spans] of byInstance(batch)) {
      const resource = [
        ['service.name', spans[0].service],
        ['service.instance.id', instance],
      ].map(otlpAttribute)
      yield `${separator}{"resource":{"attributes":[${resource.join(',')}]},"scopeSpans":[{"scope":{"name":"velo"},"spans":[${spans.map((span) => otlpSpan(span, tags)).join(',')}]}]}`
      separator = ','
    }
  }
  yield separator === ',' ? ']}' : '{"resourceSpans":[]}'
}

const ZIPKIN_KIND = { server: 'SERVER', client: 'CLIENT', producer: 'PRODUCER', consumer: 'CONSUMER' }

/** Zipkin v2: one array of spans. */
export function* zipkinJson(traces, { tags = false } = {}) {
  let separator = '['
  for (const spans of traces) {
    for (const span of spans) {
      const { traceId, id, parentId, service, operation, kind, startUs, durationUs, isError } = span
      const text = JSON.stringify({
        traceId,
        id,
        ...(parentId && { parentId }),
        name: operation,
        ...(ZIPKIN_KIND[kind] && { kind: ZIPKIN_KIND[kind] }),
        timestamp: startUs,
        duration: durationUs,
        localEndpoint: { serviceName: service },
        ...((tags || isError) && {
          tags: {
            ...(tags && Object.fromEntries(attributesOf(span).map(([key, value]) => [key, String(value)]))),
            ...(isError && { error: '503' }),
          },
        }),
      })
      yield separator + text
      separator = ','
    }
  }
  yield separator === ',' ? ']' : '[]'
}
