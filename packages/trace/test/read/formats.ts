// A generated trace, and how exporters of each format would write it.
import fc from 'fast-check'
import type { Span } from '../../src/index.js'

export interface ModelSpan {
  readonly id: string
  readonly parentId: string
  readonly service: string
  readonly operation: string
  readonly startUs: number
  readonly durationUs: number
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer'
  readonly isError: boolean
}

export interface ModelTrace {
  readonly traceId: string
  readonly spans: readonly ModelSpan[]
}

/** Whole µs, so that every format can say it. */
const EPOCH_US = 1_661_140_399_378_397

const hex = (digits: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: digits, maxLength: digits })
    .map((list) => list.join(''))

const names = fc.oneof(fc.constantFrom('frontend', 'cart', 'GET /a "quoted", with\nall', 'größe 🚀 \\ /'), fc.string())

export const modelTraces: fc.Arbitrary<ModelTrace> = fc
  .record({
    traceId: hex(32).map((id) => `a${id.slice(1)}`),
    ids: fc.uniqueArray(hex(16), { minLength: 1, maxLength: 12 }),
    spans: fc.array(
      fc.record({
        parent: fc.nat(),
        service: names.map((name) => name || 'nameless'),
        operation: names,
        startUs: fc.nat(10_000),
        durationUs: fc.nat(10_000),
        kind: fc.constantFrom('internal', 'server', 'client', 'producer', 'consumer'),
        isError: fc.boolean(),
      }),
      { minLength: 12, maxLength: 12 },
    ),
  })
  .map(({ traceId, ids, spans }) => ({
    traceId,
    spans: ids.map((id, i) => {
      const { parent, startUs, ...rest } = spans[i]!
      return { id, parentId: i === 0 ? '' : ids[parent % i]!, startUs: EPOCH_US + startUs, ...rest }
    }),
  }))

/** The spans a reader should find, in the model's order. */
export function expectedSpans({ traceId, spans }: ModelTrace): Span[] {
  return spans.map(({ id, parentId, service, operation, startUs, durationUs, kind, isError }) => ({
    id,
    ...(parentId && { parentId }),
    traceId,
    service,
    operation,
    startUs,
    durationUs,
    kind,
    ...(isError && { isError }),
  }))
}

const tag = (key: string, type: string, value: unknown) => ({ key, type, value })

export function toJaeger({ traceId, spans }: ModelTrace): object {
  const services = [...new Set(spans.map(({ service }) => service))]
  return {
    traceID: traceId,
    spans: spans.map((span) => ({
      traceID: traceId,
      spanID: span.id,
      flags: 1,
      operationName: span.operation,
      references: span.parentId ? [{ refType: 'CHILD_OF', traceID: traceId, spanID: span.parentId }] : [],
      startTime: span.startUs,
      duration: span.durationUs,
      tags: [
        tag('span.kind', 'string', span.kind),
        tag('http.status_code', 'int64', 200),
        ...(span.isError ? [tag('error', 'bool', true)] : []),
      ],
      logs: [{ timestamp: span.startUs, fields: [tag('event', 'string', '{"]}')] }],
      processID: `p${services.indexOf(span.service)}`,
      warnings: null,
    })),
    processes: Object.fromEntries(services.map((serviceName, i) => [`p${i}`, { serviceName, tags: [] }])),
    warnings: null,
  }
}

export interface OtlpSpelling {
  readonly isSnake: boolean
  readonly isBase64: boolean
  readonly hasNumbers: boolean
  readonly hasEnumNames: boolean
  readonly isBatches: boolean
  readonly isOldScope: boolean
}

export const otlpSpellings: fc.Arbitrary<OtlpSpelling> = fc.record({
  isSnake: fc.boolean(),
  isBase64: fc.boolean(),
  hasNumbers: fc.boolean(),
  hasEnumNames: fc.boolean(),
  isBatches: fc.boolean(),
  isOldScope: fc.boolean(),
})

const KIND_NUMBERS = ['', 'internal', 'server', 'client', 'producer', 'consumer']

/** The text of an OTLP document: numbers of 64 bits would not survive `JSON.stringify`. */
export function toOtlp({ traceId, spans }: ModelTrace, spelling: OtlpSpelling): string {
  const { isSnake, isBase64, hasNumbers, hasEnumNames, isBatches, isOldScope } = spelling
  const key = (camel: string) => (isSnake ? camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : camel)
  const id = (text: string) => (isBase64 ? Buffer.from(text, 'hex').toString('base64') : text)
  const time = (us: number) => (hasNumbers ? `@${us}000@` : `${us}000`)
  const services = [...new Set(spans.map(({ service }) => service))]
  const document = {
    [isBatches ? 'batches' : key('resourceSpans')]: services.map((service) => ({
      resource: {
        attributes: [{ key: 'service.name', value: { [key('stringValue')]: service } }],
        [key('droppedAttributesCount')]: 0,
      },
      [key(isOldScope ? 'instrumentationLibrarySpans' : 'scopeSpans')]: [
        {
          scope: { name: 'lib' },
          spans: spans
            .filter((span) => span.service === service)
            .map((span) => ({
              [key('traceId')]: id(traceId),
              [key('spanId')]: id(span.id),
              ...(span.parentId && { [key('parentSpanId')]: id(span.parentId) }),
              name: span.operation,
              kind: hasEnumNames ? `SPAN_KIND_${span.kind.toUpperCase()}` : KIND_NUMBERS.indexOf(span.kind),
              [key('startTimeUnixNano')]: time(span.startUs),
              [key('endTimeUnixNano')]: time(span.startUs + span.durationUs),
              attributes: [{ key: 'error', value: { [key('boolValue')]: true } }],
              status: span.isError ? { code: hasEnumNames ? 'STATUS_CODE_ERROR' : 2 } : {},
            })),
        },
      ],
    })),
  }
  return JSON.stringify(document).replace(/"@(\d+)@"/g, '$1')
}

export function toZipkin({ traceId, spans }: ModelTrace): object[] {
  return spans.map((span) => ({
    traceId,
    id: span.id,
    ...(span.parentId && { parentId: span.parentId }),
    ...(span.kind !== 'internal' && { kind: span.kind.toUpperCase() }),
    name: span.operation,
    timestamp: span.startUs,
    duration: span.durationUs,
    localEndpoint: { serviceName: span.service },
    tags: { 'http.method': 'GET', ...(span.isError && { error: 'it broke' }) },
  }))
}

const cell = (value: string | number) =>
  /[",\n\r]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : `${value}`

export function toCsv(traces: readonly ModelTrace[]): string {
  const rows: (string | number)[][] = [
    [
      'trace',
      'window',
      'span',
      'parent',
      'service',
      'operation',
      'start_us',
      'duration_us',
      'kind',
      'error',
      'trace_start_unix_us',
    ],
  ]
  for (const { traceId, spans } of traces) {
    for (const { id, parentId, service, operation, startUs, durationUs, kind, isError } of spans) {
      const traceStartUs = spans[0]!.startUs
      const isRoot = !parentId
      rows.push([
        traceId,
        `of ${traceId}`,
        id,
        parentId || -1,
        service,
        operation,
        startUs - traceStartUs,
        durationUs,
        kind,
        `${isError}`,
        isRoot ? traceStartUs : '',
      ])
    }
  }
  return `${rows.map((row) => row.map(cell).join(',')).join('\n')}\n`
}
