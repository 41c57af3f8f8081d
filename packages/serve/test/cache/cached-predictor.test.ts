import { createServeCore, type ServeCore } from '@trimtab/core/serve'
import { beforeAll, describe, expect, it } from 'vitest'
import { CachedPredictor, type LengthEstimator, Scheduler, SemanticCache } from '../../src/index.js'
import { settled } from '../fake-clock.js'

let core: ServeCore
beforeAll(async () => {
  core = await createServeCore()
})

const PROMPT = 'List three colours of the rainbow.'

/** Holds everything 100 tokens long. */
const constant = (borders?: number[]): LengthEstimator & { readonly seen: number[] } => {
  const seen: number[] = []
  return {
    seen,
    predict: () => ({ tokens: 100, score: 1.2, class: 1, source: 'model' }),
    observe: (_, tokens) => seen.push(tokens),
    ...(borders && { borders: () => borders }),
  }
}

describe('a predictor with a cache before it', () => {
  it('answers from what a similar prompt took, and from the estimator otherwise', () => {
    using cache = new SemanticCache(core)
    const estimator = constant([10, 20, 30, 40])
    const predictor = new CachedPredictor(cache, estimator)
    const request = { model: 'm', prompt: PROMPT }
    expect(predictor.predict(request)).toEqual({ tokens: 100, score: 1.2, class: 1, source: 'model' })
    predictor.observe(request, 25)
    expect(estimator.seen).toEqual([25])
    expect(predictor.predict(request)).toEqual({ tokens: 25, score: 2, class: 2, source: 'cache' })
    expect(predictor.predict({ ...request, maxTokens: 9 })).toEqual({ tokens: 9, score: 0, class: 0, source: 'cache' })
    expect(predictor.predict({ ...request, model: 'other' })).toMatchObject({ source: 'model' })
    expect([predictor.hits, predictor.misses, predictor.errors]).toEqual([2, 2, 0])
  })

  it('puts a known length into the usual classes where the estimator names none', () => {
    using cache = new SemanticCache(core)
    const predictor = new CachedPredictor(cache, constant())
    const classOf = (tokens: number): unknown => {
      const request = { model: `m${tokens}`, prompt: PROMPT }
      predictor.observe(request, tokens)
      return predictor.predict(request)
    }
    expect([5, 64, 200, 500, 5000].map(classOf)).toMatchObject([0, 1, 2, 3, 4].map((each) => ({ class: each })))
  })

  it('goes on without a cache that fails, and counts', async () => {
    for (const of of [
      () => {
        throw new Error('no embedding')
      },
      () => Promise.reject(new Error('no embedding')),
    ]) {
      using cache = new SemanticCache(core, { embed: { width: 4, of } })
      const estimator = constant()
      const predictor = new CachedPredictor(cache, estimator)
      const request = { model: 'm', prompt: PROMPT }
      predictor.observe(request, 25)
      expect(await predictor.predict(request)).toMatchObject({ source: 'model' })
      await settled()
      expect(estimator.seen).toEqual([25])
      expect(predictor.errors).toBe(1) // nothing of the model is known, so nothing is looked up
    }
  })

  it('learns from the requests that a scheduler has finished', async () => {
    using cache = new SemanticCache(core)
    const estimator = new CachedPredictor(cache, constant())
    using scheduler = new Scheduler({ core, concurrency: 1, estimator })
    await scheduler.add((run) => run.reportTokens(7), { model: 'm', prompt: PROMPT })
    expect(estimator.predict({ model: 'm', prompt: 'list three colours of the rainbow' })).toMatchObject({ tokens: 7 })
  })
})
