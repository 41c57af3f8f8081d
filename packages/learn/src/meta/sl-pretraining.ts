import { ConfigError, type Core, Problems, Random } from '@trimtab/core'
import type { Context } from '@trimtab/core/internal'
import type { Regressor } from '../regressor.js'
import { NULL_CONTEXT } from './context-buffer.js'
import type { MetaLearner } from './meta-learner.js'
import { type Samples, type SlShapes, sampleColumns, toSampleRows } from './samples.js'

/** How samples of several pairs are mixed into contexts and rows. */
export interface SlPretrainingOptions {
  /** Pairs that one step mixes. */
  readonly pairsPerUpdate: number
  /** Samples of each that are predicted; the learner's batch holds `pairsPerUpdate` times as many. */
  readonly rowsPerPair: number
  /** Samples that a context is made of: a number between the two is drawn each time. */
  readonly contextSamples: readonly [fewest: number, most: number]
}

/** A supervised learner, its encoder and the pool. */
export interface SlPretrainingSetup {
  /** With `contextSize` of the meta learner's embedding and `maxGroups` of at least `pairsPerUpdate`. */
  readonly learner: Regressor
  /** Has registered the learner, of kind `sl`. */
  readonly meta: MetaLearner
  readonly shapes: SlShapes
  /** All that is known of each pair of the pool. */
  readonly pairs: readonly Samples[]
  readonly options: SlPretrainingOptions
  readonly seed: number
}

const STREAM = 0x736c7072

/**
 * Trains a regressor and the meta learner together over a pool of pairs (5.6.1): some samples of a pair become its context, others
 * are predicted under it, so that no label is its own explanation.
 *
 * F: features, L: labels.
 *
 * @example
 * const pretraining = new SlPretraining(core, { learner, meta, shapes, pairs, options, seed: 1 })
 * for (let i = 0; i < 2000; i++) pretraining.update()
 * meta.toggleMetaUpdate(false)
 * meta.insertSamples(fewOfANewPair)
 * learner.setContext(meta.getEmbedding())
 */
export class SlPretraining {
  readonly #setup: SlPretrainingSetup
  readonly #random: Random
  /** [x, y] of each pair [n, F + L]. */
  readonly #rows: readonly Float32Array[]

  /** @throws {ConfigError} `config_invalid`, and what `toSampleRows` refuses */
  constructor(core: Core, setup: SlPretrainingSetup) {
    const { pairs, options, shapes } = setup
    const { pairsPerUpdate, rowsPerPair, contextSamples } = options
    const problems = new Problems()
    for (const [name, count] of Object.entries({
      pairsPerUpdate,
      rowsPerPair,
      'contextSamples[0]': contextSamples[0],
    })) {
      problems.check(Number.isInteger(count) && count >= 1, `options.${name} must be a whole number ≥ 1, got ${count}`)
    }
    problems.check(contextSamples[1] >= contextSamples[0], `options.contextSamples must ascend, got ${contextSamples}`)
    problems.check(pairs.length > 0, 'pairs must hold at least one')
    problems.throwIfAny('SlPretraining')
    this.#rows = pairs.map((samples) => toSampleRows(samples, shapes))
    const small = this.#rows.findIndex((rows) => rows.length / sampleColumns(shapes) <= contextSamples[1])
    if (small >= 0) {
      throw new ConfigError(
        'config_invalid',
        `pairs[${small}] must hold more than contextSamples[1] = ${contextSamples[1]} samples: some are to be predicted`,
      )
    }
    this.#setup = setup
    this.#random = new Random(core, setup.seed, STREAM)
  }

  /** One step of the learner and, while meta updates are on, of the encoder; both or none. */
  update(): void {
    const { learner, meta, shapes, options } = this.#setup
    const { pairsPerUpdate: G, rowsPerPair: n } = options
    const x = new Float32Array(G * n * shapes.features)
    const y = new Float32Array(G * n * shapes.labels)
    const contexts = Array.from({ length: G }, (_, g) => this.#draw(g, x, y))
    const groupOf = Int32Array.from({ length: G * n }, (_, i) => Math.floor(i / n))
    if (meta.isMetaUpdating) {
      learner.learn(x, y, { groupOf, contexts, encoder: meta.encoder })
      return
    }
    const embeddings = new Float32Array(G * meta.embeddingSize)
    meta.encoder.encode(contexts, embeddings)
    learner.learn(x, y, { groupOf, contexts: embeddings })
  }

  /** May be called twice. */
  dispose(): void {
    this.#random.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  /** Draws a pair, its context, and the rows of group g. */
  #draw(g: number, x: Float32Array, y: Float32Array): Context {
    const { shapes, options, meta } = this.#setup
    const random = this.#random
    const rows = this.#rows[random.integer(this.#rows.length)]!
    const columns = sampleColumns(shapes)
    const order = Array.from({ length: rows.length / columns }, (_, i) => i)
    const [fewest, most] = options.contextSamples
    const size = fewest + random.integer(most - fewest + 1)
    for (let i = 0; i < size; i++) {
      const j = i + random.integer(order.length - i)
      const one = order[i]!
      order[i] = order[j]!
      order[j] = one
    }
    const F = shapes.features
    for (let i = 0; i < options.rowsPerPair; i++) {
      const from = order[size + random.integer(order.length - size)]! * columns
      const to = g * options.rowsPerPair + i
      x.set(rows.subarray(from, from + F), to * F)
      y.set(rows.subarray(from + F, from + columns), to * shapes.labels)
    }
    if (random.uniform() < meta.options.nullShare) return NULL_CONTEXT
    const steps = new Float32Array(size * columns)
    for (let i = 0; i < size; i++) steps.set(rows.subarray(order[i]! * columns, (order[i]! + 1) * columns), i * columns)
    return { steps, lengths: Int32Array.of(size) }
  }
}
