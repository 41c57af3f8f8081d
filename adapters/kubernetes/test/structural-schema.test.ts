import { describe, expect, it } from 'vitest'
import { problemsOf, pruned, type StructuralSchema, withDefaults } from '../src/schema/structural-schema.js'

const SCHEMA: StructuralSchema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
    mode: { type: 'string', enum: ['recommend', 'act'], default: 'recommend' },
    replicas: {
      type: 'object',
      properties: { min: { type: 'integer', minimum: 1, default: 1 }, max: { type: 'integer', maximum: 100 } },
    },
    share: { type: 'number', minimum: 0, exclusiveMinimum: true },
    requests: { type: 'object', minProperties: 1, additionalProperties: { 'x-kubernetes-int-or-string': true } },
    steps: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      items: { type: 'object', properties: { at: { type: 'integer', default: 7 } } },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    note: { type: 'string', nullable: true, default: 'x' },
  },
}

const fieldsWrong = (value: unknown): string[] =>
  problemsOf(SCHEMA, value).map(({ field, reason }) => `${field} ${reason}`)

describe('a structural schema', () => {
  it('fills in defaults where an object is there and its field is not', () => {
    expect(withDefaults(SCHEMA, { name: 'ab', replicas: {}, steps: [{}, { at: 1 }] })).toEqual({
      name: 'ab',
      mode: 'recommend',
      replicas: { min: 1 },
      steps: [{ at: 7 }, { at: 1 }],
      note: 'x',
    })
    expect(withDefaults(SCHEMA, { name: 'ab' })).not.toHaveProperty('replicas') // no default of its own: not made for its fields
  })

  it('treats null as not said, except where null is allowed', () => {
    expect(withDefaults(SCHEMA, { mode: null, note: null })).toEqual({ mode: 'recommend', note: null })
  })

  it('drops what it does not know, and says what that was', () => {
    const unknown: string[] = []
    const value = {
      name: 'ab',
      nmae: 1,
      replicas: { mni: 2, max: 3 },
      steps: [{ att: 1 }],
      free: { any: 1 },
      requests: { cpu: 1 },
    }
    expect(pruned(SCHEMA, value, unknown)).toEqual({
      name: 'ab',
      replicas: { max: 3 },
      steps: [{}],
      free: { any: 1 },
      requests: { cpu: 1 },
    })
    expect(unknown).toEqual(['nmae', 'replicas.mni', 'steps[0].att'])
  })

  it('finds nothing wrong with what it allows', () => {
    const value = {
      name: 'abc',
      mode: 'act',
      replicas: { min: 1, max: 100 },
      share: 0.1,
      requests: { cpu: 1, memory: '1Gi' },
      steps: [{ at: 1 }],
      note: null,
    }
    expect(fieldsWrong(value)).toEqual([])
  })

  it.each([
    ['what is missing', {}, ['name FieldValueRequired']],
    [
      'other types',
      { name: 1, replicas: [], share: '1' },
      ['name FieldValueTypeInvalid', 'replicas FieldValueTypeInvalid', 'share FieldValueTypeInvalid'],
    ],
    ['null', { name: null }, ['name FieldValueTypeInvalid']],
    ['a fraction for a whole number', { name: 'ab', replicas: { min: 1.5 } }, ['replicas.min FieldValueTypeInvalid']],
    ['what is none of its choices', { name: 'ab', mode: 'auto' }, ['mode FieldValueNotSupported']],
    [
      'numbers outside',
      { name: 'ab', replicas: { min: 0, max: 101 }, share: 0 },
      ['replicas.min FieldValueInvalid', 'replicas.max FieldValueInvalid', 'share FieldValueInvalid'],
    ],
    [
      'texts that are too short and of another form',
      { name: 'A' },
      ['name FieldValueInvalid', 'name FieldValueInvalid'],
    ],
    ['texts that are too long', { name: 'abcdef' }, ['name FieldValueInvalid']],
    ['lists of another length', { name: 'ab', steps: [] }, ['steps FieldValueInvalid']],
    ['items, by their place', { name: 'ab', steps: [{ at: 1 }, { at: 'x' }] }, ['steps[1].at FieldValueTypeInvalid']],
    ['empty maps, and values in maps', { name: 'ab', requests: {} }, ['requests FieldValueInvalid']],
  ])('finds %s', (_, value, wrong) => {
    expect(fieldsWrong(value)).toEqual(wrong)
  })

  it('says it in the words of the API server', () => {
    expect(
      problemsOf(SCHEMA, { name: 'ab', mode: 'auto', replicas: { min: 0 } }).map(({ message }) => message),
    ).toEqual([
      'Unsupported value: "auto": supported values: "recommend", "act"',
      'Invalid value: 0: replicas.min in body should be greater than or equal to 1',
    ])
  })
})
