import { ConfigError, type Tensor } from '@trimtab/core'
import { LocalShards } from './local-shards.js'
import type { ShardRound } from './pretraining.js'
import type { PretrainingShard } from './pretraining-shard.js'

/** What a worker's module exports to host shards; plain data in, plain data out. */
export interface ShardJobs<Setup> {
  /**
   * Builds a shard out of plain data.
   * @returns what it knows at the start
   */
  openShard(input: { readonly setup: Setup; readonly shards: number; readonly shard: number }): Promise<Tensor[]>
  /** One round of a shard, from `learned`. */
  shardRound(input: { readonly shard: number; readonly learned: readonly Tensor[] }): Promise<ShardRound>
  /** The embeddings [Z] of a shard's pairs, in order, under `learned`. */
  shardEmbeddings(input: { readonly shard: number; readonly learned: readonly Tensor[] }): Promise<Float32Array[]>
  /** The state of a shard, from which `loadShard` goes on to the byte. */
  saveShard(input: { readonly shard: number }): Promise<Tensor[]>
  /** Replaces the state of a shard by what `saveShard` gave. */
  loadShard(input: { readonly shard: number; readonly tensors: readonly Tensor[] }): Promise<void>
}

/**
 * The jobs that host shards in a worker, built from plain data where they run.
 *
 * @param makeShard  the same shard for the same input, in whichever thread
 * @example
 * const jobs = shardJobs((setup: PoolSetup, shard, shards) => createShard(core, findTask(setup.task), setup, shard, shards))
 * export const { openShard, shardRound, shardEmbeddings, saveShard, loadShard } = jobs
 */
export function shardJobs<Setup>(
  makeShard: (setup: Setup, shard: number, shards: number) => Promise<PretrainingShard>,
): ShardJobs<Setup> {
  const hosts = new Map<number, LocalShards>()
  const hostOf = (shard: number): LocalShards => {
    const host = hosts.get(shard)
    if (!host) throw new ConfigError('shard_closed', `shard ${shard} is not open in this worker: open it first`)
    return host
  }
  return {
    async openShard({ setup, shards, shard }) {
      const made = await makeShard(setup, shard, shards)
      hosts.set(shard, new LocalShards(shards, () => made))
      return hostOf(shard).open(shard)
    },
    shardRound: ({ shard, learned }) => hostOf(shard).round(shard, learned),
    shardEmbeddings: ({ shard, learned }) => hostOf(shard).embeddings(shard, learned),
    saveShard: ({ shard }) => hostOf(shard).save(shard),
    loadShard: ({ shard, tensors }) => hostOf(shard).load(shard, tensors),
  }
}
