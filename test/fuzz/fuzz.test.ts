import { describe, expect, it } from 'vitest'
import { fuzz } from './fuzz.js'
import { Dice, mutate } from './mutate.js'
import { READERS } from './readers.js'

// Few cases with one seed: what was found once is not to come back. `npm run fuzz` looks for more.
const QUICK = { seed: 1, cases: 150, milliseconds: 600 }

describe('damaged files', () => {
  it.each(READERS.map((reader) => [reader.name, reader] as const))(
    '%s reads them or says why not',
    async (_, reader) => {
      const { cases, failures } = await fuzz(reader, QUICK)
      expect(cases).toBeGreaterThan(0)
      expect(failures.map(({ seed, what }) => `case ${seed}: ${what}`)).toEqual([])
    },
  )
})

describe('the fuzzer', () => {
  const samples = [new TextEncoder().encode('{"a": 1, "b": [2, 3]}')]

  it('damages alike for the same seed, and leaves the sample alone', () => {
    const before = samples[0]!.slice()
    const many = Array.from({ length: 200 }, (_, seed) => mutate(samples, new Dice(seed)))
    expect(samples[0]).toEqual(before)
    expect(Array.from({ length: 200 }, (_, seed) => mutate(samples, new Dice(seed)))).toEqual(many)
    expect(new Set(many.map(String)).size).toBeGreaterThan(150)
  })

  it.each([
    ['an error without a code', () => (undefined as unknown as string).length, /TypeError/],
    ["an error of the engine's", () => JSON.parse('{'), /SyntaxError/],
    [
      'a trap',
      () => {
        throw Object.assign(new Error('trap'), { code: 'core_trapped' })
      },
      /trap/,
    ],
    ['a changed input', (bytes: Uint8Array) => bytes.fill(7), /was changed/],
  ])('objects to %s', async (_, read, what) => {
    const { failures } = await fuzz({ name: 'x', samples: () => samples, read }, { ...QUICK, cases: 3 })
    expect(failures[0]!.what).toMatch(what)
  })

  it('takes a refusal with a code for an answer', async () => {
    const read = (bytes: Uint8Array) => {
      if (bytes.length !== samples[0]!.length) throw Object.assign(new Error('no'), { code: 'file_invalid' })
    }
    expect((await fuzz({ name: 'x', samples: () => samples, read }, { ...QUICK, cases: 20 })).failures).toEqual([])
  })
})
