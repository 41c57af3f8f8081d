import { type ConfigError, type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createLoad,
  generateLoad,
  type LoadSeries,
  parseLoad,
  seedsFrom,
  shareAt,
} from '../../src/autoscaling/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const HOUR = Array.from({ length: 60 }, (_, i) => 100 + i)
/** A table of an hour with the given line, counted from 1 and the header, put in. */
const withLine = (line: number, text: string): string => {
  const lines = ['minute,requests', ...HOUR.map((value, i) => `${i},${value}`)]
  lines.splice(line - 1, 0, text)
  return lines.join('\n')
}

/** Calls once: the largest text takes a second to read. */
function refusalOf(call: () => unknown): ConfigError {
  try {
    call()
  } catch (refusal) {
    return refusal as ConfigError
  }
  throw new Error('it was not refused')
}

describe('load files', () => {
  it.each([
    ['a header and two columns', withLine(1, '').trim()],
    ['one number a line', HOUR.join('\n')],
    ['no header', HOUR.map((value, i) => `${i},${value}`).join('\n')],
    ['Windows line ends', withLine(62, '').replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${withLine(62, '')}`],
    ['blank lines and blanks', withLine(30, '  ').replaceAll(',', ' , ')],
    ['a quoted header', withLine(62, '').replace('minute,requests', '"minute","requests"')],
    ['more columns: the last counts', HOUR.map((value, i) => `2024-01-01,${i},${value}`).join('\n')],
  ])('are read with %s', (_, text) => {
    const { name, shape } = parseLoad('hour.csv', text)
    expect(name).toBe('hour.csv')
    expect([...shape]).toEqual(HOUR.map((value) => value / 159))
  })

  it.each([
    ['empty', '', 'has 0 minutes; a load needs 60'],
    ['blank', '\n \r\n\n', 'has 0 minutes'],
    ['a header alone', 'minute,requests\n', 'has 0 minutes'],
    ['too short', 'minute,requests\n0,5\n1,6\n', 'has 2 minutes'],
    [
      'ragged: a column less',
      withLine(17, '12'),
      'line 17: 1 column where there were 2 before; a load has lines of minute,requests',
    ],
    ['ragged: a column more', withLine(17, '12,13,14'), 'line 17: 3 columns where there were 2 before'],
    [
      'a header of another width',
      `minute\n${withLine(1, '').trim().split('\n').slice(1).join('\n')}`,
      'line 2: 2 columns where there was 1 before',
    ],
    ['negative', withLine(9, '7,-1'), 'line 9: requests must be a number >= 0, got "-1"'],
    ['NaN in words', withLine(9, '7,NaN'), 'line 9: requests must be a number >= 0, got "NaN"'],
    ['infinite', withLine(9, '7,Infinity'), 'line 9: requests must be a number >= 0, got "Infinity"'],
    ['missing', withLine(9, '7,'), 'line 9: requests must be a number >= 0, got ""'],
    [
      'text where the first number should be',
      withLine(2, '0,many'),
      'line 2: requests must be a number >= 0, got "many"',
    ],
    ['a quoted number', withLine(9, '7,"12"'), 'line 9: requests must be a number >= 0, got ""12""'],
    ['a semicolon between columns', withLine(9, '7;12'), 'line 9: 1 column where there were 2 before'],
    ['very long text, cut', withLine(9, `7,${'x'.repeat(1e6)}`), `got "${'x'.repeat(40)}"`],
    ['all zero', '0\n'.repeat(60), 'has no request at all'],
    ['more than five million lines', '1\n'.repeat(5_000_001), 'has more than 5000000 minutes; cut it into pieces'],
  ])('are refused when %s', (_, text, says) => {
    const { code, message } = refusalOf(() => parseLoad('bad.csv', text))
    expect(code).toBe('load_invalid')
    expect(message).toMatch(/^bad\.csv/)
    expect(message).toContain(says)
  })

  it('measure shares of the 99.9th percentile, so that one outlier does not flatten the rest', () => {
    const perMinute = Array.from({ length: 2000 }, () => 10)
    perMinute[700] = 10_000
    const { shape } = createLoad('outlier', perMinute)
    expect(shape[0]).toBe(1)
    expect(shape[700]).toBe(1000)
  })

  it('measure shares of the largest minute where hardly any has requests', () => {
    const perMinute = Array.from({ length: 2000 }, (_, i) => (i === 5 ? 40 : 0))
    expect(createLoad('rare', perMinute).shape[5]).toBe(1)
  })

  it.each([[Number.NaN], [-1], [Number.POSITIVE_INFINITY]])('made of numbers refuse %f, with its minute', (value) => {
    expect(() => createLoad('numbers', HOUR.with(33, value))).toThrow(/numbers, minute 33: .*got/)
  })

  it('run straight between minutes and stay level beyond both ends', () => {
    const load = createLoad(
      'ramp',
      HOUR.map((_, i) => i + 1),
    )
    const top = 60
    expect(shareAt(load, 90)).toBeCloseTo(2.5 / top, 12)
    expect(shareAt(load, -100)).toBeCloseTo(1 / top, 12)
    expect(shareAt(load, 1e9)).toBe(1)
  })
})

describe('generated loads', () => {
  const hours = ({ shape }: LoadSeries, day: number): number[] =>
    Array.from({ length: 24 }, (_, hour) => {
      const from = day * 1440 + hour * 60
      return shape.subarray(from, from + 60).reduce((a, b) => a + b, 0) / 60
    })

  it('are the same for the same seed and others otherwise', () => {
    expect(generateLoad(core, 3, 2)).toEqual(generateLoad(core, 3, 2))
    expect(generateLoad(core, 3, 2).shape).not.toEqual(generateLoad(core, 4, 2).shape)
  })

  it('have a value a minute, all positive, and peak near 1', () => {
    for (const seed of seedsFrom(1, 20)) {
      const { shape, name } = generateLoad(core, seed, 7)
      expect(name).toBe(`generated-${seed}`)
      expect(shape).toHaveLength(7 * 1440)
      expect(shape.every((share) => share > 0)).toBe(true)
      expect(Math.max(...shape)).toBeLessThan(2)
      expect(shape.filter((share) => share > 1).length).toBeLessThanOrEqual(0.001 * shape.length)
    }
  })

  // Published web and serverless traces: daily peak to trough 2 … 8, the rest left to bursts and chance.
  it('rise and fall in a day as published traces do', () => {
    const ratios = seedsFrom(1, 60).map((seed) => {
      const load = generateLoad(core, seed, 5)
      const days = [0, 1, 2, 3, 4].map((day) => hours(load, day))
      return days.reduce((sum, day) => sum + Math.max(...day) / Math.min(...day), 0) / days.length
    })
    ratios.sort((a, b) => a - b)
    expect(ratios[0]).toBeGreaterThan(1.7)
    expect(ratios[30]).toBeGreaterThan(3)
    expect(ratios[30]).toBeLessThan(7)
    expect(ratios[59]).toBeLessThan(16)
  })

  it('have quieter weekends in most seeds, never busier ones on the whole', () => {
    const shares = seedsFrom(1, 30).map((seed) => {
      const load = generateLoad(core, seed)
      const total = (days: readonly number[]): number =>
        days.reduce((sum, day) => sum + hours(load, day).reduce((a, b) => a + b, 0), 0) / days.length
      return total([5, 6, 12, 13]) / total([0, 1, 2, 3, 4, 7, 8, 9, 10, 11])
    })
    expect(shares.filter((share) => share < 0.95).length).toBeGreaterThan(15)
    expect(Math.max(...shares)).toBeLessThan(1.15)
  })
})
