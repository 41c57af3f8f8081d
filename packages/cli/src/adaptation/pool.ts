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
import { findTask } from '@trimtab/tasks'

/** Shards of every pool: part of what decides the result, unlike the number of workers. */
export const SHARDS = 4

export interface PoolSetup {
  readonly task: string
  /** Number of the first pair; the pool has `pairs` of them. */
  readonly first: number
  readonly pairs: number
  readonly rounds: number
  readonly meta: MetaOptions
  readonly seed: number
}

export const pairName = (number: number): string => `pair-${number}`

/** The task's base learner as it learns from many pairs: larger batches, a replay for each, a price on saturated actions. */
export function sharedLearner(setup: Pick<PoolSetup, 'task' | 'pairs' | 'rounds'>): BaseLearnerChoice {
  const { baseLearner: base, episodeSteps } = findTask(setup.task)
  const episodes = Math.max(1, Math.ceil((setup.pairs / SHARDS) * setup.rounds))
  const sharing: Readonly<Record<typeof base.algorithm, BaseLearnerChoice['options']>> = {
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

/** A shard of the pool, the same wherever it is built. */
export function createShard(core: Core, setup: PoolSetup, shard: number, shards: number): PretrainingShard {
  const task = findTask(setup.task)
  const specs = task.pool(core, setup.first, setup.pairs)
  const own = pairsOfShard(setup.pairs, shard, shards)
  const { observation, action } = task
  const pairsPerUpdate = Math.min(PRETRAINING.pairsPerUpdate, own.length)
  const agent = createBaseLearner(core, {
    ...{ task: setup.task, base: sharedLearner(setup), observation, action },
    contextSize: setup.meta.dense.at(-1)!,
    partitions: own.length,
    maxGroups: pairsPerUpdate,
    seed: setup.seed, // all shards start from the same networks; what they draw differs by the shard's own stream
  })
  const meta = createMetaLearner(core, { options: setup.meta, maxContexts: pairsPerUpdate, seed: setup.seed })
  meta.registerBaseLearner(setup.task, { kind: 'rl', observation, action })
  const pairs = own.map((i) => ({
    name: pairName(setup.first + i),
    environment: task.environment(core, specs[i]),
  }))
  const options = { ...PRETRAINING, pairsPerUpdate }
  return new PretrainingShard(core, { agent, meta, pairs, options, seed: setup.seed * SHARDS + shard })
}
