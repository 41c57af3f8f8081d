// A whole pretraining: rounds over the pool, a checkpoint now and then, the finished model.
import { ConfigError, type Core, createCore, FormatError } from '@trimtab/core'
import {
  LocalShards,
  openPretraining,
  type PretrainedHeader,
  PretrainedModel,
  type Pretraining,
  pairsOfShard,
  type RoundReport,
  type ShardHost,
} from '@trimtab/learn'
import type { ControlTask } from '@trimtab/tasks'
import { measureCosts } from './costs.js'
import { createShard, type PoolSetup, pairName, SHARDS, sharedLearner } from './pool.js'

/** What a pretraining tells, and what it heeds. */
export interface PretrainHooks {
  /** What to go on from; its setup must be this one. */
  readonly checkpoint?: Uint8Array | undefined
  /** Called after each round, numbered from 1, and waited for before the next. */
  readonly onRound?: (report: RoundReport, round: number) => void | Promise<void>
  /** Called every few rounds with all that a later run needs. */
  readonly onCheckpoint?: (bytes: Uint8Array) => Promise<void>
  readonly signal?: AbortSignal
}

const CHECKPOINT_EVERY_ROUNDS = 5

/**
 * Pretrains base learner and encoder on a pool of a task (5.6.1). The result does not depend on where the shards live: in this
 * process (`LocalShards`), which is the default, or in threads (`WorkerShards` of `@trimtab/node` with `@trimtab/studies/jobs`).
 *
 * @throws {FormatError} `checkpoint_other_setup`; {ConfigError} `config_invalid`; the signal's reason
 * @example
 * const setup = { task: 'autoscaling', first: 200, pairs: 60, rounds: 40, meta: metaPresets.set, seed: 1 }
 * const model = await pretrain(findTask('autoscaling'), setup)
 * writeFileSync('autoscaling.safetensors', model.save())
 */
export async function pretrain(
  task: ControlTask,
  setup: PoolSetup,
  hooks: PretrainHooks & { readonly host?: ShardHost } = {},
): Promise<PretrainedModel> {
  if (!(Number.isInteger(setup.pairs) && setup.pairs >= SHARDS)) {
    throw new ConfigError('config_invalid', `pairs must be a whole number of at least ${SHARDS}, got ${setup.pairs}`)
  }
  const core = await createCore()
  if (hooks.host) return finish(core, task, await runRounds(hooks.host, setup, hooks), setup)
  using host = new LocalShards(SHARDS, (shard) => createShard(core, task, setup, shard))
  return finish(core, task, await runRounds(host, setup, hooks), setup)
}

async function runRounds(host: ShardHost, setup: PoolSetup, hooks: PretrainHooks): Promise<Pretraining> {
  const pretraining = await openPretraining(host)
  if (hooks.checkpoint) await pretraining.load(unpackCheckpoint(hooks.checkpoint, setup))
  while (pretraining.rounds < setup.rounds) {
    const report = await pretraining.round()
    await hooks.onRound?.(report, pretraining.rounds)
    if (hooks.onCheckpoint && pretraining.rounds % CHECKPOINT_EVERY_ROUNDS === 0)
      await hooks.onCheckpoint(packCheckpoint(await pretraining.save(), setup))
    hooks.signal?.throwIfAborted()
  }
  return pretraining
}

async function finish(
  core: Core,
  task: ControlTask,
  pretraining: Pretraining,
  setup: PoolSetup,
): Promise<PretrainedModel> {
  const { name, observation, action } = task
  const embeddings = await pretraining.embeddings()
  const order = Array.from({ length: SHARDS }, (_, shard) => pairsOfShard(setup.pairs, shard, SHARDS)).flat()
  const header: PretrainedHeader = {
    ...{ task: name, base: sharedLearner(task, setup), meta: setup.meta, observation, action },
    ...{ seed: setup.seed, rounds: setup.rounds },
    trainingData: `simulated pairs ${setup.first} to ${setup.first + setup.pairs - 1} of ${name}`,
  }
  const parts = {
    header,
    learned: pretraining.learned,
    pool: order.map((i, at) => ({ name: pairName(setup.first + i), z: embeddings[at]! })),
  }
  const costs = measureCosts(core, task, setup, new PretrainedModel({ ...parts, drops: [], episodes: [] }))
  return new PretrainedModel({ ...parts, ...costs })
}

// A checkpoint: length of the setup's JSON (u32), the JSON, then what `Pretraining.save` gave.

function packCheckpoint(saved: Uint8Array, setup: PoolSetup): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(setup))
  const bytes = new Uint8Array(4 + text.length + saved.length)
  new DataView(bytes.buffer).setUint32(0, text.length, true)
  bytes.set(text, 4)
  bytes.set(saved, 4 + text.length)
  return bytes
}

function unpackCheckpoint(bytes: Uint8Array, setup: PoolSetup): Uint8Array {
  const length = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const text = new TextDecoder().decode(bytes.subarray(4, 4 + length))
  if (text !== JSON.stringify(setup))
    throw new FormatError(
      'checkpoint_other_setup',
      'the checkpoint belongs to another pretraining: delete it, or call with the options it was made with',
    )
  return bytes.slice(4 + length)
}
