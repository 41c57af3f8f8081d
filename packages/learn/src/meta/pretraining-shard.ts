import {
  byteTensor,
  type Core,
  doubleTensor,
  type Environment,
  Problems,
  Random,
  type Tensor,
  TensorReader,
} from '@trimtab/core'
import type { Context } from '@trimtab/core/internal'
import { drawAction } from '../episode/draw-action.js'
import { type EpisodeSummary, HOLD } from '../episode/pilot.js'
import { runEpisode } from '../episode/run-episode.js'
import type { SharedAgent } from '../shared-agent.js'
import type { MetaLearner } from './meta-learner.js'
import { addPrefix, withPrefix } from './tensors.js'
import { TrajectoryRecorder } from './trajectory.js'

/** How much is run and learned in a round. */
export interface PretrainingOptions {
  /** Pairs that one update mixes, in equal shares of the batch. */
  readonly pairsPerUpdate: number
  /** Updates for each episode that was run. An on-policy learner learns from each pair's episode once. */
  readonly updatesPerEpisode: number
  /** The first so many episodes of each pair are random throughout: contexts that tell something. */
  readonly randomEpisodes: number
  /** Share of random actions ever after; an on-policy learner makes none. */
  readonly randomActions: number
}

/** The recipe of the experiments: half of the gain comes from exploration in the contexts. */
export const PRETRAINING: PretrainingOptions = {
  pairsPerUpdate: 8,
  updatesPerEpisode: 8,
  randomEpisodes: 2,
  randomActions: 0.1,
}

/** A pair of the pool as a shard sees it. */
export interface PoolPair {
  /** Unique in the pool. */
  readonly name: string
  readonly environment: Environment
  /** An embedding that is given instead of learned (true parameters, zeros); needed without a meta learner. */
  readonly embedding?: Float32Array
}

/** One shard of a pretraining: its pairs and who learns from them. */
export interface ShardSetup {
  /** Its partitions are the pairs, in order. */
  readonly agent: SharedAgent
  /** None: the pairs' given embeddings are used. */
  readonly meta?: MetaLearner
  readonly pairs: readonly PoolPair[]
  readonly options: PretrainingOptions
  readonly seed: number
}

/** What one round did. */
export interface RoundReport {
  /** Mean reward a step over the round's episodes, exploration included. */
  readonly reward: number
  readonly episodes: number
  readonly updates: number
  readonly skipped: number
}

const STREAM = 0x73686172

/**
 * A part of the pool with a whole copy of base learner and encoder: rolls out its pairs and learns from them alone. Between
 * rounds what all shards learned is averaged, so that the result does not depend on where a shard runs.
 */
export class PretrainingShard {
  readonly #setup: ShardSetup
  readonly #random: Random
  readonly #recorder = new TrajectoryRecorder()
  /** Of each pair, what its last episode was acted in; on-policy only. */
  readonly #contexts: Context[] = []
  #rounds = 0

  /** @throws {ConfigError} `config_invalid`: an option that there is not */
  constructor(core: Core, setup: ShardSetup) {
    const problems = new Problems()
    problems.checkKeys(setup.options, Object.keys(PRETRAINING), 'options')
    problems.throwIfAny('pretraining')
    this.#setup = setup
    this.#random = new Random(core, setup.seed, STREAM)
  }

  /** One episode of each pair, then the updates that these are worth. */
  round(): RoundReport {
    const { pairs, options } = this.#setup
    const isRandom = this.#rounds < options.randomEpisodes
    let reward = 0
    let steps = 0
    for (const [partition, pair] of pairs.entries()) {
      const episode = this.#rollOut(pair, partition, isRandom)
      reward += episode.reward
      steps += episode.steps
    }
    this.#rounds++
    const { updates, skipped } = this.#setup.agent.isOnPolicy
      ? this.#learnOnPolicy()
      : this.#learn(pairs.length * options.updatesPerEpisode)
    return { reward: reward / steps, episodes: pairs.length, updates, skipped }
  }

  /** What averaging works on: networks and moments of base learner and encoder. */
  learned(): Tensor[] {
    const { agent, meta } = this.#setup
    return [...addPrefix(agent.learned(), 'agent.'), ...addPrefix(meta?.learned() ?? [], 'meta.')]
  }

  /** Replaces what its agent and its encoder learned: the mean of all shards. */
  setLearned(tensors: readonly Tensor[]): void {
    const { agent, meta } = this.#setup
    agent.setLearned(withPrefix(tensors, 'agent.'))
    meta?.setLearned(withPrefix(tensors, 'meta.'))
  }

