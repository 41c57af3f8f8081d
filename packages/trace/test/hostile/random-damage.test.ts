// Valid files of every format, damaged at random: whatever comes of it, no more is thrown than "these are no traces".
import { gunzipSync, gzipSync } from 'node:zlib'
import { TraceError } from '@trimtab/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTraces, type TraceFormat } from '../../src/index.js'
import { type ModelTrace, modelTraces, toCsv, toJaeger, toOtlp, toZipkin } from '../read/formats.js'
import { encodeTraces } from '../read/otlp-schema.js'
import { wholeWay } from './whole-way.js'

const SPELLING = {
  isSnake: false,
  isBase64: false,
  hasNumbers: false,
  hasEnumNames: false,
  isBatches: false,
  isOldScope: false,
}

const WRITERS: Record<string, (models: readonly ModelTrace[]) => Uint8Array> = {
  jaeger: (models) => text(JSON.stringify({ data: models.map(toJaeger) })),
  'jaeger lines': (models) => text(models.map((model) => JSON.stringify(toJaeger(model))).join('\n')),
  'otlp-json': (models) => text(models.map((model) => toOtlp(model, SPELLING)).join('\n')),
  'otlp-protobuf': (models) => Buffer.concat(models.map(protobuf)),
  'otlp-protobuf frames': (models) =>
    Buffer.concat(
      models.map(protobuf).flatMap((bytes) => [Uint8Array.of(0, 0, bytes.length >> 8, bytes.length & 255), bytes]),
    ),
  zipkin: (models) => text(JSON.stringify(models.map(toZipkin))),
  csv: (models) => text(toCsv(models)),
}

const protobuf = (model: ModelTrace): Uint8Array =>
  encodeTraces(JSON.parse(toOtlp(model, { ...SPELLING, isBase64: true })))

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

/** What is put in place of something else: numbers, brackets, lengths and words that readers stumble over. */
const splinters = fc.constantFrom(
  ...[
    '',
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ',',
    ':',
    '-',
    '0',
    '1e999',
    'null',
    'true',
    '\n',
    '""',
    '-1',
    '99999999999999999999',
    '\\ud800',
    '\0',
    '{}',
    '[]',
  ].map(text),
  Uint8Array.of(0xff),
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x7f),
  Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80),
  Uint8Array.of(0x0a, 0x80, 0x80, 0x80, 0x80, 0x20),
  Uint8Array.of(0x0b, 0x0b),
)

type Damage = (bytes: Uint8Array) => Uint8Array
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const length = fc.oneof(fc.nat(3), fc.nat(200))

/** Replaces some bytes; doubles a stretch; cuts the end off; gives two stretches each other's place. */
const damages: fc.Arbitrary<Damage> = fc.oneof(
  fc.tuple(place, length, fc.oneof(splinters, fc.uint8Array({ maxLength: 3 }))).map(
    ([at, count, splinter]): Damage =>
      (bytes) => {
        const from = Math.floor(at * bytes.length)
        return Buffer.concat([bytes.subarray(0, from), splinter, bytes.subarray(from + count)])
      },
  ),
  fc.tuple(place, place, length).map(
    ([at, to, count]): Damage =>
      (bytes) => {
        const from = Math.floor(at * bytes.length)
        const target = Math.floor(to * bytes.length)
        return Buffer.concat([bytes.subarray(0, target), bytes.subarray(from, from + count), bytes.subarray(target)])
      },
  ),
  place.map(
    (at): Damage =>
      (bytes) =>
        bytes.subarray(0, Math.floor(at * bytes.length)),
  ),
)

const KNOWN = ['trace_format_unknown', 'trace_packed']

function expectKnown(reason: unknown): void {
  if (!(reason instanceof TraceError)) throw reason
  expect(KNOWN).toContain(reason.code)
}

const pieces = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size))

const inputs = fc.tuple(
  fc.array(modelTraces, { minLength: 1, maxLength: 3 }),
  fc.array(damages, { minLength: 1, maxLength: 4 }),
  fc.integer({ min: 1, max: 500 }),
)

describe('damaged files', () => {
  it.each(Object.keys(WRITERS))('%s', async (name) => {
    const [format] = name.split(' ') as [TraceFormat]
    await fc.assert(
      fc.asyncProperty(inputs, fc.boolean(), async ([models, list, size], isTold) => {
        const bytes = list.reduce((damaged, damage) => damage(damaged), WRITERS[name]!(models))
        const options = isTold ? { format } : {}
        let sizes: number[] | undefined
        try {
          const { traces } = await wholeWay(pieces(bytes, size), options)
          sizes = traces.map((trace) => trace.size)
        } catch (reason) {
          expectKnown(reason)
        }
        try {
          expect(parseTraces(bytes, options).map((trace) => trace.size)).toEqual(sizes)
        } catch (reason) {
          if (sizes) throw reason
          expectKnown(reason)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('gzip', async () => {
    await fc.assert(
      fc.asyncProperty(inputs, async ([models, list, size]) => {
        const packed = gzipSync(WRITERS.jaeger!(models))
        expect(gunzipSync(packed).length).toBeGreaterThan(0)
        try {
          await wholeWay(
            pieces(
              list.reduce((damaged, damage) => damage(damaged), packed as Uint8Array),
              size,
            ),
          )
        } catch (reason) {
          expectKnown(reason)
        }
      }),
      { numRuns: 100 },
    )
  })
})
