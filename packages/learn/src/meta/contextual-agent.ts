import type { Agent, Context, ContextEncoder, Tensor, Transition, UpdateReport } from '@trimtab/core'

/**
 * A base learner that many pairs share: beside the state it sees an embedding z [Z] and it keeps what it remembers of each pair
 * (partition) apart. `Ddpg`, `Dqn` and `Ppo` with `contextSize` are such agents.
 */
export interface ContextualAgent extends Agent {
  readonly contextSize: number
  /** Learns from what it chose itself, once, in the context that it acted in (`Ppo`); absent: from whatever is in its replay. */
  readonly isOnPolicy?: boolean
  explore(observation: Float32Array, out: Float32Array): void
  endEpisode(partition?: number): void
  /** z [Z] for the decisions to come; zeros are the null context. */
  setContext(z: Float32Array): void
  observe(transition: Transition, partition?: number): void
  /**
   * One update on equal shares of the named partitions [G], each seen with its own embedding: encoded here and now, with the
   * gradient of the critic going back into the encoder, or given as they are [G, Z].
   */
  updatePairs(partitions: Int32Array, contexts: readonly Context[], encoder: ContextEncoder): UpdateReport
  updatePairs(partitions: Int32Array, embeddings: Float32Array): UpdateReport
  /** Networks and Adam moments: what shards average and what a pretrained learner hands on. */
  learned(): Tensor[]
  setLearned(tensors: readonly Tensor[]): void
}
