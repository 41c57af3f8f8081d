import type { Tensor } from '@trimtab/core'
import type { ShardHost, ShardRound } from './pretraining.js'
import type { PretrainingShard } from './pretraining-shard.js'

/**
 * Shards in this process, one after another. In a worker the same object hosts the shards that were opened there.
 * @example
 * const host = new LocalShards(4, (shard) => makeShard(pairsOfShard(pool.length, shard, 4)))
 */
export class LocalShards implements ShardHost {
  readonly shards: number
  readonly #make: (shard: number) => PretrainingShard
  readonly #open = new Map<number, PretrainingShard>()

  /** @param make  builds shard 0 … shards − 1; the same shard for the same number, wherever it is called */
  constructor(shards: number, make: (shard: number) => PretrainingShard) {
    this.shards = shards
    this.#make = make
  }

  async open(shard: number): Promise<Tensor[]> {
    return this.#at(shard).learned()
  }

  async round(shard: number, learned: readonly Tensor[]): Promise<ShardRound> {
    const one = this.#at(shard)
    one.setLearned(learned)
    const report = one.round()
    return { learned: one.learned(), report }
  }

  async embeddings(shard: number, learned: readonly Tensor[]): Promise<Float32Array[]> {
    const one = this.#at(shard)
    one.setLearned(learned)
    return one.embeddings()
  }

  /** The state of one shard, from which `load` goes on to the byte. */
  async save(shard: number): Promise<Tensor[]> {
    return this.#at(shard).save()
  }

  /** Replaces the state of one shard by what `save` gave. */
  async load(shard: number, tensors: readonly Tensor[]): Promise<void> {
    this.#at(shard).load(tensors)
  }

  /** May be called twice. */
  dispose(): void {
    for (const shard of this.#open.values()) shard.dispose()
    this.#open.clear()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #at(shard: number): PretrainingShard {
    let one = this.#open.get(shard)
    if (!one) {
      one = this.#make(shard)
      this.#open.set(shard, one)
    }
    return one
  }
}
