import type { Span } from '@trimtab/trace'

/** One request of a small shop: front asks cart (which asks db) and then ads; mail may go out afterwards. µs. */
export function shopRequest(number: number, adsFactor = 1): Span[] {
  const jitter = (i: number) => (((number + 1) * 7919 * (i + 3)) % 97) / 97 // 0…1, the same every time
  const read = Math.round(2000 + 400 * jitter(1))
  const cart = Math.round(3000 + 600 * jitter(2)) + read
  const ads = Math.round((1500 + 300 * jitter(3)) * adsFactor)
  const start = 1_700_000_000_000_000 + number * 1_000_000
  const traceId = `t${String(number).padStart(4, '0')}`
  const span = (
    id: string,
    parentId: string | null,
    service: string,
    operation: string,
    at: number,
    lasts: number,
  ) => ({
    ...{ id, parentId, traceId, service, operation, startUs: start + at, durationUs: lasts, instance: `${service}-0` },
  })
  return [
    span('a1', null, 'front', 'GET /cart', 0, 1000 + cart + 200 + ads + 300),
    span('b2', 'a1', 'cart', 'Load', 1000, cart),
    span('c3', 'b2', 'db', 'SELECT items', 1000 + cart - read - 100, read),
    span('d4', 'a1', 'ads', 'Pick', 1200 + cart, ads),
    ...(number % 3 === 0 || jitter(5) > 0.5
      ? [{ ...span('e5', 'a1', 'mail', 'Send', 1300 + cart, 90_000), reference: 'follows-from' as const }]
      : []),
  ]
}

export const shopRequests = (count: number, adsFactor = 1): Span[][] =>
  Array.from({ length: count }, (_, number) => shopRequest(number, adsFactor))

/** As Jaeger's API and UI give traces out. */
export const jaegerJson = (traces: readonly (readonly Span[])[]): string =>
  JSON.stringify({
    data: traces.map((spans) => ({
      traceID: spans[0]!.traceId,
      spans: spans.map((span) => ({
        traceID: span.traceId,
        spanID: span.id,
        operationName: span.operation,
        startTime: span.startUs,
        duration: span.durationUs,
        processID: span.service,
        tags: [],
        logs: [],
        references: span.parentId
          ? [
              {
                refType: span.reference === 'follows-from' ? 'FOLLOWS_FROM' : 'CHILD_OF',
                traceID: span.traceId,
                spanID: span.parentId,
              },
            ]
          : [],
      })),
      processes: Object.fromEntries(spans.map(({ service }) => [service, { serviceName: service, tags: [] }])),
    })),
  })

/** As a table of spans; trace ids begin with the incident's name and a dash. */
export function csvOf(incidents: Readonly<Record<string, readonly (readonly Span[])[]>>): string {
  const rows = Object.entries(incidents).flatMap(([incident, traces]) =>
    traces.flatMap((spans) =>
      spans.map((span, i) =>
        [
          `${incident}-${span.traceId}`,
          span.id,
          span.parentId ?? '-1',
          span.service,
          span.operation,
          i === 0 ? span.startUs : '',
          span.startUs - spans[0]!.startUs,
          span.durationUs,
        ].join(','),
      ),
    ),
  )
  return `trace,span,parent,service,operation,trace_start_unix_us,start_us,duration_us\n${rows.join('\n')}\n`
}
