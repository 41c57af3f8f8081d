import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CompletionRequest, readCompletionRequest } from '../src/completion-request.js'

const read = (value: unknown): CompletionRequest =>
  readCompletionRequest(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))

describe('what a scheduler learns of a request', () => {
  it('is its model, its conversation, where it is cut and how many answers it wants', () => {
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
    expect(read({ model: 'm', messages, max_completion_tokens: 5, max_tokens: 9, n: 2 })).toEqual({
      model: 'm',
      prompt: 'Be short.\nWhat is this?',
      maxTokens: 5,
      answers: 2,
    })
  })

  it('is the prompt of the older protocol, of text, of texts, or of tokens that say nothing', () => {
    expect(read({ model: 'm', prompt: 'Once' })).toEqual({ model: 'm', prompt: 'Once', answers: 1 })
    expect(read({ model: 'm', prompt: ['Once', 'Twice'], max_tokens: 3 }).prompt).toBe('Once\nTwice')
    expect(read({ model: 'm', prompt: [1, 2, 3] }).prompt).toBe('')
  })

  it('may be nothing: whether a request makes sense is for the upstream to say', () => {
    const odd = {
      messages: [null, 5, { content: null }, { role: 7, content: 'x' }],
      max_tokens: -1,
      n: '2',
      model: null,
    }
    expect(read(odd)).toEqual({ model: '', prompt: 'x', answers: 1 })
    fc.assert(fc.property(fc.object(), (value) => read(value).answers > 0))
  })
})

describe('a body that cannot be read', () => {
  it.each([['{"model":'], ['[]'], ['null'], ['7'], ['']])('is refused with 400: %s', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ status: 400, code: 'body_invalid' }))
  })

  it('is refused when it is no UTF-8', () => {
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
    expect(() => readCompletionRequest(bytes)).toThrow(expect.objectContaining({ code: 'body_invalid' }))
  })
})
