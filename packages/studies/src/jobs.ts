// The jobs of worker threads: plain data in, plain data out. One core an instance, made once.
import { type Core, createCore } from '@trimtab/core'
import { type ShardJobs, shardJobs } from '@trimtab/learn'
import { loadTask } from '@trimtab/tasks'
import { createShard, type PoolSetup } from './adaptation/pool.js'
import { type AutoscalerCell, type AutoscalerCellSpec, runAutoscalerCell } from './autoscaling/cell.js'
import { runTrial, type TrialResult, type TrialSpec } from './comparison/trial.js'
import { runPromiseCell } from './promise/cell.js'
import type { PromiseCell, PromiseCellSpec } from './promise/spec.js'
import { type ArenaRules, type ArenaRulesSpec, judgeArenaRules } from './tenants/arena-rules.js'
import { runTenantsCell, type TenantsCell, type TenantsCellSpec } from './tenants/cell.js'

let core: Promise<Core> | undefined

function coreOnce(): Promise<Core> {
  core ??= createCore()
  return core
}

/** `runAutoscalerCell` in this thread. */
export async function autoscalerCell(
  spec: AutoscalerCellSpec,
  onPart?: (part: string) => void,
): Promise<AutoscalerCell> {
  return runAutoscalerCell(await coreOnce(), spec, onPart)
}

/** `runTrial` in this thread, of a task that is found by its reference. */
export async function trial(spec: TrialSpec): Promise<TrialResult> {
  return runTrial(await coreOnce(), await loadTask(spec.task), spec)
}

/** `runPromiseCell` in this thread. */
export async function promiseCell(spec: PromiseCellSpec): Promise<PromiseCell> {
  return runPromiseCell(await coreOnce(), spec)
}

/** `judgeArenaRules` in this thread. */
export async function arenaRules(spec: ArenaRulesSpec): Promise<ArenaRules> {
  return judgeArenaRules(await coreOnce(), spec)
}

/** `runTenantsCell` in this thread. */
export async function tenantsCell(spec: TenantsCellSpec): Promise<TenantsCell> {
  return runTenantsCell(await coreOnce(), spec)
}

const jobs: ShardJobs<PoolSetup> = shardJobs(async (setup: PoolSetup, shard, shards) =>
  createShard(await coreOnce(), await loadTask(setup.task), setup, shard, shards),
)

/** Makes a shard of a pool in this thread. */
export const openShard: ShardJobs<PoolSetup>['openShard'] = jobs.openShard
/** One round of a shard that was opened here. */
export const shardRound: ShardJobs<PoolSetup>['shardRound'] = jobs.shardRound
/** Embeddings of the pairs of a shard that was opened here. */
export const shardEmbeddings: ShardJobs<PoolSetup>['shardEmbeddings'] = jobs.shardEmbeddings
/** What a shard that was opened here needs to go on later. */
export const saveShard: ShardJobs<PoolSetup>['saveShard'] = jobs.saveShard
/** Puts a shard that was opened here where `saveShard` was called. */
export const loadShard: ShardJobs<PoolSetup>['loadShard'] = jobs.loadShard
