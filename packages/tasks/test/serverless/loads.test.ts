import { existsSync, readFileSync } from 'node:fs'
import { type Core, createCore, mean } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { notChecked } from '../../../../test/not-checked.js'
import {
  type CallPattern,
  drawCallPatterns,
  drawCalls,
  readAzureFunctions,
  splitFunctions,
  stepRates,
} from '../../src/serverless/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)

describe('rates of steps from counts of minutes', () => {
  it.each([10, 25, 60, 90])('keep every request with steps of %i s', (stepSeconds) => {
    const perMinute = [6, 0, 30, 12, 0, 0, 3, 60, 7, 2, 1, 1, 5, 9, 4]
    const rates = stepRates(perMinute, stepSeconds)
    expect(rates).toHaveLength((60 * 15) / stepSeconds)
    expect(sum(rates) * stepSeconds).toBeCloseTo(sum(perMinute), 9)
  })

  it('weigh the minutes that a step lies in', () => {
    const [first, second] = stepRates([60, 120, 0], 90) // a minute of 1/s and half of one of 2/s
    expect(first).toBeCloseTo(120 / 90, 12)
    expect(second).toBeCloseTo(60 / 90, 12)
  })

  it('refuse a step longer than all minutes', () => {
    expect(() => stepRates([1, 2], 121)).toThrow(/at most 120, got 121/)
  })
})

describe('the trace of Azure Functions', () => {
  const INVOCATIONS = 'HashFunction,Trigger,1,2,3\n7,timer,1,0,1\n8,http,0,5,2\n'

  it('is read with what its other tables say of a function', () => {
    const functions = readAzureFunctions({
      invocations: INVOCATIONS,
      durations: 'HashFunction,Average,Count\n8,250,7\n',
      memory: 'HashFunction,SampleCount,AverageAllocatedMb\n7,3,120\n8,4,64\n',
    })
    expect(functions.map(({ id, trigger, perMinute }) => [id, trigger, ...perMinute])).toEqual([
      ['7', 'timer', 1, 0, 1],
      ['8', 'http', 0, 5, 2],
    ])
    expect(functions.map(({ durationMs, memoryMiB }) => [durationMs, memoryMiB])).toEqual([
      [Number.NaN, 120],
      [250, 64],
    ])
  })

  it.each([
    ['a count that is none', { invocations: INVOCATIONS.replace('5', 'x') }, /line 3, column 2: .*"x"/],
    ['a negative count', { invocations: INVOCATIONS.replace('5', '-5') }, /line 3, column 2/],
    ['no column of minutes', { invocations: 'HashFunction,Trigger\n7,timer\n' }, /no column of a minute/],
    ['no trigger', { invocations: 'HashFunction,1\n7,3\n' }, /no column Trigger/],
    ['a duration without its column', { invocations: INVOCATIONS, durations: 'HashFunction,Mean\n7,1\n' }, /Average/],
  ])('refuses %s and says where', (_, tables, message) => {
    expect(() => readAzureFunctions(tables)).toThrow(message)
  })

  const folder = new URL('../../../../../shared/data/serverless/', import.meta.url)
  if (!existsSync(folder)) {
    notChecked('the published trace of Azure Functions', '../shared/data/serverless')
    return
  }

  it('splits into functions to learn from and others to judge by', () => {
    const text = (name: string): string => readFileSync(new URL(`azure2019_${name}.csv`, folder), 'utf8')
    const functions = readAzureFunctions({
      invocations: text('invocations'),
      durations: text('durations'),
      memory: text('memory'),
    })
    expect(functions).toHaveLength(800)
    for (const { perMinute } of functions) expect(perMinute).toHaveLength(60)
    expect(functions.every(({ durationMs, memoryMiB }) => durationMs >= 0 && memoryMiB > 0)).toBe(true)
    const { train, test } = splitFunctions(functions)
    expect(new Set([...train, ...test].map(({ id }) => id))).toHaveLength(800)
    expect(test.length / functions.length).toBeCloseTo(1 / 3, 2)
  })
})

