import { ConfigError, type Tensor } from '@trimtab/core'
import type { ShardHost, ShardRound } from '@trimtab/learn'
import { WorkerPool } from './worker-pool.js'

/** The jobs of a shard module; `shardJobs` of `@trimtab/learn` makes them. */
interface Jobs<Setup> {
  readonly openShard: (input: { setup: Setup; shards: number; shard: number }) => Promise<Tensor[]>
  readonly shardRound: (input: { shard: number; learned: readonly Tensor[] }) => Promise<ShardRound>
  readonly shardEmbeddings: (input: { shard: number; learned: readonly Tensor[] }) => Promise<Float32Array[]>
  readonly saveShard: (input: { shard: number }) => Promise<Tensor[]>
  readonly loadShard: (input: { shard: number; tensors: readonly Tensor[] }) => Promise<void>
}

/** What the shards of a pretraining are, and on how many threads they run. */
export interface WorkerShardsOptions<Setup> {
  /** A module that exports the five jobs of `shardJobs`; it builds its shards from `setup` alone. */
  readonly module: URL
  /** Plain data that says what a shard is made of. */
  readonly setup: Setup
  /** Part of what decides the result. */
  readonly shards: number
  /** Threads, at most one a shard; they decide only how long it takes. */
  readonly workers: number
}

/**
 * Shards in worker threads: each thread hosts every `workers`-th shard for as long as it lives, one instance of the core each.
 *
 * @example
 * const host = new WorkerShards({ module: new URL('./shards.js', import.meta.url), setup, shards: 4, workers: 2 })
 * const pretraining = await openPretraining(host)
 */
export class WorkerShards<Setup> implements ShardHost {
  readonly shards: number
  readonly #options: WorkerShardsOptions<Setup>
  readonly #threads: readonly WorkerPool<Jobs<Setup>>[]

  /** @throws {ConfigError} `config_invalid` */
  constructor(options: WorkerShardsOptions<Setup>) {
    const { module, shards, workers } = options
    for (const [name, count] of Object.entries({ shards, workers })) {
      if (!(Number.isInteger(count) && count >= 1)) {
        throw new ConfigError('config_invalid', `worker shards: ${name} must be a whole number ≥ 1, got ${count}`)
      }
    }
    this.shards = shards
    this.#options = options
    // A pool of one keeps its shards: jobs of a larger one go to whichever thread is free.
    this.#threads = Array.from({ length: Math.min(workers, shards) }, () => new WorkerPool({ module, size: 1 }))
  }

  open(shard: number): Promise<Tensor[]> {
    const { setup, shards } = this.#options
    return this.#thread(shard).run('openShard', { setup, shards, shard })
  }

  round(shard: number, learned: readonly Tensor[]): Promise<ShardRound> {
    return this.#thread(shard).run('shardRound', { shard, learned })
  }

  embeddings(shard: number, learned: readonly Tensor[]): Promise<Float32Array[]> {
    return this.#thread(shard).run('shardEmbeddings', { shard, learned })
  }

  /** The state of one shard, from which `load` goes on to the byte. */
  save(shard: number): Promise<Tensor[]> {
    return this.#thread(shard).run('saveShard', { shard })
  }

  /** Replaces the state of one shard by what `save` gave. */
  load(shard: number, tensors: readonly Tensor[]): Promise<void> {
    return this.#thread(shard).run('loadShard', { shard, tensors })
  }

  /** Stops the threads; what runs rejects with `worker_pool_disposed`. */
  async dispose(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.dispose()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose()
  }

  #thread(shard: number): WorkerPool<Jobs<Setup>> {
    return this.#threads[shard % this.#threads.length]!
  }
}
