import { estimateTokens } from '@trimtab/serve'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OutputCount } from '../src/answer-tally.js'
import { createOutputCounter } from '../src/output-counter.js'
import { wordsOf } from './protocol-words.mjs'

const EVENTS = 'text/event-stream; charset=utf-8'
const bytes = (text: string): Buffer => Buffer.from(text)

function countOf(pieces: readonly Buffer[], type = EVENTS): Promise<OutputCount> {
  const counter = createOutputCounter(200, { 'content-type': type })!
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
const UNKNOWN = { tokens: undefined, reason: 'cut' }

/** Cuts bytes at these places. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const all = bytes(text)
  const at = [0, ...places.map((place) => place % all.length).sort((a, b) => a - b), all.length]
  return at.slice(1).map((end, i) => all.subarray(at[i]!, end))
}

describe('the tokens of a stream', () => {
  it('are what its usage says, wherever the pieces end and however lines end', async () => {
    const lineEnds = fc.constantFrom('\n', '\r\n', '\r')
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(
        lineEnds,
        texts,
        fc.nat(9999),
        fc.array(fc.nat(5000), { maxLength: 20 }),
        async (end, contents, tokens, places) => {
          const stream = ROLE + contents.map(token).join('') + STOP + usage(tokens) + DONE
          expect(await countOf(cut(stream.replaceAll('\n', end), places))).toEqual({ tokens, source: 'usage' })
        },
      ),
    )
  })

  it('are those of its text where no usage is told, however many come in an event', async () => {
    const words = Array.from({ length: 60 }, (_, i) => ` w${i % 10}`)
    for (const atOnce of [1, 7, 60]) {
      const events = words.flatMap((_, i) => (i % atOnce === 0 ? [token(words.slice(i, i + atOnce).join(''))] : []))
      const stream = ROLE + events.join('') + STOP + DONE
      expect(await countOf(cut(stream, [99, 1234, 2000]))).toEqual({
        tokens: estimateTokens(words.join('')),
        source: 'text',
      })
    }
  })

  it('include reasoning, tool calls and the texts of the older protocol', async () => {
    const call = { index: 0, function: { name: 'look', arguments: '{"up": 1}' } }
    const deltas = [{ reasoning_content: 'hm' }, { tool_calls: [call] }, { content: ' so' }]
    const stream =
      deltas.map((delta) => chunk({ choices: [{ delta }] })).join('') +
      chunk({ choices: [{ text: ' x', finish_reason: 'length' }] })
    expect(await countOf([bytes(stream)])).toEqual({ tokens: estimateTokens('hmlook{"up": 1} so x'), source: 'text' })
  })

  it('take the last usage of an upstream that tells it as it goes', async () => {
    expect(await countOf([bytes(usage(1) + usage(2) + usage(3) + DONE)])).toEqual({ tokens: 3, source: 'usage' })
  })

  it.each([
    ['no end', ROLE + token('a') + token('b')],
    [
      'an empty reason to finish',
      token('a') + chunk({ choices: [{ delta: {}, finish_reason: '' }] }) + usage(1) + DONE,
    ],
    ['an aborted end', token('a') + chunk({ choices: [{ delta: {}, finish_reason: 'abort' }] }) + DONE],
    ['an error', token('a') + chunk({ error: { message: 'out of memory' } }) + DONE],
    [
      'one of two choices unfinished',
      token('a') + chunk({ choices: [{ index: 1, delta: { content: 'b' }, finish_reason: null }] }) + STOP,
    ],
  ])('are unknown of a stream with %s', async (_, stream) => {
    expect(await countOf([bytes(stream)])).toEqual(UNKNOWN)
  })

  it('are of a whole stream that says an empty reason until it has one', async () => {
    const early = chunk({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: '' }] })
    expect(await countOf([bytes(early + early + STOP + DONE)])).toMatchObject({ source: 'text' })
  })

  it('survive comments, other fields, data over many lines and what is not JSON', async () => {
    const odd =
      ': keep-alive\n\nevent: x\nid: 3\ndata: {"choices":\ndata:[{"text":"a"}]}\n\ndata: {broken\n\ndata: 5\n\ndata:\n\n'
    expect(await countOf([bytes(odd + DONE)])).toEqual({ tokens: 1, source: 'text' })
  })

  it('survive events of any JSON', async () => {
    const any = fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()))
    const type = fc.constantFrom('message_delta', 'content_block_delta', 'response.completed', 'response.x.delta', 7)
    const event = fc.oneof(
      fc.jsonValue(),
      fc.record({ choices: any, usage: any, delta: any, response: any, type }, { requiredKeys: [] }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(event), async (events) => {
        await countOf([bytes(events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('') + DONE)])
      }),
    )
  })

  it('do not fill the memory with an event that never ends', async () => {
    const counter = createOutputCounter(200, { 'content-type': EVENTS })!
    const line = bytes(`data: ${'x'.repeat(100_000)}`)
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 2000; i++) counter.add(line)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100e6)
    expect(await counter.finish()).toEqual(UNKNOWN)
  })
})

describe('the tokens of one JSON answer', () => {
  const json = 'application/json'

  it('are what its usage says, wherever the pieces end', async () => {
    const text = JSON.stringify({ choices: [{ message: { content: 'über' } }], usage: { completion_tokens: 12 } })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(500)), async (places) => {
        expect(await countOf(cut(text, places), json)).toEqual({ tokens: 12, source: 'usage' })
      }),
    )
  })

  it('are unknown without usage, of a half and of a cut one', async () => {
    expect(await countOf([bytes('{"choices":[{"text":"a b c"}]}')], json)).toMatchObject({ reason: 'silent' })
    expect(await countOf([bytes('{"choices":')], json)).toEqual(UNKNOWN)
    expect(await countOf([bytes('{"usage":{"completion_tokens":-1}}')], json)).toMatchObject({ reason: 'silent' })
    const cutOff = '{"choices":[{"finish_reason":"stop"},{"finish_reason":""}],"usage":{"completion_tokens":5}}'
    expect(await countOf([bytes(cutOff)], json)).toEqual(UNKNOWN)
  })
})

describe.each(['/v1/chat/completions', '/v1/completions', '/v1/responses', '/v1/messages'])(
  'an answer of %s',
  (path) => {
    const words = (options: object) => wordsOf(path, { model: 'm', stream: true }, options)
    const stream = (options: object) => {
      const each = words(options)
      return [bytes(each.role() + each.token().repeat(9) + each.end(9))]
    }
    const whole = (options: object) => [bytes(JSON.stringify(words(options).whole(9)))]

    it('is counted by its usage, streamed or not, else by its text', async () => {
      expect(await countOf(stream({ usage: true }))).toEqual({ tokens: 9, source: 'usage' })
      expect(await countOf(whole({ usage: true }), 'application/json')).toEqual({ tokens: 9, source: 'usage' })
      expect(await countOf(stream({ usage: false }))).toEqual({ tokens: 9, source: 'text' })
      expect(await countOf(whole({ usage: false }), 'application/json')).toMatchObject({ reason: 'silent' })
    })

    it('that was cut is not counted', async () => {
      const reason = path.endsWith('responses') ? 'failed' : ''
      expect(await countOf(stream({ usage: true, reason }))).toEqual(UNKNOWN)
      expect(await countOf(whole({ usage: true, reason }), 'application/json')).toEqual(UNKNOWN)
    })
  },
)

it('counts nothing in errors and in other types, and says that it does not read what is compressed', async () => {
  expect(createOutputCounter(429, { 'content-type': 'application/json' })).toBeUndefined()
  expect(createOutputCounter(200, { 'content-type': 'audio/mpeg' })).toBeUndefined()
  expect(createOutputCounter(200, {})).toBeUndefined()
  const packed = createOutputCounter(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })!
  expect(await packed.finish()).toEqual({ tokens: undefined, reason: 'compressed' })
})
