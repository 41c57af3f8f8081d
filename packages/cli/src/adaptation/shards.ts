// The jobs by which worker threads host shards of a pool.
import { type Core, createCore } from '@trimtab/core'
import { type ShardJobs, shardJobs } from '@trimtab/learn'
import { createShard, type PoolSetup } from './pool.js'

let core: Promise<Core> | undefined

const jobs: ShardJobs<PoolSetup> = shardJobs(async (setup: PoolSetup, shard, shards) => {
  core ??= createCore()
  return createShard(await core, setup, shard, shards)
})

export const openShard: ShardJobs<PoolSetup>['openShard'] = jobs.openShard
export const shardRound: ShardJobs<PoolSetup>['shardRound'] = jobs.shardRound
export const shardEmbeddings: ShardJobs<PoolSetup>['shardEmbeddings'] = jobs.shardEmbeddings
export const saveShard: ShardJobs<PoolSetup>['saveShard'] = jobs.saveShard
export const loadShard: ShardJobs<PoolSetup>['loadShard'] = jobs.loadShard
