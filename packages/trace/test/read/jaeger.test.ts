import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KINDS, parseTraces, Repairs, type Trace, toSpans } from '../../src/index.js'
import { modelTraces, toJaeger } from './formats.js'
import { readJaegerSlowly } from './jaeger-twin.js'
import { drawFrom, noisyJson } from './noisy-json.js'

const draws = fc.array(fc.nat(), { minLength: 50, maxLength: 300 })
const contentOf = (traces: readonly Trace[]) =>
  traces.map((trace) => ({ traceId: trace.traceId, originUnixNs: trace.originUnixNs, spans: toSpans(trace) }))

const documents = fc
  .tuple(fc.array(modelTraces, { minLength: 1, maxLength: 2 }), fc.boolean(), draws)
  .map(([models, isBare, list]) => {
    const traces = models.map(toJaeger)
    return noisyJson(isBare ? traces : { data: traces, total: 0, errors: null }, drawFrom(list))
  })

describe('against a reader on top of JSON.parse', () => {
  it('oddly written documents give the same traces', () => {
    fc.assert(
      fc.property(documents, (text) => {
        expect(contentOf(parseTraces(text))).toEqual(contentOf(readJaegerSlowly(text)))
      }),
      { numRuns: 300 },
    )
  })

  it('damaged documents give the same traces as long as they are JSON, and never an exception', () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(40), fc.constantFrom(...'"\\{}[]:,0e-.tn \u0001x')), {
      minLength: 1,
      maxLength: 3,
    })
    let stillJson = 0
    fc.assert(
      fc.property(documents, damage, (text, places) => {
        let damaged = text
        for (const [place, removed, inserted] of places) {
          const at = place % damaged.length
          damaged = damaged.slice(0, at) + inserted + damaged.slice(at + (removed < 4 ? removed : 0))
        }
        const traces = parseTraces(damaged, { format: 'jaeger' })
        let expected: Trace[]
        try {
          expected = readJaegerSlowly(damaged)
        } catch {
          return
        }
        stillJson++
        expect(contentOf(traces)).toEqual(contentOf(expected))
      }),
      { numRuns: 1000 },
    )
    expect(stillJson).toBeGreaterThan(100)
  })
})

const T = 'aaaaaaaaaaaaaaaa'
const reference = (refType: string, spanID: string, traceID = T) => ({ refType, traceID, spanID })

/** A trace of a root and what is given, as a bare Jaeger trace. */
function withRoot(...spans: object[]): object {
  return {
    traceID: T,
    spans: [{ spanID: 'root', operationName: 'get', startTime: 100, duration: 50, processID: 'p1' }, ...spans],
    processes: { p1: { serviceName: 'front' } },
  }
}

function parseOnly(document: unknown): Trace {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const [trace, ...others] = parseTraces(text)
  expect(others).toEqual([])
  return trace!
}

const child = (fields: object) => ({
  spanID: 'child',
  operationName: 'c',
  startTime: 110,
  duration: 5,
  processID: 'p1',
  ...fields,
})
const spanOf = (document: unknown, id = 'child') => toSpans(parseOnly(document)).find((span) => span.id === id)!
const repairsOf = (trace: Trace) => trace.repairs.list().map(({ code, count }) => [code, count])

describe('shapes of a Jaeger document', () => {
  const one = withRoot()
  const two = { ...withRoot(), traceID: 'bbbbbbbbbbbbbbbb' }
  const cases: Record<string, [string, number]> = {
    'the answer of the API': [JSON.stringify({ data: [one, two], total: 0, limit: 0, errors: null }), 2],
    'data that is one trace': [JSON.stringify({ id: 'x', data: one }), 1],
    'an array of traces': [JSON.stringify([one, two]), 2],
    'a trace': [JSON.stringify(one), 1],
    'a trace a line': [`${JSON.stringify(one)}\n${JSON.stringify(two)}\n`, 2],
    'an answer a line': [`${JSON.stringify({ data: [one] })}\r\n\r\n${JSON.stringify({ data: [two] })}`, 2],
    'a byte order mark in front': [`\ufeff${JSON.stringify(one)}`, 1],
    'empty answers': ['{"data":[],"total":0,"errors":null}\n[]\n{"data":null}', 0],
    'nothing at all': ['', 0],
    'white space': [' \n\t', 0],
  }
  for (const [name, [text, count]] of Object.entries(cases)) {
    it(`${name}: ${count} traces`, () => {
      const repairs = new Repairs()
      expect(parseTraces(text, { repairs }).length).toBe(count)
      expect(repairs.list()).toEqual([])
    })
  }

  it('processes may come before the spans, after them, or inside each of them', () => {
    const spans = '"spans":[{"spanID":"root","operationName":"get","startTime":100,"duration":50,"processID":"p1"}]'
    const own = spans.replace('"processID":"p1"', '"process":{"serviceName":"front"}')
    const processes = '"processes":{"p1":{"serviceName":"front"}}'
    for (const text of [`{${processes},${spans}}`, `{${spans},${processes}}`, `{${own}}`]) {
      expect(spanOf(text, 'root').service).toBe('front')
    }
  })

  it('a trace id is taken from the spans where the trace has none, wherever it stands', () => {
    const span = { traceID: 'cafe', spanID: 'root', startTime: 1, duration: 1, processID: 'p1' }
    expect(parseOnly({ spans: [span], processes: {} }).traceId).toBe('cafe')
    expect(parseOnly({ spans: [span], traceID: 'feed' }).traceId).toBe('feed')
  })
})

