import { createCore, Random, type TrajectoryStep } from '@trimtab/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryTrajectoryStore } from '../src/index.js'

const step = (episode: number, step: number, reward = 0): TrajectoryStep => ({
  episode,
  step,
  observation: Float32Array.of(episode, step),
  action: Float32Array.of(reward),
  reward,
})

function filled(steps: TrajectoryStep[], capacity = 1000): MemoryTrajectoryStore {
  const store = new MemoryTrajectoryStore({ capacity })
  for (const each of steps) store.append(each)
  return store
}

const numbers = (steps: readonly TrajectoryStep[]) => steps.map((each) => `${each.episode}.${each.step}`)

describe('MemoryTrajectoryStore', () => {
  it('ranks an episode whose reward is no number last, and the others as ever', () => {
    const store = new MemoryTrajectoryStore()
    const rewards = [2, Number.NaN, 5, 1, 4, 0]
    for (const [episode, reward] of rewards.entries()) {
      store.append({ episode, step: 0, observation: Float32Array.of(1), action: Float32Array.of(1), reward })
    }
    store.append({ episode: 9, step: 0, observation: Float32Array.of(1), action: Float32Array.of(1), reward: 0 })
    expect(store.best(9).map(([step]) => step!.episode)).toEqual([2, 4, 0, 3, 5, 1])
  })

  it('returns the recent steps, oldest first', () => {
    const store = filled([step(0, 0), step(0, 1), step(1, 0)])
    expect(numbers(store.recent(2))).toEqual(['0.1', '1.0'])
    expect(numbers(store.recent(9))).toEqual(['0.0', '0.1', '1.0'])
    expect(store.recent(0)).toEqual([])
  })

  it('keeps copies: what the caller changes later was not stored', () => {
    const buffer = step(0, 0, 5)
    const store = filled([buffer])
    buffer.observation.fill(9)
    expect(store.recent(1)[0]!.observation).toEqual(Float32Array.of(0, 0))
    store.recent(1)[0]!.observation.fill(9)
    expect(store.recent(1)[0]!.observation).toEqual(Float32Array.of(0, 0))
  })

  it('makes room for new steps by forgetting the oldest', () => {
    const store = filled([step(0, 0), step(0, 1), step(0, 2), step(1, 0)], 3)
    expect(store.size).toBe(3)
    expect(numbers(store.recent(9))).toEqual(['0.1', '0.2', '1.0'])
  })

  it('returns the episodes of highest reward, best first, of those that are finished and still whole', () => {
    const steps = [step(0, 0, 9), step(0, 1, 9), step(1, 0, 1), step(1, 1, 2), step(2, 0, 5), step(3, 0, 100)]
    expect(filled(steps).best(2).map(numbers)).toEqual([['0.0', '0.1'], ['2.0']])
    expect(filled(steps, 5).best(9).map(numbers)).toEqual([['2.0'], ['1.0', '1.1']])
  })

  it('does not merge two runs that number their episodes alike', () => {
    const store = filled([step(0, 0, 1), step(0, 1, 1), step(0, 0, 5), step(0, 1, 5), step(1, 0)])
    expect(store.best(2).map((steps) => steps.map((each) => each.reward))).toEqual([
      [5, 5],
      [1, 1],
    ])
  })

  it('samples uniformly with replacement, the same for the same seed', async () => {
    const core = await createCore()
    const store = filled([step(0, 0), step(0, 1), step(0, 2), step(0, 3), step(0, 4)], 4)
    const drawn = numbers(store.sample(4000, new Random(core, 1)))
    for (const name of ['0.1', '0.2', '0.3', '0.4']) {
      // 1000 expected, deviation 27
      expect(Math.abs(drawn.filter((each) => each === name).length - 1000)).toBeLessThan(110)
    }
    expect(numbers(store.sample(4000, new Random(core, 1)))).toEqual(drawn)
  })

  it('agrees with a plain array, whatever is appended', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 20 })
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 30 }), (episodes, capacity) => {
        const steps = episodes.flatMap((length, e) => Array.from({ length }, (_, i) => step(e, i, (e * 7) % 5)))
        const store = filled(steps, capacity)
        const held = steps.slice(-capacity)
        expect(store.recent(100)).toEqual(held)
        const whole = episodes
          .map((length, e) => held.filter((each) => each.episode === e && length > 0))
          .filter((own, e) => own.length === episodes[e] && e < episodes.length - 1)
          .sort((a, b) => b.reduce((sum, x) => sum + x.reward, 0) - a.reduce((sum, x) => sum + x.reward, 0))
        expect(store.best(100)).toEqual(whole)
      }),
    )
  })

  it('refuses steps of another task, a capacity that holds nothing and sampling from nothing', async () => {
    const random = new Random(await createCore(), 1)
    const other = { ...step(0, 1), observation: Float32Array.of(1) }
    expect(() => filled([step(0, 0), other])).toThrow(/holds observations \[2\] and actions \[1\], got \[1\] and \[1\]/)
    expect(() => new MemoryTrajectoryStore({ capacity: 0 })).toThrow(/capacity must be a whole number >= 1, got 0/)
    expect(() => new MemoryTrajectoryStore().sample(1, random)).toThrow(
      expect.objectContaining({ code: 'trajectory_store_empty' }),
    )
  })
})
