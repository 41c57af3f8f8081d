import type { PretrainedModel } from '@trimtab/learn'
import { WorkerShards } from '@trimtab/node'
import { type PoolSetup, SHARDS } from './adaptation/pool.js'
import { type PretrainHooks, pretrainOn } from './adaptation/pretrain.js'

/** A pretraining on all the workers asked for; the result does not depend on how many. */
export async function runPretraining(
  setup: PoolSetup,
  { workers, ...hooks }: PretrainHooks & { readonly workers: number },
): Promise<PretrainedModel> {
  const host = new WorkerShards<PoolSetup>({
    module: new URL('./adaptation/shards.js', import.meta.url), // the same place beside the source and beside the build
    setup,
    shards: SHARDS,
    workers,
  })
  try {
    return await pretrainOn(host, setup, hooks)
  } finally {
    await host.dispose()
  }
}
