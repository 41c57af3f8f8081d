import { type Core, createCore } from '@trimtab/core'
import { beforeAll, describe, expect, it } from 'vitest'
import { VerticalRecommender } from '../../../src/autoscaling/vpa/index.js'

const NOW = 1_700_000_000
const DAY = 86400

let core: Core
beforeAll(async () => {
  core = await createCore()
})

/** A minute's samples, for `days` from `fromSeconds` on. */
function watch(vpa: VerticalRecommender, fromSeconds: number, days: number, milli: number, bytes: number): void {
  for (let t = 0; t < days * DAY; t += 60) {
    vpa.addCpuSample(fromSeconds + t, milli)
    vpa.addMemorySample(fromSeconds + t, bytes)
  }
}

describe('samples that are not of now', () => {
  it.each([
    ['in microseconds', NOW * 1e6],
    ['a year ahead', NOW + 365 * DAY],
    ['eleven minutes ahead', NOW + 660],
    ['eleven minutes old', NOW - 660],
    ['without a time', Number.NaN],
  ])('are refused, and said: %s', (_, wrong) => {
    const vpa = new VerticalRecommender(core.math)
    watch(vpa, NOW - DAY, 1, 500, 400e6)
    const before = vpa.recommend(NOW)
    expect(vpa.addCpuSample(wrong, 9000, '', NOW)).toBe(false)
    expect(vpa.addMemorySample(wrong, 9e9, '', NOW)).toBe(false)
    expect(vpa.recommend(NOW)).toEqual({ ...before, refusedSamples: 2 })
    expect(vpa.recommend(NOW).refusedSamples).toBe(0)
    expect(vpa.addCpuSample(NOW + 15, 500, '', NOW + 15)).toBe(true)
    expect(vpa.addMemorySample(NOW + 15, 400e6, '', NOW + 15)).toBe(true)
  })

  it('are refused as kills too, but for those of the last memory window', () => {
    const vpa = new VerticalRecommender(core.math)
    vpa.addMemorySample(NOW, 400e6)
    expect(vpa.recordOom(NOW * 1e6, 9e9, '', NOW)).toBe(false)
    expect(vpa.recordOom(NOW - DAY, 500e6, '', NOW)).toBe(true)
  })
})

describe('a clock that is wrong', () => {
  it.each([
    ['in microseconds', NOW * 1e6],
    ['ten years ahead', NOW + 3650 * DAY],
    ['an hour ahead', NOW + 3600],
  ])('once (%s) costs neither the history nor the samples to come', (_, wrong) => {
    const vpa = new VerticalRecommender(core.math)
    watch(vpa, NOW - 4 * DAY, 4, 500, 400e6)
    const before = vpa.recommend(NOW).target
    vpa.addCpuSample(wrong, 500)
    vpa.addMemorySample(wrong, 400e6)
    vpa.recommend(wrong)
    expect(vpa.recommend(NOW + 15).target).toEqual(before)
    // Memory comes down again in days, not never.
    watch(vpa, NOW + 60, 8, 500, 100e6)
    expect(vpa.recommend(NOW + 8 * DAY).target.memoryBytes).toBeLessThan(before.memoryBytes!)
  })

  it.each([
    ['an hour', 3600],
    ['ten years', 3650 * DAY],
  ])('set back by %s takes samples at once, and its peaks still age', (_, back) => {
    const vpa = new VerticalRecommender(core.math)
    watch(vpa, NOW - 2 * DAY, 2, 500, 4e9)
    const before = vpa.recommend(NOW).target.memoryBytes!
    expect(vpa.addCpuSample(NOW - back, 500)).toBe(true)
    expect(vpa.addMemorySample(NOW - back, 400e6)).toBe(true)
    watch(vpa, NOW - back + 60, 8, 500, 400e6)
    expect(vpa.recommend(NOW - back + 8 * DAY).target.memoryBytes).toBeLessThan(before / 2)
  })

  it('is remembered by a checkpoint', () => {
    const vpa = new VerticalRecommender(core.math)
    watch(vpa, NOW - DAY, 1, 500, 400e6)
    vpa.addCpuSample(NOW - 30 * DAY, 500) // set back
    const loaded = new VerticalRecommender(core.math)
    loaded.load(JSON.parse(JSON.stringify(vpa.save())))
    expect(loaded.addCpuSample(NOW - 30 * DAY + 60, 700)).toBe(true)
    vpa.addCpuSample(NOW - 30 * DAY + 60, 700)
    expect(loaded.recommend(NOW - 30 * DAY + 60)).toEqual(vpa.recommend(NOW - 30 * DAY + 60))
  })
})
