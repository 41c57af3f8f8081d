import { describe, expect, it } from 'vitest'
import { formatCpu, formatMemory, parseQuantity } from '../src/index.js'

describe('a quantity', () => {
  it.each([
    ['250m', 0.25],
    ['2', 2],
    ['1.5', 1.5],
    [3, 3],
    ['100u', 0.0001],
    ['12345678n', 0.012345678],
    ['64Mi', 67_108_864],
    ['1Gi', 1_073_741_824],
    ['128974848', 128_974_848],
    ['129e6', 129_000_000],
    ['129M', 129_000_000],
    ['2E', 2e18],
    ['-1k', -1000],
  ])('%s is %d', (text, number) => {
    expect(parseQuantity(text)).toBe(number)
  })

  it.each(['', 'm', '1 Gi', '1gi', '1.2.3', 'NaN', '0x10'])('%j is none', (text) => {
    expect(() => parseQuantity(text)).toThrow(expect.objectContaining({ code: 'quantity_invalid' }))
  })

  it('is written in whole millicores and MiB, never less than asked', () => {
    expect([0.25, 0.2501, 2, 0].map(formatCpu)).toEqual(['250m', '251m', '2000m', '0m'])
    expect([2 ** 26, 2 ** 26 + 1, 0].map(formatMemory)).toEqual(['64Mi', '65Mi', '0Mi'])
  })
})
