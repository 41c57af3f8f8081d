import { whenReady } from '../maybe-async.js'
import type { LengthEstimator, LengthPrediction, LengthRequest } from '../predict/index.js'
import type { CachedLength, SemanticCache } from './semantic-cache.js'

/** Borders of the five classes where the estimator knows none: those that `LengthPredictor` starts from. */
const USUAL_BORDERS: ArrayLike<number> = [64, 192, 448, 1536]

/** An estimator that can say where a model's classes begin: [4] tokens. `LengthPredictor` can. */
export interface BorderedEstimator extends LengthEstimator {
  /** Upper borders [4] of a model's first four length classes, in tokens. */
  borders?(model: string): ArrayLike<number>
}

/**
 * An estimator with a semantic cache before it: what a similar prompt of the same model took is what this one will take;
 * the estimator is asked where none is similar. Both learn from every finished request. A cache that fails (an embedding
 * model that cannot be reached) costs nothing but its hits.
 *
 * Source: dissertation 6.3.3, "Use of Semantic Cache".
 *
 * @example
 * const predictor = LengthPredictor.load(core, defaultLengthWeights())
 * const estimator = new CachedPredictor(new SemanticCache(core), predictor)
 * const scheduler = new Scheduler({ core, concurrency: 8, estimator })
 */
export class CachedPredictor implements LengthEstimator {
  readonly #cache: SemanticCache
  readonly #estimator: BorderedEstimator
  #hits = 0
  #misses = 0
  #errors = 0

  constructor(cache: SemanticCache, estimator: BorderedEstimator) {
    this.#cache = cache
    this.#estimator = estimator
  }

  /** Predictions that the cache gave. */
  get hits(): number {
    return this.#hits
  }

  /** Predictions that it did not give. */
  get misses(): number {
    return this.#misses
  }

  /** Times that the cache failed to look up or to learn. */
  get errors(): number {
    return this.#errors
  }

  /** The length of the nearest known prompt, or the estimator's word; a promise where either of them needs time. */
  predict(request: LengthRequest): LengthPrediction | Promise<LengthPrediction> {
    const answer = (hit: CachedLength | undefined): LengthPrediction | Promise<LengthPrediction> => {
      if (hit) return this.#predictionOf(request, hit)
      this.#misses++
      return this.#estimator.predict(request)
    }
    const found = this.#try(() => this.#cache.find(request.model, request.prompt))
    return whenReady(found, answer) as LengthPrediction | Promise<LengthPrediction>
  }

  observe(request: LengthRequest, outputTokens: number): void {
    this.#estimator.observe(request, outputTokens)
    this.#try(() => this.#cache.learn(request.model, request.prompt, outputTokens))
  }

  #predictionOf({ model, maxTokens = Number.POSITIVE_INFINITY }: LengthRequest, hit: CachedLength): LengthPrediction {
    this.#hits++
    const tokens = Math.min(hit.tokens, maxTokens)
    const borders = this.#estimator.borders?.(model) ?? USUAL_BORDERS
    const predictedClass = Array.from(borders).filter((border) => border <= tokens).length
    return { tokens, score: predictedClass, class: predictedClass, source: 'cache' }
  }

  /** The result, or undefined where there is none: now or later. */
  #try<T>(call: () => T | PromiseLike<T>): T | undefined | Promise<T | undefined> {
    const fail = (): undefined => {
      this.#errors++
    }
    try {
      const result = call()
      return result instanceof Promise ? result.catch(fail) : (result as T)
    } catch {
      return fail()
    }
  }
}
