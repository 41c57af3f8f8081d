import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printable } from '../../src/text/printable.js'

describe('printable', () => {
  it.each([
    ['terminal escapes', '\u001b[2Jroot\u001b[0m', '\\u001b[2Jroot\\u001b[0m'],
    ['C1 controls, which some terminals obey', '\u009b31m', '\\u009b31m'],
    ['line breaks of every kind', 'a\nb\r\nc\u2028d\u2029e\u0085f\tg', 'a\\nb\\r\\nc\\u2028d\\u2029e\\u0085f\\tg'],
    ['a text turned round', 'user\u202Etxt.exe\u2066', 'user\\u202etxt.exe\\u2066'],
    ['what has no width', 'pay\u200Bpal\uFEFF\u00AD', 'pay\\u200bpal\\ufeff\\u00ad'],
    ['tags', 'x\u{E0041}', 'x\\udb40\\udc41'],
    ['half a character', 'a\uD800b\uDC00', 'a\\ud800b\\udc00'],
  ])('shows %s', (_, text, shown) => {
    expect(printable(text)).toBe(shown)
  })

  it.each([
    ['checkout'],
    ['Überweisung €'],
    ['購物車'],
    ['عربة'],
    ['корзина/v2?x=1'],
    ['🛒'],
    ['\\n is no line break'],
  ])('leaves %s as it is', (text) => {
    expect(printable(text)).toBe(text)
  })

  it('gives one line, twice the same, and a text of JSON that says what it said', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = printable(text)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
        expect(printable(shown)).toBe(shown)
        expect(JSON.parse(printable(JSON.stringify(text)))).toBe(text)
      }),
    )
  })
})
