import { describe, expect, it } from 'vitest'
import { JsonFields } from '../../src/files/json-fields.js'
import { FormatError } from '../../src/index.js'

const refuse = (what: string) => new FormatError('file_invalid', what)
const fields = (value: unknown): JsonFields => new JsonFields(value, 'own', refuse)

describe('JsonFields', () => {
  it('gives what fits', () => {
    const own = fields({ a: 'x', b: 1.5, c: 3, d: [1, 2], e: ['y'], f: { g: [{ h: 0 }] }, n: null })
    expect([own.text('a'), own.number('b', 0, 2), own.integer('c'), own.numbers('d', 2), own.texts('e')]).toEqual([
      'x',
      1.5,
      3,
      [1, 2],
      ['y'],
    ])
    expect(own.object('f').objects('g')[0]!.integer('h', 0)).toBe(0)
    expect(own.choice('a', ['x', 'y'])).toBe('x')
    expect(['a', 'n', 'z', 'toString'].map((key) => own.has(key))).toEqual([true, false, false, false])
  })

  it.each([
    ['a text', () => fields({ a: 1 }).text('a'), 'own.a must be a text, got 1'],
    [
      'an own field, not an inherited one',
      () => fields({}).text('toString'),
      'own.toString must be a text, got nothing',
    ],
    ['a finite number', () => fields({ a: null }).number('a'), 'own.a must be a finite number, got null'],
    ['a number within', () => fields({ a: 3 }).number('a', 0, 2), 'own.a must be a finite number from 0 to 2, got 3'],
    ['a number above', () => fields({ a: -1 }).number('a', 0), 'own.a must be a finite number of at least 0, got -1'],
    ['a whole number', () => fields({ a: 0.5 }).integer('a'), 'own.a must be a whole number, got 0.5'],
    ['a choice', () => fields({ a: 'z' }).choice('a', ['x', 'y']), 'own.a must be one of x, y, got "z"'],
    ['so many numbers', () => fields({ a: [1] }).numbers('a', 2), 'own.a must be 2 finite numbers, got a list of 1'],
    ['texts', () => fields({ a: [1] }).texts('a'), 'own.a must be a list of texts, got a list of 1'],
    ['an object', () => fields({ a: [] }).object('a'), 'own.a must be an object, got a list of 0'],
    ['objects', () => fields({ a: [{}, 7] }).objects('a'), 'own.a[1] must be an object, got 7'],
    ['an object as a whole', () => new JsonFields(null, '', refuse), 'it must be an object, got null'],
    ['short words for long values', () => fields({ a: 'x'.repeat(999) }).number('a'), `got "${'x'.repeat(59)}…`],
  ])('asks for %s, with path and value', (_, read, message) => {
    expect(read).toThrow(expect.objectContaining({ code: 'file_invalid', message: expect.stringContaining(message) }))
  })

  it('quotes nothing of a text that is not JSON', () => {
    expect(() => JsonFields.parse('CANARY', refuse)).toThrow(/^it is not JSON$/)
  })
})
