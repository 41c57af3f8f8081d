import {
  type Bytes,
  type Core,
  doubleTensor,
  FormatError,
  floatTensor,
  readSafetensors,
  type Space,
  STATE_VERSION,
  type Tensor,
  TensorReader,
  writeSafetensors,
} from '@trimtab/core'
import { spaceFromText, spaceToText } from '../policy-file.js'
import type { SharedAgent } from '../shared-agent.js'
import { type BaseLearnerChoice, createBaseLearner, fineTuning } from './base-learner.js'
import { learnedCounts } from './learned-shapes.js'
import { createMetaLearner, type MetaLearner } from './meta-learner.js'
import type { MetaOptions } from './presets.js'
import { CostForecast, type CostSample, type Distance, distanceFrom, type Forecast } from './similarity.js'
import { addPrefix, coreTensors, withPrefix } from './tensors.js'

const FORMAT = 'trimtab-pretrained'
const FORMAT_VERSION = '1'

/** What a pretrained model says about itself. */
export interface PretrainedHeader {
  readonly task: string
  readonly base: BaseLearnerChoice
  readonly meta: MetaOptions
  readonly observation: Space
  readonly action: Space
  readonly seed: number
  /** Rounds of pretraining, one episode of every pair each. */
  readonly rounds: number
  /** Free text: which applications and simulator taught it. */
  readonly trainingData: string
}

/** A pair of the pool as the finished encoder sees it. */
export interface PoolEmbedding {
  readonly name: string
  /** [Z] */
  readonly z: Float32Array
}

/** All that a pretrained model is saved from. */
export interface PretrainedParts {
  readonly header: PretrainedHeader
  /** What `Pretraining.learned` holds. */
  readonly learned: readonly Tensor[]
  readonly pool: readonly PoolEmbedding[]
  /** What serving one pair by another's embedding was seen to cost: a share of the reward, and episodes to make it good. */
  readonly drops: readonly CostSample[]
  readonly episodes: readonly CostSample[]
}

/** What adaptation is going to cost, before it is done (5.6.3). */
export interface CostEstimate {
  /** Share of the reward that is missing without adaptation. */
  readonly drop: Forecast
  /** Episodes until the reward is back. */
  readonly episodes: Forecast
}

/**
 * A pretrained base learner with its meta learner and the pool's embeddings: one file, from which agents for new pairs start.
 *
 * @example
 * const model = readPretrained(bytes)
 * const agent = model.createAgent(core, { seed: 1 })
 * const meta = model.createMetaLearner(core)
 * meta.insertTrajectories([trajectory])
 * agent.setContext(meta.getEmbedding())
 */
export class PretrainedModel {
  readonly header: PretrainedHeader
  readonly pool: readonly PoolEmbedding[]
  readonly #parts: PretrainedParts

  /** Use `readPretrained`. */
  constructor(parts: PretrainedParts) {
    this.#parts = parts
    this.header = parts.header
    this.pool = parts.pool
  }

  /** A base learner that knows what the pool taught, set to fine-tune it for one new pair. @throws {FormatError} `tensor_missing`, `tensor_mismatch` */
  createAgent(
    core: Core,
    setup: { readonly seed: number; readonly options?: BaseLearnerChoice['options'] },
  ): SharedAgent {
    const { task, base, observation, action } = this.header
    const tuned = fineTuning(base)
    const agent = createBaseLearner(core, {
      ...{ task, observation, action, seed: setup.seed, contextSize: this.embeddingSize },
      base: { ...tuned, options: { ...tuned.options, ...setup.options } },
    })
    this.teach(agent)
    return agent
  }

