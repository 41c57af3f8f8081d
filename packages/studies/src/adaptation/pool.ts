// What a pretraining is made of, as plain data, and its shards built from that.
import type { Core } from '@trimtab/core'
import {
  type BaseLearnerChoice,
  createBaseLearner,
  createMetaLearner,
  type MetaOptions,
  PRETRAINING,
  PretrainingShard,
  pairsOfShard,
} from '@trimtab/learn'
import type { ControlTask } from '@trimtab/tasks'

/** Shards of every pool: part of what decides the result, unlike the number of workers. */
export const SHARDS = 4

/** A pretraining, as plain data: what a worker rebuilds its shards from, and what a checkpoint is recognised by. */
export interface PoolSetup {
  /** What `loadTask` takes: a name, or the URL of a module. */
  readonly task: string
  /** Number of the first pair; the pool has `pairs` of them. */
  readonly first: number
  readonly pairs: number
  /** Rounds over the pool, an episode of each pair each. */
  readonly rounds: number
  readonly meta: MetaOptions
  readonly seed: number
}

/** The name of a pair by its number. */
export const pairName = (number: number): string => `pair-${number}`

/** The task's base learner as it learns from many pairs: larger batches, a replay for each, a price on saturated actions. */
export function sharedLearner(
  { baseLearner: base, episodeSteps }: Pick<ControlTask, 'baseLearner' | 'episodeSteps'>,
  setup: Pick<PoolSetup, 'pairs' | 'rounds'>,
): BaseLearnerChoice {
  const episodes = Math.max(1, Math.ceil((setup.pairs / SHARDS) * setup.rounds))
  const sharing: Readonly<Record<string, BaseLearnerChoice['options']>> = {
    ddpg: {
      batchSize: 256,
      capacity: 2000,
      saturationPenalty: 0.05,
      noise: {
        process: { kind: 'gaussian', deviation: 1 },
        schedule: { kind: 'episodes', from: 0.3, to: 0.05, episodes },
      },
    },
    dqn: { batchSize: 256, capacity: 2000, epsilon: { from: 0.3, to: 0.05, steps: episodes * episodeSteps } },
    ppo: { rolloutSteps: episodeSteps, miniBatchSize: 256 },
  }
  return { ...base, options: { ...base.options, ...sharing[base.algorithm] } }
}

/**
 * A shard of the pool, the same wherever it is built.
 * @throws {ConfigError} `config_invalid`
 * @example
 * const host = new LocalShards(SHARDS, (shard) => createShard(core, task, setup, shard))
 */
export function createShard(
  core: Core,
  task: ControlTask,
  setup: PoolSetup,
  shard: number,
  shards: number = SHARDS,
): PretrainingShard {
  const specs = task.pool(core, setup.first, setup.pairs)
  const own = pairsOfShard(setup.pairs, shard, shards)
  const { observation, action } = task
  const pairsPerUpdate = Math.min(PRETRAINING.pairsPerUpdate, own.length)
  const agent = createBaseLearner(core, {
    ...{ task: task.name, base: sharedLearner(task, setup), observation, action },
    contextSize: setup.meta.dense.at(-1)!,
    partitions: own.length,
    maxGroups: pairsPerUpdate,
    seed: setup.seed, // all shards start from the same networks; what they draw differs by the shard's own stream
  })
  const meta = createMetaLearner(core, { options: setup.meta, maxContexts: pairsPerUpdate, seed: setup.seed })
  meta.registerBaseLearner(task.name, { kind: 'rl', observation, action })
  const pairs = own.map((i) => ({
    name: pairName(setup.first + i),
    environment: task.environment(core, specs[i]),
  }))
  const options = { ...PRETRAINING, pairsPerUpdate }
  return new PretrainingShard(core, { agent, meta, pairs, options, seed: setup.seed * SHARDS + shard })
}