describe('generated days', () => {
  const FUNCTIONS = 1500
  const DAY = { stepSeconds: 60, steps: 1440 }
  let patterns: CallPattern[]
  let calls: Float64Array[]
  beforeAll(() => {
    patterns = drawCallPatterns(core, 5, FUNCTIONS)
    calls = patterns.map((pattern, i) => drawCalls(core, pattern, 100 + i, DAY))
  })
  const shareOf = (holds: (calls: Float64Array, pattern: CallPattern) => boolean): number =>
    calls.filter((day, i) => holds(day, patterns[i]!)).length / FUNCTIONS
  /** Coefficient of variation of the times between calls; those of one step are even in it. */
  const variationOf = (day: Float64Array): number => {
    const times = [...day].flatMap((count, step) => Array.from({ length: count }, (_, i) => step + i / count))
    const gaps = times.slice(1).map((time, i) => time - times[i]!)
    const average = mean(gaps)
    return Math.sqrt(mean(gaps.map((gap) => (gap - average) ** 2))) / average
  }

  // The shares are those that Shahrad et al. (ATC 2020) found; three standard errors of 1,500 functions are .04.
  it('have 45 % of functions called at most once an hour and 81 % at most once a minute', () => {
    expect(Math.abs(shareOf((_, { callsPerDay }) => callsPerDay <= 24.001) - 0.45)).toBeLessThan(0.04)
    expect(Math.abs(shareOf((_, { callsPerDay }) => callsPerDay <= 1440.001) - 0.81)).toBeLessThan(0.04)
    expect(Math.abs(shareOf((day) => sum(day) <= 1440) - 0.81)).toBeLessThan(0.04)
  })

  it('spread over seven orders of magnitude and more, and few functions make nearly all calls', () => {
    const rates = patterns.map(({ callsPerDay }) => callsPerDay).toSorted((a, b) => a - b)
    expect(rates.at(-1)! / rates[0]!).toBeGreaterThan(1e7)
    const often = rates.filter((rate) => rate > 1440)
    expect(sum(often) / sum(rates)).toBeGreaterThan(0.99) // 18.6 % of functions make 99.6 % of calls
  })

  it('have 29 % timers, whose calls are evenly apart', () => {
    expect(Math.abs(shareOf((_, { periodSeconds }) => periodSeconds > 0) - 0.29)).toBeLessThan(0.04)
    for (const [i, { periodSeconds }] of patterns.entries())
      if (periodSeconds > 0 && periodSeconds <= 21_600) expect(variationOf(calls[i]!)).toBeLessThan(1e-9)
  })

  it('have mostly bursts beside the timers: times between calls vary more than those of a Poisson process', () => {
    const rare = calls.filter((day, i) => patterns[i]!.periodSeconds === 0 && sum(day) >= 50 && sum(day) <= 5000)
    const bursty = rare.filter((day) => variationOf(day) > 1.1)
    expect(bursty.length / rare.length).toBeGreaterThan(0.6)
  })

  it('rise and fall with the day around the rate of the pattern', () => {
    const pattern = { callsPerDay: 86_400, periodSeconds: 0, phase01: 0.5, burstCalls: 4, burstSeconds: 30 }
    const day = drawCalls(core, { ...pattern, dailySwing: 0.8 }, 3, DAY)
    const around = (hour: number): number => mean(day.subarray(60 * hour - 90, 60 * hour + 90))
    expect(mean(day)).toBeGreaterThan(57)
    expect(mean(day)).toBeLessThan(63) // 60 a minute; bursts leave a deviation of 0.7
    expect(around(12)).toBeGreaterThan(100)
    expect(around(2)).toBeLessThan(35)
  })

  it('are the same for a seed, and others for another', () => {
    expect(drawCallPatterns(core, 5, 20)).toEqual(patterns.slice(0, 20))
    expect(drawCallPatterns(core, 6, 20)).not.toEqual(patterns.slice(0, 20))
    const busy = patterns.findIndex(({ callsPerDay }) => callsPerDay > 1e4)
    expect(drawCalls(core, patterns[busy]!, 100 + busy, DAY)).toEqual(calls[busy])
    expect(drawCalls(core, patterns[busy]!, 7, DAY)).not.toEqual(calls[busy])
  })
})
