import fc from 'fast-check'
import { expect, it } from 'vitest'
import { concatenateRounds, type Message } from '../../src/index.js'

const user = (content: string): Message => ({ role: 'user', content })

it('keeps a short conversation as it is, round after round', () => {
  expect(concatenateRounds([user('Hi'), { role: 'assistant', content: 'Hello!' }, user('Tell me more')])).toBe(
    'Hi\nHello!\nTell me more',
  )
})

it('drops the earlier part of a long one, and always keeps the end', () => {
  const words = Array.from({ length: 2000 }, (_, i) => `w${i}`).join(' ')
  const kept = concatenateRounds([user(words), user('and now in one sentence?')])
  expect(kept.endsWith('w1999\nand now in one sentence?')).toBe(true)
  expect(kept.length).toBeLessThan(0.4 * words.length)
})

it('takes text parts and leaves out what is no text', () => {
  const content = [{ type: 'text', text: 'What is this?' }, { type: 'image_url' }]
  expect(
    concatenateRounds([
      { role: 'user', content },
      { role: 'assistant', content: null },
    ]),
  ).toBe('What is this?')
  expect(concatenateRounds([])).toBe('')
  const odd = JSON.parse(
    '[null, 3, { "content": 5 }, { "content": [null, 5, "bare", { "text": 7 }] }, { "content": "kept" }]',
  )
  expect(concatenateRounds(odd)).toBe('bare\nkept')
})

it('gives an end of the whole conversation within its tokens, never half a letter', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 80 })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), fc.integer({ min: 1, max: 40 }), (contents, tokens) => {
      const kept = concatenateRounds(contents.map(user), tokens)
      const whole = contents.filter((content) => content !== '').join('\n')
      expect(whole.endsWith(kept) || kept === '').toBe(true)
      expect(/^[\udc00-\udfff]/.test(kept)).toBe(false)
    }),
  )
})
