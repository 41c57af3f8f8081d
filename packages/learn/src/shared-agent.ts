import type { Agent, Tensor, UpdateReport } from '@trimtab/core'
import type { Context, ContextEncoder } from '@trimtab/core/internal'

/**
 * An agent that many pairs share, what pretraining needs beyond `Agent`: beside the state it sees an embedding z [Z], and what it
 * remembers of each pair (partition) is kept apart. `Ddpg`, `Dqn` and `Ppo` are such agents.
 */
export interface SharedAgent extends Agent {
  /**
   * One update on equal shares of the named partitions [G], each seen with its own embedding: encoded here and now, with the
   * gradient of the critic going back into the encoder, or given as they are [G, Z].
   */
  updatePairs(partitions: Int32Array, contexts: readonly Context[], encoder: ContextEncoder): UpdateReport
  updatePairs(partitions: Int32Array, embeddings: Float32Array): UpdateReport
  /** Networks and Adam moments: what shards average and what a pretrained learner hands on. */
  learned(): Tensor[]
  /** Takes over what `learned` gave. @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`; nothing changed */
  setLearned(tensors: readonly Tensor[]): void
}