  /** Gives an agent of the same networks what the pool taught. @throws {FormatError} `tensor_missing`, `tensor_mismatch`; nothing changed */
  teach(agent: Pick<SharedAgent, 'setLearned'>): void {
    agent.setLearned(withPrefix(this.#parts.learned, 'agent.'))
  }

  /** Z */
  get embeddingSize(): number {
    return this.header.meta.dense.at(-1)!
  }

  /** The frozen encoder with empty buffers. @throws {FormatError} `tensor_missing`, `tensor_mismatch` */
  createMetaLearner(core: Core): MetaLearner {
    const { task, meta, observation, action, seed } = this.header
    const learner = createMetaLearner(core, { options: meta, maxContexts: 1, seed })
    learner.registerBaseLearner(task, { kind: 'rl', observation, action })
    learner.setLearned(withPrefix(this.#parts.learned, 'meta.'))
    learner.toggleMetaUpdate(false)
    return learner
  }

  /** How far z [Z] lies from everything that was pretrained on. */
  distanceOf(z: Float32Array): Distance {
    return distanceFrom(
      this.pool.map((pair) => pair.z),
      z,
    )
  }

  /** What serving a pair at this similarity costs, as the pool's own pairs showed; undefined where too few were measured. */
  estimateAt(similarity: number): CostEstimate | undefined {
    const { drops, episodes } = this.#parts
    if (drops.length < 4 || episodes.length < 4) return undefined
    return { drop: new CostForecast(drops).at(similarity), episodes: new CostForecast(episodes).at(similarity) }
  }

  /** The same model gives the same bytes. */
  save(): Uint8Array {
    return writePretrained(this.#parts)
  }
}

/** The same parts give the same bytes. */
export function writePretrained({ header, learned, pool, drops, episodes }: PretrainedParts): Uint8Array {
  const size = header.meta.dense.at(-1)!
  const embeddings = new Float32Array(pool.length * size)
  for (const [i, { z }] of pool.entries()) embeddings.set(z, i * size)
  const flat = (samples: readonly CostSample[]): number[] =>
    samples.flatMap(({ similarity, cost }) => [similarity, cost])
  return writeSafetensors(
    [
      ...addPrefix(learned, 'learned.'),
      floatTensor('pool.embeddings', [pool.length, size], embeddings),
      doubleTensor('forecast.drops', flat(drops)),
      doubleTensor('forecast.episodes', flat(episodes)),
    ],
    {
      format: FORMAT,
      formatVersion: FORMAT_VERSION,
      coreAbi: String(STATE_VERSION),
      task: header.task,
      base: JSON.stringify(header.base),
      meta: JSON.stringify(header.meta),
      observation: spaceToText(header.observation),
      action: spaceToText(header.action),
      seed: String(header.seed),
      rounds: String(header.rounds),
      pool: JSON.stringify(pool.map(({ name }) => name)),
      drops: String(drops.length),
      episodes: String(episodes.length),
      trainingData: header.trainingData,
    },
  )
}

/**
 * Reads a pretrained model; nothing of it is trusted until all of it was checked. Its networks' shapes are compared with the
 * tensors of the file, so that what is laid out for them later is no larger than the file says with reason.
 * @throws {FormatError} those of `readSafetensors`; `pretrained_invalid`, `policy_header_invalid`, `tensor_missing`, `tensor_mismatch`,
 *   `tensor_not_finite`
 */
export function readPretrained(bytes: Bytes): PretrainedModel {
  const { tensors: stored, metadata } = readSafetensors(bytes)
  const text = (key: string): string => metadata.get(key) ?? invalid(`its header has no ${key}`)
  if (metadata.get('format') !== FORMAT) invalid(`it is not marked "${FORMAT}"`)
  for (const [key, wanted] of [
    ['formatVersion', FORMAT_VERSION],
    ['coreAbi', String(STATE_VERSION)],
  ] as const) {
    if (text(key) !== wanted) invalid(`its ${key} is ${text(key)}, this version reads ${wanted}: pretrain again`)
  }
  const json = (key: string): unknown => {
    try {
      return JSON.parse(text(key))
    } catch {
      return invalid(`its ${key} is not JSON`)
    }
  }
  const count = (key: string): number => {
    const value = Number(text(key))
    return Number.isSafeInteger(value) && value >= 0 ? value : invalid(`its ${key} is ${text(key)}`)
  }
  const names = json('pool')
  const meta = json('meta') as MetaOptions
  const base = json('base') as BaseLearnerChoice
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) return invalid('its pool has no names')
  if (typeof meta !== 'object' || meta === null || typeof base?.algorithm !== 'string') {
    return invalid('its networks are not described')
  }
  const observation = spaceFromText('observation', text('observation'))
  const action = spaceFromText('action', text('action'))
  const counts = learnedCounts({ base, meta, observation, action }, invalid)
  const tensors = coreTensors(stored)
  const reader = new TensorReader(tensors)
  for (const [name, count] of counts) reader.requireShape(`learned.${name}`, 'F32', [count])
  for (const part of ['agent', 'meta.encoder']) reader.requireShape(`learned.${part}.updates`, 'U32', [1])
  const size = meta.dense.at(-1)!
  const embeddings = reader.floats('pool.embeddings', [names.length, size])
  const samples = (key: 'drops' | 'episodes'): CostSample[] => {
    const flat = reader.doubles(`forecast.${key}`, 2 * count(key))
    return Array.from({ length: flat.length / 2 }, (_, i) => ({ similarity: flat[2 * i]!, cost: flat[2 * i + 1]! }))
  }
  return new PretrainedModel({
    header: {
      task: text('task'),
      base,
      meta,
      observation,
      action,
      seed: count('seed'),
      rounds: count('rounds'),
      trainingData: text('trainingData'),
    },
    learned: withPrefix(tensors, 'learned.'),
    pool: names.map((name, i) => ({ name, z: embeddings.slice(i * size, (i + 1) * size) })),
    drops: samples('drops'),
    episodes: samples('episodes'),
  })
}

function invalid(what: string): never {
  throw new FormatError('pretrained_invalid', `this is no pretrained model that can be used: ${what}`)
}
