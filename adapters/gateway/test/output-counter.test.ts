import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOutputCounter, type OutputCount } from '../src/output-counter.js'

const EVENTS = 'text/event-stream; charset=utf-8'
const bytes = (text: string): Buffer => Buffer.from(text)

function countOf(pieces: readonly Buffer[], type = EVENTS): OutputCount | undefined {
  const counter = createOutputCounter(200, type)!
  for (const piece of pieces) counter.add(piece)
  return counter.finish()
}

const chunk = (fields: object): string => `data: ${JSON.stringify(fields)}\n\n`
const token = (content: string): string =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }], usage: null })
const STOP = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: null })
const ROLE = chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] })
const usage = (completion_tokens: number): string => chunk({ choices: [], usage: { completion_tokens } })
const DONE = 'data: [DONE]\n\n'

/** Cuts bytes at these places. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const all = bytes(text)
  const at = [0, ...places.map((place) => place % all.length).sort((a, b) => a - b), all.length]
  return at.slice(1).map((end, i) => all.subarray(at[i]!, end))
}

describe('the tokens of a stream', () => {
  it('are what its usage says, wherever the pieces end and however lines end', () => {
    const lineEnds = fc.constantFrom('\n', '\r\n', '\r')
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 })
    fc.assert(
      fc.property(
        lineEnds,
        texts,
        fc.nat(9999),
        fc.array(fc.nat(5000), { maxLength: 20 }),
        (end, contents, tokens, places) => {
          const stream = ROLE + contents.map(token).join('') + STOP + usage(tokens) + DONE
          expect(countOf(cut(stream.replaceAll('\n', end), places))).toEqual({ tokens, source: 'usage' })
        },
      ),
    )
  })

  it('are its events with text where no usage is told: not the role, not the end', () => {
    const places = fc.array(fc.nat(5000), { maxLength: 20 })
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 9 }), places, (contents, at) => {
        const stream = ROLE + contents.map(token).join('') + STOP + DONE
        expect(countOf(cut(stream, at))).toEqual({ tokens: contents.length, source: 'events' })
      }),
    )
  })

  it('include reasoning, tool calls and the texts of the older protocol', () => {
    const deltas = [{ reasoning_content: 'hm' }, { tool_calls: [{ index: 0 }] }, { content: 'so' }]
    const stream =
      deltas.map((delta) => chunk({ choices: [{ delta }] })).join('') +
      chunk({ choices: [{ text: 'x', finish_reason: 'length' }] })
    expect(countOf([bytes(stream)])).toEqual({ tokens: 4, source: 'events' })
  })

  it('take the last usage of an upstream that tells it as it goes', () => {
    expect(countOf([bytes(usage(1) + usage(2) + usage(3) + DONE)])).toEqual({ tokens: 3, source: 'usage' })
  })

  it('are unknown when the stream was cut, or holds an error', () => {
    expect(countOf([bytes(ROLE + token('a') + token('b'))])).toBeUndefined()
    expect(countOf([bytes(token('a') + chunk({ error: { message: 'out of memory' } }) + DONE)])).toBeUndefined()
  })

  it('survive comments, other fields, data over many lines and what is no JSON', () => {
    const odd =
      ': keep-alive\n\nevent: x\nid: 3\ndata: {"choices":\ndata:[{"text":"a"}]}\n\ndata: {broken\n\ndata: 5\n\ndata:\n\n'
    expect(countOf([bytes(odd + DONE)])).toEqual({ tokens: 1, source: 'events' })
  })

  it('survive events of any JSON', () => {
    const choices = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()))
    const event = fc.oneof(fc.jsonValue(), fc.record({ choices, usage: fc.jsonValue() }, { requiredKeys: [] }))
    fc.assert(
      fc.property(fc.array(event), (events) => {
        expect(() =>
          countOf([bytes(events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('') + DONE)]),
        ).not.toThrow()
      }),
    )
  })

  it('do not fill the memory with an event that never ends', () => {
    const counter = createOutputCounter(200, EVENTS)!
    const line = bytes(`data: ${'x'.repeat(100_000)}`)
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 2000; i++) counter.add(line)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100e6)
    expect(counter.finish()).toBeUndefined()
  })
})

describe('the tokens of one JSON answer', () => {
  const json = 'application/json'

  it('are what its usage says, wherever the pieces end', () => {
    const text = JSON.stringify({ choices: [{ message: { content: 'über' } }], usage: { completion_tokens: 12 } })
    fc.assert(
      fc.property(fc.array(fc.nat(500)), (places) => {
        expect(countOf(cut(text, places), json)).toEqual({ tokens: 12, source: 'usage' })
      }),
    )
  })

  it('are unknown without usage', () => {
    expect(countOf([bytes('{"choices":[{"text":"a b c"}]}')], json)).toBeUndefined()
    expect(countOf([bytes('{"choices":')], json)).toBeUndefined()
    expect(countOf([bytes('{"usage":{"completion_tokens":-1}}')], json)).toBeUndefined()
  })
})

it('counts nothing in errors and in other types', () => {
  expect(createOutputCounter(429, 'application/json')).toBeUndefined()
  expect(createOutputCounter(200, 'audio/mpeg')).toBeUndefined()
  expect(createOutputCounter(200, undefined)).toBeUndefined()
})