  /** Everything an exact resume needs, the learner's own replay included. */
  save(): Tensor[] {
    const { agent, meta } = this.#setup
    return [
      byteTensor('shard.agent', agent.save()),
      ...addPrefix(meta?.save() ?? [], 'meta.'),
      byteTensor('shard.random', this.#random.save()),
      doubleTensor('shard.rounds', [this.#rounds]),
    ]
  }

  /** Continues where `save` was called, in a shard of the same setup. @throws {FormatError} what its parts refuse */
  load(tensors: readonly Tensor[]): void {
    const { agent, meta, pairs } = this.#setup
    const reader = new TensorReader(tensors)
    const random = reader.bytes('shard.random', this.#random.save().length)
    const [rounds] = reader.doubles('shard.rounds', 1)
    agent.load(tensors.find(({ name }) => name === 'shard.agent')?.bytes ?? new Uint8Array())
    meta?.load(
      withPrefix(tensors, 'meta.'),
      pairs.map(({ name }) => name),
    )
    this.#random.load(random)
    this.#rounds = rounds!
  }

  /** z [Z] of each pair, from all that is kept of it. */
  embeddings(): Float32Array[] {
    return this.#setup.pairs.map((pair) => this.#embedding(pair))
  }

  /** Frees what the shard itself made; agent, meta learner and environments are the maker's. */
  dispose(): void {
    this.#random.dispose()
  }

  #rollOut(pair: PoolPair, partition: number, isRandom: boolean): EpisodeSummary {
    const { agent, meta, options } = this.#setup
    const randomActions = agent.isOnPolicy ? 0 : options.randomActions
    const isForeign = isRandom && agent.isOnPolicy === true
    agent.setContext(agent.isOnPolicy ? this.#drawEmbedding(pair, partition) : this.#embedding(pair))
    const episode = runEpisode(
      pair.environment,
      {
        stage: 'online',
        rule: HOLD,
        decide: (observation, action) => {
          if (isRandom || this.#random.uniform() < randomActions) {
            drawAction(pair.environment.action, this.#random, action)
          } else agent.explore(observation, action, partition)
          return 'agent'
        },
        observe: (transition) => {
          if (!isForeign) agent.observe(transition, partition)
          this.#recorder.add(transition.observation, transition.action, transition.reward)
        },
        endEpisode() {},
      },
      { seed: this.#random.integer(2 ** 31 - 1) },
    )
    agent.endEpisode(partition)
    const trajectory = this.#recorder.take(isRandom)
    meta?.insertTrajectories([trajectory], pair.name)
    return episode
  }

  /** z [Z] of a context as updates draw them, which is kept: an on-policy learner is updated in the context that it acted in. */
  #drawEmbedding(pair: PoolPair, partition: number): Float32Array {
    const { agent, meta } = this.#setup
    if (!meta?.isMetaUpdating) return this.#embedding(pair)
    const [context] = meta.drawContexts([pair.name], this.#random)
    this.#contexts[partition] = context!
    const z = new Float32Array(agent.contextSize)
    meta.encoder.encode([context!], z)
    return z
  }

  /** Every pair's episode once, in random company. */
  #learnOnPolicy(): { updates: number; skipped: number } {
    const { agent, meta, pairs, options } = this.#setup
    const order = Int32Array.from(pairs.keys())
    for (let i = order.length - 1; i > 0; i--) {
      const j = this.#random.integer(i + 1)
      ;[order[i], order[j]] = [order[j]!, order[i]!]
    }
    let report = { updates: 0, skipped: 0 }
    for (let from = 0; from < order.length; from += options.pairsPerUpdate) {
      const chosen = order.slice(from, from + options.pairsPerUpdate)
      const learnsMeta = meta?.isMetaUpdating === true
      report = learnsMeta
        ? agent.updatePairs(
            chosen,
            Array.from(chosen, (partition) => this.#contexts[partition]!),
            meta.encoder,
          )
        : agent.updatePairs(chosen, concatenate(Array.from(chosen, (partition) => this.#embedding(pairs[partition]!))))
    }
    return report
  }

  #learn(count: number): { updates: number; skipped: number } {
    const { agent, meta, pairs, options } = this.#setup
    const partitions = new Int32Array(options.pairsPerUpdate)
    let report = { updates: 0, skipped: 0 }
    for (let i = 0; i < count; i++) {
      this.#drawPartitions(partitions)
      const chosen = Array.from(partitions, (partition) => pairs[partition]!)
      if (meta?.isMetaUpdating) {
        const contexts = meta.drawContexts(
          chosen.map(({ name }) => name),
          this.#random,
        )
        report = agent.updatePairs(partitions, contexts, meta.encoder)
      } else {
        report = agent.updatePairs(partitions, concatenate(chosen.map((pair) => this.#embedding(pair))))
      }
    }
    return report
  }

  #embedding({ name, embedding }: PoolPair): Float32Array {
    return embedding ?? this.#setup.meta!.getEmbedding(name)
  }

  /** Without repetition as long as there are enough pairs. */
  #drawPartitions(out: Int32Array): void {
    const n = this.#setup.pairs.length
    for (let i = 0; i < out.length; i++) {
      do out[i] = this.#random.integer(n)
      while (i < n && out.subarray(0, i).includes(out[i]!))
    }
  }
}

function concatenate(rows: readonly Float32Array[]): Float32Array {
  const width = rows[0]!.length
  const out = new Float32Array(rows.length * width)
  for (const [i, row] of rows.entries()) out.set(row, i * width)
  return out
}
