import { describe, expect, it } from 'vitest'
import { sensitivityDatabase, sensitivityScore } from '../../src/index.js'

const at = (operator: string, clockMhz: number, latencyMs: number, more = {}) => ({
  operator,
  clockMhz,
  latencyMs,
  ...more,
})

describe('operator sensitivity', () => {
  it('is 2 for a time inversely proportional to the clock, 0 for one that does not notice it', () => {
    const half = (reducedMs: number) => sensitivityScore({ defaultMhz: 1380, defaultMs: 3, reducedMhz: 690, reducedMs })
    expect(half(6)).toBeCloseTo(2)
    expect(half(3)).toBe(0)
  })

  it('reads the time at half of the default clock between measured clocks, straight in 1/f', () => {
    const proportional = [1380, 1087, 802, 502].map((mhz) => at('dot', mhz, 1000 / mhz))
    expect(sensitivityDatabase(proportional).get('dot')).toBeCloseTo(2, 10)
  })

  it('weighs the shapes of an operator', () => {
    const scores = sensitivityDatabase([
      at('dot', 1000, 1, { shape: 'a', weight: 3 }),
      at('dot', 500, 2, { shape: 'a', weight: 3 }),
      at('dot', 1000, 1, { shape: 'b' }),
      at('dot', 500, 1, { shape: 'b' }),
      at('tanh', 1000, 5),
      at('tanh', 500, 6),
    ])
    expect(scores.get('dot')).toBeCloseTo(1.5)
    expect(scores.get('tanh')).toBeCloseTo(0.4)
  })

  it('refuses an operator that was never slowed down to half, naming it', () => {
    expect(() => sensitivityDatabase([at('dot', 1000, 1), at('dot', 700, 1.2)])).toThrow(
      /operator dot .* 700, 1000 MHz/,
    )
    expect(() => sensitivityDatabase([at('dot', 1000, NaN), at('dot', 500, 1)])).toThrow(/NaN ms at 1000 MHz/)
  })
})
