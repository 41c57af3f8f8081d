import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { embedWords, SemanticCache } from '../../src/index.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

const HAIKU = 'Write a haiku about the rain in spring.'

describe('the semantic cache', () => {
  it('knows a prompt again, in another case and punctuation, and one that is nearly the same', () => {
    using cache = new SemanticCache(core)
    cache.learn('llama', HAIKU, 24)
    expect(cache.find('llama', HAIKU)).toEqual({ tokens: 24, similarity: expect.closeTo(1, 5) })
    expect(cache.find('llama', 'write a HAIKU about the rain in spring')).toMatchObject({ tokens: 24 })
    expect(cache.find('llama', 'Please write a haiku about the rain in spring.')).toMatchObject({ tokens: 24 })
    expect(cache.find('llama', 'Explain how rain forms over the sea.')).toBeUndefined()
  })

  it('never answers for one model with the length of another', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ model: fc.constantFrom('a', 'b', 'c'), tokens: fc.nat(999) })), (lessons) => {
        using cache = new SemanticCache(core, { capacity: 4 })
        for (const { model, tokens } of lessons) cache.learn(model, HAIKU, tokens)
        for (const model of ['a', 'b', 'c']) {
          const lengths = lessons.flatMap((lesson) => (lesson.model === model ? [lesson.tokens] : []))
          const found = cache.find(model, HAIKU) as { tokens: number } | undefined
          expect(found === undefined).toBe(lengths.length === 0)
          if (!found) continue
          expect(found.tokens).toBeGreaterThanOrEqual(Math.min(...lengths) - 1e-9)
          expect(found.tokens).toBeLessThanOrEqual(Math.max(...lengths) + 1e-9)
        }
      }),
    )
  })

  it('averages the lengths of one prompt, the latest counting most once there are many', () => {
    using cache = new SemanticCache(core)
    for (const tokens of [10, 20, 30]) cache.learn('m', HAIKU, tokens)
    expect(cache.find('m', HAIKU)).toMatchObject({ tokens: 20 })
    expect(cache.size).toBe(1)
    for (let i = 0; i < 100; i++) cache.learn('m', HAIKU, 500)
    expect((cache.find('m', HAIKU) as { tokens: number }).tokens).toBeCloseTo(500, 0)
  })

  it('stays within its capacity and lets go of what was of no use for longest', () => {
    using cache = new SemanticCache(core, { capacity: 3 })
    const prompt = (i: number): string => `subject${i} topic${i} question${i}`
    for (const i of [0, 1, 2]) cache.learn(`model${i}`, prompt(i), i)
    cache.find('model0', prompt(0))
    cache.learn('model3', prompt(3), 3)
    expect(cache.size).toBe(3)
    expect(
      [0, 1, 2, 3].map((i) => (cache.find(`model${i}`, prompt(i)) as { tokens: number } | undefined)?.tokens),
    ).toEqual([0, undefined, 2, 3])
  })

  it('takes an embedding of the user’s, sync or async, and a threshold', async () => {
    const width = 2
    const of = (text: string): number[] => (text === 'east' ? [1, 0] : text === 'north' ? [0, 1] : [3, 4])
    using sync = new SemanticCache(core, { embed: { width, of }, threshold: 0.7 })
    sync.learn('m', 'north', 9)
    expect(sync.find('m', 'between')).toEqual({ tokens: 9, similarity: expect.closeTo(0.8, 6) })
    expect(sync.find('m', 'east')).toBeUndefined()
    using later = new SemanticCache(core, { embed: { width, of: async (text) => of(text) }, threshold: 0.9 })
    await later.learn('m', 'north', 9)
    expect(await later.find('m', 'north')).toMatchObject({ tokens: 9 })
    expect(await later.find('m', 'between')).toBeUndefined()
  })

  it('refuses what makes no sense', () => {
    for (const options of [{ capacity: 0 }, { threshold: 0 }, { threshold: 1.1 }]) {
      expect(() => new SemanticCache(core, options), JSON.stringify(options)).toThrow(/must be/)
    }
    using cache = new SemanticCache(core)
    expect(() => cache.learn('m', HAIKU, -1)).toThrow(/tokens/)
    expect(cache.size).toBe(0)
  })
})

describe('the embedding by words', () => {
  it('sees a text without spaces between words too', () => {
    const cosine = (a: string, b: string): number => {
      const [x, y] = [embedWords(a), embedWords(b)]
      const dot = (u: Float32Array, v: Float32Array): number => u.reduce((sum, value, i) => sum + value * v[i]!, 0)
      return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y))
    }
    expect(cosine('请写一首关于春雨的诗', '请写一首关于春雨的短诗')).toBeGreaterThan(0.8)
    expect(cosine('请写一首关于春雨的诗', '解释量子力学的基本原理')).toBeLessThan(0.5)
  })

  it('gives zero for a text without words', () => {
    expect(embedWords(' …!? ').every((value) => value === 0)).toBe(false) // '…' is not ASCII, hence a word
    expect(embedWords(' !? ').every((value) => value === 0)).toBe(true)
  })
})
