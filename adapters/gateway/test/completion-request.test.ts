import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CompletionRequest, readCompletionRequest } from '../src/completion-request.js'

const read = (value: unknown): Promise<CompletionRequest> =>
  readCompletionRequest(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))

describe('what a scheduler learns of a request', () => {
  const messages = [
    { role: 'system', content: 'Be short.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:…' } },
      ],
    },
  ]

  it('is its model, its conversation, where it is cut and how many answers it wants', async () => {
    expect(await read({ model: 'm', messages, max_completion_tokens: 5, max_tokens: 9, n: 2 })).toEqual({
      model: 'm',
      prompt: 'Be short.\nWhat is this?',
      promptTokens: 7,
      maxTokens: 5,
      answers: 2,
    })
  })

  it('is the prompt of the older protocol, of text, of texts that each get an answer, or of tokens that say nothing', async () => {
    expect(await read({ model: 'm', prompt: 'Once' })).toEqual({
      model: 'm',
      prompt: 'Once',
      promptTokens: 1,
      answers: 1,
    })
    expect(await read({ model: 'm', prompt: ['Once', 'Twice'], n: 3 })).toMatchObject({
      prompt: 'Once\nTwice',
      answers: 6,
    })
    expect((await read({ model: 'm', prompt: [1, 2, 3] })).prompt).toBe('')
  })

  it('is the same of responses and of Anthropic’s messages', async () => {
    const said = { model: 'm', prompt: 'Be short.\nWhat is this?', promptTokens: 7, maxTokens: 9, answers: 1 }
    const user = { role: 'user', content: [{ type: 'input_text', text: 'What is this?' }] }
    const responses = { model: 'm', max_output_tokens: 9, instructions: 'Be short.' }
    expect(await read({ ...responses, input: 'What is this?' })).toEqual(said)
    expect(await read({ ...responses, input: [user] })).toEqual(said)
    const anthropic = { model: 'm', max_tokens: 9, messages: [{ ...user, content: 'What is this?' }] }
    expect(await read({ ...anthropic, system: 'Be short.' })).toEqual(said)
    expect(await read({ ...anthropic, system: [{ type: 'text', text: 'Be short.' }] })).toEqual(said)
    expect(await read({ ...anthropic, messages: [user], system: 'Be short.' })).toEqual(said)
  })

  it('is the end of a long conversation, whatever was sent before it', async () => {
    const image = { type: 'image_url', image_url: { url: `data:${'A'.repeat(3_000_000)}` } }
    const long = { role: 'user', content: `${'\\"x\u6f22\ud83d\ude00 '.repeat(50_000)}the end of it` }
    const { prompt } = await read({ messages: [...messages, { role: 'user', content: [image] }, long], model: 'm' })
    expect(prompt.endsWith('the end of it')).toBe(true)
    expect(prompt.length).toBeLessThan(5000)
  })

  it('takes as many tokens as all of it, however much of it is kept', async () => {
    for (const words of [10, 1000, 100_000]) {
      const content = 'word '.repeat(words)
      const { promptTokens } = await read({ messages: [{ content }, { content }] })
      expect(promptTokens / (2 * words)).toBeCloseTo(1, 1)
    }
  })

  it('may be nothing: whether a request makes sense is for the upstream to say', async () => {
    const odd = {
      messages: [null, 5, { content: null }, { role: 7, content: 'x' }],
      max_tokens: -1,
      n: '2',
      model: null,
    }
    expect(await read(odd)).toEqual({ model: '', prompt: 'x', promptTokens: 1, answers: 1 })
    await fc.assert(fc.asyncProperty(fc.object(), async (value) => (await read(value)).answers > 0))
  })
})

describe('a body that cannot be read', () => {
  it.each([['{"model":'], ['[]'], ['null'], ['7'], ['']])('is refused with 400: %s', async (text) => {
    await expect(read(text)).rejects.toMatchObject({ status: 400, code: 'body_invalid' })
  })

  it('is refused when it is no UTF-8', async () => {
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
    await expect(readCompletionRequest(bytes)).rejects.toMatchObject({ code: 'body_invalid' })
  })
})
