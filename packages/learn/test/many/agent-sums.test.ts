import { describe, expect, it } from 'vitest'
import { AgentSums } from '../../src/index.js'

const AGENTS = [
  [0.9, 3],
  [0.5, -1],
  [1, 2],
  [0.7, 2],
  [0.2, 8],
]

function sumsOf(agents: readonly number[][]): AgentSums {
  const sums = new AgentSums(2)
  for (const agent of agents) sums.add(agent)
  return sums
}

/** Mean and population deviation of column k, in two passes. */
function twoPasses(agents: readonly number[][], k: number): [mean: number, deviation: number] {
  const column = agents.map((agent) => agent[k]!)
  const mean = column.reduce((a, b) => a + b, 0) / column.length
  const squares = column.reduce((sum, x) => sum + (x - mean) ** 2, 0)
  return [mean, Math.sqrt(squares / column.length)]
}

describe('AgentSums', () => {
  it.each([0, 1])('knows the mean and deviation of number %i', (k) => {
    const sums = sumsOf(AGENTS)
    const [mean, deviation] = twoPasses(AGENTS, k)
    expect(sums.agents).toBe(5)
    expect(sums.mean(k)).toBeCloseTo(mean, 12)
    expect(sums.deviation(k)).toBeCloseTo(deviation, 12)
  })

  it.each([0, 1])('tells each agent the mean and deviation of the others in number %i', (k) => {
    const sums = sumsOf(AGENTS)
    for (const [i, agent] of AGENTS.entries()) {
      const [mean, deviation] = twoPasses(AGENTS.toSpliced(i, 1), k)
      expect(sums.meanOfOthers(k, agent[k]!)).toBeCloseTo(mean, 12)
      expect(sums.deviationOfOthers(k, agent[k]!)).toBeCloseTo(deviation, 7)
    }
    const alone = sumsOf(AGENTS.slice(0, 1))
    expect([alone.meanOfOthers(k, AGENTS[0]![k]!), alone.deviationOfOthers(k, AGENTS[0]![k]!)]).toEqual([0, 0])
  })

  it('comes to the same from parts that were merged', () => {
    const whole = sumsOf(AGENTS)
    const merged = sumsOf(AGENTS.slice(0, 2))
    merged.merge(sumsOf(AGENTS.slice(2)).numbers)
    expect(merged.agents).toBe(5)
    for (const k of [0, 1]) {
      expect(merged.sum(k)).toBeCloseTo(whole.sum(k), 12)
      expect(merged.deviation(k)).toBeCloseTo(whole.deviation(k), 12)
    }
  })

  it('reads an agent out of rows of many', () => {
    const sums = new AgentSums(2)
    const rows = Float32Array.of(9, 9, 0.5, 2, 9)
    sums.add(rows, 2)
    expect([...sums.numbers]).toEqual([1, 0.5, 2, 0.25, 4])
  })

  it('leaves out an agent of whom a number is missing', () => {
    const sums = sumsOf(AGENTS)
    const before = [...sums.numbers]
    expect(sums.add([0.5, Number.NaN])).toBe(false)
    expect(sums.add([0.5])).toBe(false)
    expect([...sums.numbers]).toEqual(before)
  })

  it('is zero of nobody', () => {
    const sums = sumsOf(AGENTS)
    sums.clear()
    expect([sums.agents, sums.sum(0), sums.mean(0), sums.deviation(1)]).toEqual([0, 0, 0, 0])
  })

  it.each([
    ['too few numbers', [1, 0.5, 0.25], 'size_mismatch'],
    ['NaN', [1, Number.NaN, 0, 0, 0], 'not_finite'],
    ['fewer than no agents', [-1, 0, 0, 0, 0], 'not_finite'],
    ['negative squares', [1, 0, 0, -1, 0], 'not_finite'],
  ])('refuses %s and stays as it was', (_, numbers, code) => {
    const sums = sumsOf(AGENTS)
    const before = [...sums.numbers]
    expect(() => sums.merge(numbers)).toThrow(expect.objectContaining({ code }))
    expect([...sums.numbers]).toEqual(before)
  })

  it('refuses agents of no numbers', () => {
    expect(() => new AgentSums(0)).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })
})
