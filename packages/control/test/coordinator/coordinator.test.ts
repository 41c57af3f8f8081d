import { describe, expect, it } from 'vitest'
import { Coordinator, type CoordinatorOptions, InProcessTransport, type ModelRefresh } from '../../src/index.js'
import { gainOf, policyFile } from './team.js'

const MINUTE_MS = 60_000

/** A coordinator whose policies are worth the number that they are. */
function coordinating(options: Partial<CoordinatorOptions> = {}) {
  const { models } = new InProcessTransport()
  const clock = { nowMs: 0, now: () => clock.nowMs }
  const judge = (_category: string, bytes: Uint8Array) => gainOf(bytes)
  const all = { models, categories: ['cpu', 'io'], judge, clock, refreshMs: MINUTE_MS, ...options }
  const coordinator = new Coordinator(all)
  return {
    models,
    coordinator,
    offer: (member: string, gain: number, category = 'cpu') =>
      models.offer({ category, member, bytes: policyFile(gain) }),
    /** A step, a minute later. */
    step: (): Promise<readonly ModelRefresh[]> => {
      clock.nowMs += MINUTE_MS
      return coordinator.step()
    },
    base: async (category = 'cpu') => {
      const model = await models.get(category)
      return model && [model.version, gainOf(model.bytes)]
    },
    clock,
  }
}

describe('a base model', () => {
  it('is replaced by the best judged offer, when the same judge likes it better', async () => {
    const { offer, step, base } = coordinating()
    expect([await step(), await base()]).toEqual([[], undefined])
    for (const [member, gain] of [
      ['a', 3],
      ['b', 5],
      ['c', 4],
    ] as const)
      offer(member, gain)
    offer('a', 1, 'io')
    expect(await step()).toEqual([
      { category: 'cpu', member: 'b', version: 1, value: 5, lastValue: undefined },
      { category: 'io', member: 'a', version: 1, value: 1, lastValue: undefined },
    ])
    offer('a', 4)
    offer('a', 1, 'io')
    expect(await step()).toEqual([])
    expect([await base(), await base('io')]).toEqual([
      [1, 5],
      [1, 1],
    ])
    offer('c', 6)
    expect(await step()).toEqual([{ category: 'cpu', member: 'c', version: 2, value: 6, lastValue: 5 }])
  })

  it('is judged anew with each offer: what it was worth once does not protect it', async () => {
    let weather = 0
    const { offer, step, base } = coordinating({ judge: (_, bytes) => Math.abs(gainOf(bytes) - weather) })
    offer('a', 10)
    await step()
    weather = 10
    offer('b', 2)
    expect(await step()).toMatchObject([{ member: 'b', value: 8, lastValue: 0 }])
    expect(await base()).toEqual([2, 2])
  })

  it('changes slowly: not before its time, by no less than the least gain, and each member has one offer', async () => {
    const { offer, step, base, coordinator, clock } = coordinating({ minGain: 2 })
    offer('a', 1)
    await step()
    for (const gain of [9, 2.5]) offer('a', gain)
    clock.nowMs += MINUTE_MS - 1
    expect(await coordinator.step()).toEqual([])
    expect([await step(), await base()]).toEqual([[], [1, 1]])
    offer('a', 3.5)
    expect(await step()).toMatchObject([{ value: 3.5, version: 2 }])
  })

  it('stays where an offer cannot be judged or is of no known category, and that is counted', async () => {
    const { models, offer, step, base, coordinator } = coordinating()
    offer('a', 1)
    await step()
    offer('b', Number.POSITIVE_INFINITY)
    offer('c', 9, 'gpu')
    models.offer({ category: 'cpu', member: 'd', bytes: new TextEncoder().encode('no policy') })
    expect([await step(), await base(), coordinator.refused]).toEqual([[], [1, 1], 3])
  })

  it('gives way to any offer when it cannot be judged itself', async () => {
    const { models, offer, step } = coordinating()
    await models.replace('cpu', new TextEncoder().encode('damaged'), 0)
    offer('a', -7)
    expect(await step()).toEqual([{ category: 'cpu', member: 'a', version: 2, value: -7, lastValue: undefined }])
  })

  it('is not replaced over the head of another coordinator', async () => {
    const first = coordinating()
    let meanwhile = async () => {}
    const judge = async (_: string, bytes: Uint8Array) => {
      await meanwhile()
      return gainOf(bytes)
    }
    const second = coordinating({ models: first.models, judge })
    first.models.offer({ category: 'cpu', member: 'a', bytes: policyFile(5) })
    meanwhile = async () => {
      await first.step()
    }
    expect(await second.step()).toEqual([])
    expect(await first.base()).toEqual([1, 5])
  })

  it('waits with its offers where the models cannot be reached', async () => {
    let isCut = true
    const { models: inner } = new InProcessTransport()
    const models = {
      ...inner,
      get: (category: string) => (isCut ? Promise.reject(new Error('cut')) : inner.get(category)),
      replace: inner.replace.bind(inner),
      offer: inner.offer.bind(inner),
      onOffer: inner.onOffer.bind(inner),
    }
    const { step } = coordinating({ models })
    inner.offer({ category: 'cpu', member: 'a', bytes: policyFile(5) })
    expect(await step()).toEqual([])
    isCut = false
    expect(await step()).toMatchObject([{ value: 5 }])
  })

  it('is chosen of the last 64 offers of a category, however many come', async () => {
    const { offer, step } = coordinating()
    for (let i = 0; i < 100; i++) offer(`m${i}`, 100 - i)
    expect(await step()).toMatchObject([{ member: 'm36', value: 64 }])
  })
})

it('a coordinator refuses options that cannot be, all at once', () => {
  expect(() => coordinating({ categories: ['a b'], refreshMs: -1, minGain: Number.NaN, ...{ margin: 1 } })).toThrow(
    /options\.margin is no option.*"a b" is no name.*refreshMs must be >= 0, got -1.*minGain must be a number >= 0, got NaN/,
  )
})
