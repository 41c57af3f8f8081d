import { Problems } from '@trimtab/core'
import { SimilarityIndex } from '@trimtab/core/internal'
import type { ServeCore } from '@trimtab/core/serve'
import { whenReady } from '../maybe-async.js'
import { embedWords, WORD_EMBEDDING_WIDTH } from './embedding.js'

/** From here on two prompts are one, and their lengths are averaged. */
const SAME = 0.999
/** Older lengths of one prompt fade at this rate: temperature makes them differ, new versions make them drift. */
const MOST_COUNTED = 8

/** A model that rows belong to. */
interface Model {
  readonly name: string
  readonly group: number
  rows: number
}

/**
 * Turns a text into a vector of always the same width, at once or later. Its length does not matter: cosines are compared.
 */
export type Embed = (text: string) => ArrayLike<number> | PromiseLike<ArrayLike<number>>

/** How much a cache holds and when a prompt counts as known. */
export interface SemanticCacheOptions {
  /** Prompts held; the one that was of no use for longest makes room. 1,024 unless told: 1 MB. */
  readonly capacity?: number
  /** How similar a prompt must be to count as known: cosine of the embeddings. 0.8 unless told (6.3.5). */
  readonly threshold?: number
  /** Turns a text into a vector; `embedWords` unless told. */
  readonly embed?: { readonly width: number; readonly of: Embed }
}

/** A length that a similar prompt took. */
export interface CachedLength {
  readonly tokens: number
  /** Of the two prompts, threshold … 1. */
  readonly similarity: number
}

/**
 * Lengths of prompts that were answered before, found by similarity. What one model took says nothing of another: each model
 * sees its own prompts only. Bounded over all models together.
 *
 * Source: dissertation 6.3.3 ("Use of Semantic Cache"), 6.3.5.
 *
 * @example
 * const cache = new SemanticCache(core)
 * cache.learn('llama', 'Write a haiku about rain.', 24)
 * cache.find('llama', 'Write a haiku about the rain') // { tokens: 24, similarity: 0.87 }
 */
export class SemanticCache {
  readonly capacity: number
  readonly threshold: number
  readonly #index: SimilarityIndex
  readonly #embed: Embed
  /** [capacity] */
  readonly #tokens: Float64Array
  readonly #counts: Uint8Array
  /** When each row was last of use; 0: it is empty. */
  readonly #lastUse: Float64Array
  readonly #models: (Model | undefined)[]
  readonly #modelsByName = new Map<string, Model>()
  #uses = 0
  #groups = 0
  #size = 0

  /** @throws {ConfigError} `config_invalid` */
  constructor(core: ServeCore, options: SemanticCacheOptions = {}) {
    const { capacity = 1024, threshold = 0.8, embed = { width: WORD_EMBEDDING_WIDTH, of: embedWords } } = options
    const problems = new Problems()
    problems.check(Number.isInteger(capacity) && capacity > 0, `capacity must be a count above 0, got ${capacity}`)
    problems.check(threshold > 0 && threshold <= 1, `threshold must be above 0 and at most 1, got ${threshold}`)
    problems.throwIfAny('cache')
    this.capacity = capacity
    this.threshold = threshold
    this.#embed = embed.of
    this.#index = new SimilarityIndex(core, capacity, embed.width)
    this.#tokens = new Float64Array(capacity)
    this.#counts = new Uint8Array(capacity)
    this.#lastUse = new Float64Array(capacity)
    this.#models = new Array(capacity)
  }

  /** Prompts held. */
  get size(): number {
    return this.#size
  }

  /**
   * What the most similar prompt of this model took; undefined when none is similar enough. A promise where `embed` gives one.
   * @throws {ConfigError} `size_mismatch`, `not_finite` (what `embed` gave)
   */
  find(model: string, prompt: string): CachedLength | undefined | Promise<CachedLength | undefined> {
    if (!this.#modelsByName.has(model)) return undefined
    return whenReady(this.#embed(prompt), (vector) => {
      const group = this.#modelsByName.get(model)?.group
      const nearest = group === undefined ? undefined : this.#index.nearest(group, vector)
      if (!nearest || nearest.similarity < this.threshold) return undefined
      this.#lastUse[nearest.row] = ++this.#uses
      return { tokens: this.#tokens[nearest.row]!, similarity: nearest.similarity }
    })
  }

  /**
   * Remembers what a prompt took. A promise where `embed` gives one.
   * @throws {ConfigError} `config_invalid` (tokens), `size_mismatch`, `not_finite` (what `embed` gave)
   */
  learn(model: string, prompt: string, tokens: number): void | Promise<void> {
    const problems = new Problems()
    problems.check(tokens >= 0 && Number.isFinite(tokens), `tokens must be a number ≥ 0, got ${tokens}`)
    problems.throwIfAny('cache')
    return whenReady(this.#embed(prompt), (vector) => {
      const known = this.#modelsByName.get(model)
      const nearest = known && this.#index.nearest(known.group, vector)
      if (nearest && nearest.similarity >= SAME) this.#average(nearest.row, tokens)
      else this.#insert(model, vector, tokens)
    })
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#index.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #average(row: number, tokens: number): void {
    const count = Math.min(this.#counts[row]! + 1, MOST_COUNTED)
    this.#counts[row] = count
    this.#tokens[row]! += (tokens - this.#tokens[row]!) / count
    this.#lastUse[row] = ++this.#uses
  }

  #insert(name: string, vector: ArrayLike<number>, tokens: number): void {
    const row = this.#leastUseful()
    const model = this.#modelsByName.get(name) ?? { name, group: this.#groups++, rows: 0 }
    this.#index.set(row, model.group, vector)
    this.#evict(row)
    if (model.rows++ === 0) this.#modelsByName.set(name, model)
    this.#models[row] = model
    this.#tokens[row] = tokens
    this.#counts[row] = 1
    this.#lastUse[row] = ++this.#uses
    this.#size++
  }

  #leastUseful(): number {
    let row = 0
    for (let i = 1; i < this.capacity; i++) if (this.#lastUse[i]! < this.#lastUse[row]!) row = i
    return row
  }

  /** A model without rows is forgotten: names come from outside and may be any. */
  #evict(row: number): void {
    const model = this.#models[row]
    if (!model) return
    this.#size--
    if (--model.rows === 0) this.#modelsByName.delete(model.name)
  }
}
