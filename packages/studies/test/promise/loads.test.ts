import { type Core, createCore } from '@trimtab/core'
import { createLoad, type LoadSeries } from '@trimtab/tasks/autoscaling'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  isWithinSeen,
  LEARNED_SHARE,
  PROMISE_LOADS,
  type PromiseLoadName,
  promiseLoad,
  shortened,
} from '../../src/index.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const load = (name: PromiseLoadName, seed = 1): LoadSeries => promiseLoad(core, name, seed)
const DAY = 1440
/** Mean share of the peak in an hour. */
const hourOf = ({ shape }: LoadSeries, day: number, hour: number): number => {
  const minutes = shape.subarray(day * DAY + hour * 60, day * DAY + hour * 60 + 60)
  return minutes.reduce((a, b) => a + b, 0) / 60
}

describe('a generated load', () => {
  const generated = PROMISE_LOADS.filter(({ isMeasured }) => !isMeasured).map(({ name }) => name)

  it.each(generated)('%s follows from its seed and lasts at most 14 days', (name) => {
    expect(load(name)).toEqual(load(name))
    expect(load(name).shape).not.toEqual(load(name, 2).shape)
    expect(load(name).shape.length).toBeLessThanOrEqual(14 * DAY)
    expect(load(name).shape.every((share) => share >= 0)).toBe(true)
  })

  it.each(generated)('%s is judged within what was seen, but for growth', (name) => {
    for (const seed of [1, 2, 3, 21, 22]) expect(isWithinSeen(load(name, seed), LEARNED_SHARE)).toBe(name !== 'growth')
  })

  it('growth is tenfold within a week', () => {
    const series = load('growth')
    expect(hourOf(series, 6, 23) / hourOf(series, 0, 0)).toBeCloseTo(9.8, 0)
  })

  it('a zero night has no request for eight hours, then a step', () => {
    const { shape } = load('zero-night')
    expect(shape.subarray(DAY, DAY + 480).every((share) => share === 0)).toBe(true)
    expect(shape[DAY + 480]).toBeGreaterThan(0.7)
  })

  it('Mondays surge, once while learning and once when judged; weekends are quiet', () => {
    const series = load('office')
    for (const monday of [4, 11]) {
      expect(hourOf(series, monday, 9)).toBeGreaterThan(1.3 * hourOf(series, monday + 1, 9))
      expect(hourOf(series, monday - 1, 9)).toBeLessThan(0.4 * hourOf(series, monday + 1, 9))
    }
    expect(11 / 14).toBeGreaterThan(LEARNED_SHARE)
  })
})

describe('a measured load', () => {
  it('is cut to its first 14 days', () => {
    const rows = Array.from({ length: 20 * DAY }, (_, i) => `${i},${i < 14 * DAY ? 5 : 50}`)
    const { shape } = promiseLoad(core, 'nasa', 1, `index,requests\n${rows.join('\n')}`)
    expect(shape).toHaveLength(14 * DAY)
    expect(shape.every((share) => share === 1)).toBe(true) // by its own peak
  })

  it('needs a table', () => {
    expect(() => load('twitter')).toThrow('twitter is a measured load: its table is needed')
  })
})

it('a load is within what was seen when hardly a minute of the rest is above it', () => {
  const of = (beyond: number): LoadSeries =>
    createLoad('x', [...Array(700).fill(10), ...Array(300 - beyond).fill(9), ...Array(beyond).fill(11)])
  expect(isWithinSeen(of(3), 0.7)).toBe(true)
  expect(isWithinSeen(of(4), 0.7)).toBe(false)
  expect(shortened(of(4), 0.5).shape).toHaveLength(720)
})
