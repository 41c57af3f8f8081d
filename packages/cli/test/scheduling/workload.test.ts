import { Random } from '@trimtab/core'
import { createServeCore, type ServeCore } from '@trimtab/serve'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { measure } from '../../src/scheduling/measure.js'
import { estimateWithErrors, measureErrors } from '../../src/scheduling/measured-errors.js'
import { readRequestLog } from '../../src/scheduling/requests.js'
import { atGap, drawWorkload } from '../../src/scheduling/workload.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

const logOf = (lengths: readonly number[]) =>
  readRequestLog('log', lengths.map((length) => `{"output_tokens": ${length}}`).join('\n'))

describe('a workload', () => {
  const log = logOf([1, 2, 3, 4, 5])
  const options = { count: 12, seed: 1, pattern: undefined, isInLogOrder: false }

  it('has every row once before any comes twice', () => {
    const { rows, tokens } = drawWorkload(core, log, options)
    expect([...rows.subarray(0, 5)].sort()).toEqual([0, 1, 2, 3, 4])
    expect([...rows.subarray(5, 10)].sort()).toEqual([0, 1, 2, 3, 4])
    expect([...tokens]).toEqual([...rows].map((row) => row + 1))
  })

  it('is the same for the same seed and another for another', () => {
    expect(drawWorkload(core, log, options)).toEqual(drawWorkload(core, log, options))
    expect(drawWorkload(core, log, { ...options, seed: 2 })).not.toEqual(drawWorkload(core, log, options))
  })

  it('keeps its requests when only the arrivals are others', () => {
    const pattern = { name: 'p', seconds: Float64Array.from({ length: 40 }, (_, i) => i * i) }
    expect(drawWorkload(core, log, { ...options, pattern }).rows).toEqual(drawWorkload(core, log, options).rows)
  })

  it('comes at a mean gap of what is asked for: Poisson', () => {
    const arrival = atGap(drawWorkload(core, log, { ...options, count: 20_000 }), 0.5)
    expect(arrival.at(-1)! / 20_000).toBeCloseTo(0.5, 1)
    expect(arrival.every((time, i) => i === 0 || time >= arrival[i - 1]!)).toBe(true)
  })

  it('keeps the pattern of recorded arrivals, and the lengths that came with them', () => {
    const recorded = readRequestLog('r', 'arrival_s,output_tokens\n0,7\n1,8\n5,9\n9,10\n10,11')
    const pattern = { name: 'r', seconds: Float64Array.from(recorded.requests, (one) => one.arrivalSeconds!) }
    const workload = drawWorkload(core, recorded, { count: 5, seed: 3, pattern, isInLogOrder: true })
    expect([...workload.rows]).toEqual([0, 1, 2, 3, 4])
    expect([...atGap(workload, 2)]).toEqual([0, 1, 5, 9, 10])
  })

  it('refuses a pattern that is too short or has no span', () => {
    const pattern = { name: 'p', seconds: new Float64Array(4) }
    expect(() => drawWorkload(core, log, { ...options, pattern })).toThrow('p has 4 arrivals, 12 are asked for')
    expect(() => drawWorkload(core, log, { ...options, count: 3, pattern })).toThrow('at one moment')
  })
})

describe('estimates with a measured error', () => {
  const lengths = Array.from({ length: 2000 }, (_, i) => 1 + ((i * 7919) % 2000))
  const one = Array.from({ length: 2000 }, () => 'm')
  const noise = (seed: number) => {
    const random = new Random(core, seed)
    return lengths.map(() => random.uniform())
  }
  /** Of all pairs, those in the right order. */
  const orderOf = (truth: ArrayLike<number>, told: ArrayLike<number>) => {
    let right = 0
    for (let a = 1; a < truth.length; a++)
      for (let b = 0; b < a; b++) if ((truth[a]! - truth[b]!) * (told[a]! - told[b]!) > 0) right++
    return right / ((truth.length * (truth.length - 1)) / 2)
  }

  it('are as right as the measured ones, in order', () => {
    const uniform = noise(5)
    const told = lengths.map((length, i) => length + 1500 * uniform[i]!)
    const errors = measureErrors(lengths, told, one)
    const others = lengths.map((length) => 10 * length ** 2) // other lengths, another unit
    const estimates = estimateWithErrors(core, others, errors, 1)
    expect(orderOf(others, estimates)).toBeGreaterThan(orderOf(lengths, told) - 0.03)
    expect(orderOf(others, estimates)).toBeLessThan(orderOf(lengths, told) + 0.03)
  })

  it('tell nothing when the measured ones tell nothing', () => {
    const errors = measureErrors(lengths, noise(6), one)
    expect(orderOf(lengths, estimateWithErrors(core, lengths, errors, 1))).toBeCloseTo(0.5, 1)
  })

  it('have the mean of the true lengths', () => {
    const uniform = noise(7)
    const told = lengths.map((length, i) => length + 2000 * uniform[i]!)
    const estimates = estimateWithErrors(core, lengths, measureErrors(lengths, told, one), 1)
    const mean = (values: ArrayLike<number>) =>
      Array.from(values).reduce((sum, value) => sum + value, 0) / values.length
    expect(mean(estimates) / mean(lengths)).toBeCloseTo(1, 1)
  })

  it('stand within each model, not across models', () => {
    const models = lengths.map((_, i) => (i % 2 ? 'a' : 'b'))
    const shifted = lengths.map((length, i) => length + (i % 2) * 1e6)
    const { truth01, estimate01 } = measureErrors(shifted, shifted, models)
    expect(truth01).toEqual(estimate01)
  })
})

describe('what is measured', () => {
  it('follows from the times of each request', () => {
    const request = fc.record({
      arrival: fc.double({ min: 0, max: 100, noNaN: true }),
      wait: fc.double({ min: 0, max: 100, noNaN: true }),
      service: fc.double({ min: 0.01, max: 100, noNaN: true }),
    })
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 50 }), (requests) => {
        const arrival = Float64Array.from(requests, (one) => one.arrival)
        const start = Float64Array.from(requests, (one) => one.arrival + one.wait)
        const finish = start.map((time, i) => time + requests[i]!.service)
        const found = measure(
          arrival,
          { start, finish },
          arrival.map(() => 60),
        )
        const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
        expect(found.meanJct).toBeCloseTo(mean(requests.map((one) => one.wait + one.service)), 6)
        expect(found.meanWait).toBeCloseTo(mean(requests.map((one) => one.wait)), 6)
        expect(found.maxWait).toBeCloseTo(Math.max(...requests.map((one) => one.wait)), 6)
        expect(found.p50Jct).toBeLessThanOrEqual(found.p99Jct)
        expect(found.attainment).toBeCloseTo(mean(requests.map((_, i) => Number(finish[i]! - arrival[i]! <= 60))), 9)
      }),
    )
  })
})