describe('parents', () => {
  it('the first CHILD_OF reference wins, whatever FOLLOWS_FROM stands around it; that there were several is said', () => {
    const references = [
      reference('FOLLOWS_FROM', 'x'),
      reference('CHILD_OF', 'root'),
      reference('CHILD_OF', 'y'),
      reference('FOLLOWS_FROM', 'z'),
    ]
    expect(spanOf(withRoot(child({ references })))).toMatchObject({ parentId: 'root' })
    expect(spanOf(withRoot(child({ references })))).not.toHaveProperty('reference')
    expect(parseOnly(withRoot(child({ references }))).repairs.list()).toMatchObject([
      { code: 'several_parents', count: 1, examples: [expect.stringContaining('/child')] },
    ])
  })

  it('links beside a parent, and the same parent twice, are not several parents', () => {
    const references = [reference('FOLLOWS_FROM', 'x'), reference('FOLLOWS_FROM', 'z'), reference('CHILD_OF', 'root')]
    expect(parseOnly(withRoot(child({ references }))).repairs.total).toBe(0)
    const twice = [reference('CHILD_OF', 'root'), reference('CHILD_OF', 'root')]
    expect(parseOnly(withRoot(child({ references: twice }))).repairs.total).toBe(0)
  })

  it('a reference to itself is skipped, and said', () => {
    const references = [reference('CHILD_OF', 'child'), reference('CHILD_OF', 'root')]
    const trace = parseOnly(withRoot(child({ references })))
    expect(trace.repairs.list()).toMatchObject([{ code: 'self_parent', count: 1 }])
    expect(toSpans(trace).find(({ id }) => id === 'child')).toMatchObject({ parentId: 'root' })
    const alone = parseOnly(withRoot(child({ references: [reference('FOLLOWS_FROM', 'child')] })))
    expect(alone.repairs.list()).toMatchObject([{ code: 'self_parent', count: 1 }, { code: 'several_roots' }])
  })

  it('a span that only follows from others says so', () => {
    const references = [reference('FOLLOWS_FROM', 'root'), reference('FOLLOWS_FROM', 'x')]
    expect(spanOf(withRoot(child({ references })))).toMatchObject({ parentId: 'root', reference: 'follows-from' })
  })

  it('a reference into another trace is a link, not a parent; leading zeros do not make another trace', () => {
    const linked = withRoot(child({ traceID: T, references: [reference('CHILD_OF', 'root', 'bbbbbbbbbbbbbbbb')] }))
    expect(spanOf(linked)).not.toHaveProperty('parentId')
    const longer = withRoot(child({ references: [reference('CHILD_OF', 'root', `0000000000000000${T}`)], traceID: T }))
    expect(spanOf(longer)).toMatchObject({ parentId: 'root' })
  })

  it('the field of old storages counts where there are no references', () => {
    expect(spanOf(withRoot(child({ parentSpanID: 'root', references: [] })))).toMatchObject({ parentId: 'root' })
  })

  it('a whole span inside a reference, as jaeger-ui keeps them in memory, is not a span of its own', () => {
    const references = [{ ...reference('CHILD_OF', 'root'), span: { spanID: 'root', references: [], startTime: 7 } }]
    expect(spanOf(withRoot(child({ references })))).toMatchObject({ parentId: 'root' })
    expect(parseOnly(withRoot(child({ references }))).size).toBe(2)
  })
})

describe('kinds and errors', () => {
  const tagged = (key: string, value: unknown) => spanOf(withRoot(child({ tags: [{ value, key, type: 'x' }] })))

  it('every kind, in any case', () => {
    for (const kind of KINDS) expect(tagged('span.kind', kind.toUpperCase()).kind).toBe(kind)
    expect(tagged('span.kind', 'other').kind).toBe('internal')
  })

  it('an error tag that is true, as a value or text, and the status of OpenTelemetry', () => {
    expect(tagged('error', true).isError).toBe(true)
    expect(tagged('error', 'true').isError).toBe(true)
    expect(tagged('otel.status_code', 'ERROR').isError).toBe(true)
    expect(tagged('error', false).isError).toBeUndefined()
    expect(tagged('error', 'oh no').isError).toBeUndefined()
    expect(tagged('otel.status_code', 'OK').isError).toBeUndefined()
  })
})

