import { concatenateRounds } from '@trimtab/serve'
import { describe, expect, it } from 'vitest'
import { readRequestLog } from '../../src/scheduling/requests.js'

const read = (text: string) => readRequestLog('log', text)

describe('a log of requests', () => {
  it('is read from JSON lines with prompts', () => {
    const log = read(
      [
        '{"model": "b", "prompt": "Why?", "source": "s", "output_tokens": 12}',
        '{"model": "a", "messages": [{"role": "user", "content": "One"}, {"role": "user", "content": "Two"}], "usage": {"completion_tokens": 3}}',
        '',
      ].join('\n'),
    )
    expect(log.requests).toEqual([
      { model: 'b', prompt: 'Why?', promptTokens: undefined, outputTokens: 12, arrivalSeconds: undefined, source: 's' },
      {
        model: 'a',
        prompt: 'One\nTwo',
        promptTokens: undefined,
        outputTokens: 3,
        arrivalSeconds: undefined,
        source: '',
      },
    ])
    expect(log).toMatchObject({ models: ['a', 'b'], hasPrompts: true, hasArrivals: false, skipped: 0 })
  })

  it('has prompts also where messages come in parts, as far as the gateway would read them', () => {
    const parts = [{ type: 'text', text: 'What is this?' }, { type: 'image_url' }]
    const long = 'word '.repeat(5000)
    const logged = [
      { role: 'user', content: long },
      { role: 'user', content: parts },
    ]
    const log = read(JSON.stringify({ messages: logged, output_tokens: 3 }))
    expect(log).toMatchObject({ hasPrompts: true, requests: [{ prompt: concatenateRounds(logged) }] })
    expect(log.requests[0]!.prompt).toMatch(/word \nWhat is this\?$/)
  })

  it.each([
    ['Mooncake', '{"timestamp": 1000, "output_length": 5, "hash_ids": [1]}\n{"timestamp": 3500, "output_length": 6}'],
    ['Azure, relative', 'arrival_ms,context_tokens,generated_tokens\n1000,9,5\n3500,9,6\n'],
    ['Azure, seconds', 'arrival_s,input_tokens,output_tokens\r\n1.0,9,5\r\n3.5,9,6'],
    [
      'Azure as published',
      'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:59.5000000,9,5\n2023-11-16 18:16:02.0000000,9,6',
    ],
  ])('has arrivals from its first request on: %s', (_, text) => {
    const log = read(text)
    expect(log.requests.map(({ arrivalSeconds }) => arrivalSeconds)).toEqual([0, 2.5])
    expect(log.requests.map(({ outputTokens }) => outputTokens)).toEqual([5, 6])
    expect(log).toMatchObject({ models: ['one model'], hasPrompts: false, hasArrivals: true })
  })

  it('comes in order of arrival', () => {
    const log = read('arrival_s,output_tokens\n9,1\n4,2\n6,3')
    expect(log.requests.map(({ arrivalSeconds }) => arrivalSeconds)).toEqual([0, 2, 5])
    expect(log.requests.map(({ outputTokens }) => outputTokens)).toEqual([2, 3, 1])
  })

  it('leaves out rows without tokens and counts them', () => {
    expect(read('{"output_tokens": 0}\n{"output_tokens": null}\n{"output_tokens": 4}')).toMatchObject({
      skipped: 2,
      requests: [{ outputTokens: 4 }],
    })
  })

  it('quotes no prompt when it is refused', () => {
    for (const text of ['{"output_tokens": 4}\nCANARY of a prompt', '{"prompt": "CANARY', 'CANARY,of a prompt\n1,2'])
      expect(() => read(text)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('CANARY') }))
  })

  it('takes numbers that no answer and no clock can have for none', () => {
    const log = read('{"output_tokens": 1e308}\n{"output_tokens": 4, "arrival_s": 1e300}\n{"output_tokens": 5}')
    expect(log.skipped).toBe(1)
    expect(log.requests.map(({ outputTokens, arrivalSeconds }) => [outputTokens, arrivalSeconds])).toEqual([
      [4, undefined],
      [5, undefined],
    ])
  })

  it.each([
    ['', /neither JSON lines nor a CSV/],
    ['a,b\n1,2', /neither JSON lines nor a CSV whose first line names a column output_tokens/],
    ['{"output_tokens": 4}\n{oops', /log, line 2 is not JSON$/],
    ['{"tokens": 4}', /no request with a number of output tokens/],
    ['arrival_s,output_tokens\n', /no request/],
  ])('is refused with what is missing: %j', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })
})
