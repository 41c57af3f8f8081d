import { createCore } from '@trimtab/core'
import { createLoad } from '@trimtab/tasks/autoscaling'
import { describe, expect, it } from 'vitest'
import { drawLiveLoad, seriesShape, WAIT_MS, WORK_MS, waveShape } from '../../src/live/live-load.js'

const core = await createCore()
const draw = (options: object = {}) =>
  drawLiveLoad(core, { seconds: 60, seed: 1, peakPerSecond: 200, shapeAt: () => 1, roundsPerMs: 1000, ...options })

describe('the load of a live run', () => {
  it('is the same for one seed and another for the next, in the order of time', () => {
    const requests = draw()
    expect(draw()).toEqual(requests)
    expect(draw({ seed: 2 })).not.toEqual(requests)
    const times = requests.map(({ atMs }) => atMs)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times.at(-1)).toBeLessThan(60_000)
  })

  it('has the rate of its shape, and the work and waits that it says', () => {
    const requests = draw({ shapeAt: (second: number) => (second < 30 ? 0.5 : 1) })
    const first = requests.filter(({ atMs }) => atMs < 30_000).length
    expect(Math.abs(first - 3000)).toBeLessThan(4 * Math.sqrt(3000))
    expect(Math.abs(requests.length - first - 6000)).toBeLessThan(4 * Math.sqrt(6000))
    const meanOf = (values: readonly number[]) => values.reduce((a, b) => a + b) / values.length
    expect(meanOf(requests.map(({ rounds }) => rounds / 1000)) / WORK_MS).toBeCloseTo(1, 1)
    expect(Math.min(...requests.map(({ rounds }) => rounds / 1000))).toBeGreaterThanOrEqual(WORK_MS / 2)
    expect(meanOf(requests.map(({ waitMs }) => waitMs)) / WAIT_MS).toBeCloseTo(1, 1)
  })

  it('does not change its arrivals with the machine: a faster one gets more rounds', () => {
    const [slow, fast] = [draw(), draw({ roundsPerMs: 2000 })]
    expect(fast.map(({ atMs }) => atMs)).toEqual(slow.map(({ atMs }) => atMs))
    expect(Math.abs(fast[0]!.rounds - 2 * slow[0]!.rounds)).toBeLessThanOrEqual(1)
  })

  it('keeps a wave within a third of its peak and all of it, once around in a block', () => {
    const shape = waveShape(core, 45, 3)
    const shares = Array.from({ length: 45 }, (_, second) => shape(second))
    expect(Math.min(...shares)).toBeCloseTo(0.36, 2)
    expect(Math.max(...shares)).toBeCloseTo(1, 2)
    expect(shape(45)).toBeCloseTo(shape(0), 10)
    expect(waveShape(core, 45, 4)(0)).not.toBeCloseTo(shape(0), 3)
  })

  it('plays a minute of a load of one’s own in a second, each round the next stretch, and begins again at its end', () => {
    const load = createLoad(
      'own',
      Array.from({ length: 100 }, (_, minute) => minute + 1),
    )
    expect(seriesShape(load, 45, 0)(10)).toBeCloseTo(load.shape[10]!, 12)
    expect(seriesShape(load, 45, 1)(10)).toBeCloseTo(load.shape[55]!, 12)
    expect(seriesShape(load, 45, 2)(15)).toBeCloseTo(load.shape[5]!, 12)
  })

  it('of no length is refused', () => {
    expect(() => draw({ seconds: 0 })).toThrow(/seconds, peakPerSecond and roundsPerMs must be > 0, got 0/)
  })
})