describe('instances and hosts', () => {
  const ranBy = (...tags: [string, unknown][]) => {
    const processes = { p1: { serviceName: 's', tags: tags.map(([key, value]) => ({ key, type: 'string', value })) } }
    const { instance, host } = spanOf({ ...withRoot(), processes }, 'root')
    return [instance, host]
  }

  it('the pod is the better witness of the instance, the node of the host, in any order', () => {
    expect(ranBy(['hostname', 'h'], ['ip', '10.0.0.1'])).toEqual(['h', 'h'])
    expect(ranBy(['ip', '10.0.0.1'], ['hostname', 'h'], ['k8s.pod.name', 'cart-1'])).toEqual(['cart-1', 'h'])
    expect(ranBy(['k8s.node.name', 'n1'], ['k8s.pod.name', 'cart-1'], ['hostname', 'cart-1'])).toEqual(['cart-1', 'n1'])
    expect(ranBy(['ip', 167772161])).toEqual(['167772161', '167772161'])
    expect(ranBy(['jaeger.version', 'Go-2'])).toEqual([undefined, undefined])
  })
})

describe('times', () => {
  const times = (startTime: unknown, duration: unknown) => {
    const text = JSON.stringify(withRoot()).replace(
      '"startTime":100,"duration":50',
      `"startTime":${startTime},"duration":${duration}`,
    )
    const [trace] = parseTraces(text)
    return trace && [trace.originUnixNs, trace.endNs[0]]
  }

  it('are exact to the nanosecond, as numbers or text', () => {
    expect(times(1706678909209712, 123)).toEqual([1706678909209712000n, 123000])
    expect(times('"1706678909209712"', '"123"')).toEqual([1706678909209712000n, 123000])
    expect(times('1706678909209712.345', '0.001')).toEqual([1706678909209712345n, 1])
    expect(times('1.706678909209712345e15', '1E3')).toEqual([1706678909209712345n, 1000000])
    expect(times(0, 0)).toEqual([0n, 0])
    expect(times('-5', '10')).toEqual([-5000n, 10000])
  })

  it('a missing end is not a missing start', () => {
    expect(repairsOf(parseOnly(withRoot(child({ duration: undefined }))))).toContainEqual(['missing_end', 1])
    expect(repairsOf(parseOnly(withRoot(child({ duration: null }))))).toContainEqual(['missing_end', 1])
    for (const fields of [{ startTime: undefined }, { startTime: 'soon' }, { duration: {} }, { startTime: 1e300 }]) {
      expect(repairsOf(parseOnly(withRoot(child(fields))))).toContainEqual(['time_invalid', 1])
    }
  })
})

describe('what cannot be read', () => {
  it('a span of the wrong shape costs itself alone, and is counted', () => {
    const good = JSON.stringify(child({}))
    for (const bad of [
      'null',
      '7',
      '"text"',
      '[]',
      '{}',
      '{"spanID":{}}',
      '{"spanID":"x" 7}',
      '{"spanID":tru\u00e9}',
      '{,:}',
    ]) {
      const repairs = new Repairs()
      const text = `{"traceID":"a","spans":[${bad},${good},${bad}],"processes":{"p1":{"serviceName":"s"}}}`
      const traces = parseTraces(text, { repairs })
      expect([bad, traces.flatMap(toSpans).length, repairs.count('unreadable_span')]).toEqual([bad, 1, 2])
    }
  })

  it('a process that is missing leaves its spans with an unknown service, counted', () => {
    const trace = parseOnly({ ...withRoot(child({ processID: 'p2' })), processes: { p1: { serviceName: 's' }, p2: 7 } })
    expect(toSpans(trace).map(({ service }) => service)).toEqual(['s', 'unknown'])
    expect(trace.repairs.count('unknown_process')).toBe(1)
  })

  it('input that breaks off gives what came before, the open trace included', () => {
    const text = JSON.stringify({
      data: [withRoot(), { ...withRoot(child({}), child({ spanID: 'lost' })), traceID: 'b' }],
    })
    const repairs = new Repairs()
    const traces = parseTraces(text.slice(0, text.indexOf('lost')), { repairs })
    expect(traces.map(({ traceId, size }) => [traceId, size])).toEqual([
      [T, 1],
      ['b', 2],
    ])
    expect(repairs.count('truncated_input')).toBe(1)
  })

  it('a broken line costs itself, not the lines around it', () => {
    const line = JSON.stringify(withRoot())
    const broken = [
      line.slice(0, 60),
      line.slice(60),
      `${line}]`,
      '{"traceID":"x","spans":[{"spanID":"y"',
      'garbage',
      line.replace(',', ';'),
    ]
    for (const bad of broken) {
      const repairs = new Repairs()
      const traces = parseTraces([line, bad, line, line].join('\n'), { repairs, format: 'jaeger' })
      expect([bad, traces.filter(({ traceId, size }) => traceId === T && size === 1).length >= 2]).toEqual([bad, true])
      expect([bad, repairs.count('unreadable_input')]).toEqual([bad, 1])
    }
  })

  it('brackets without end neither overflow the stack nor hang', () => {
    for (const open of ['[', '{"data":', '{"spans":[{"tags":', '[{"spans":[', '{"a":[']) {
      const repairs = new Repairs()
      expect(parseTraces(open.repeat(200_000), { repairs, format: 'jaeger' })).toEqual([])
      expect(repairs.total).toBeGreaterThan(0)
    }
  })
})
