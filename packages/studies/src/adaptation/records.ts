// What pretraining and adaptation write down: readable while a run goes on, plottable when it is over.

/** A round of pretraining: one episode of every pair in the pool, and what was learned from them. */
export interface RoundRecord {
  readonly event: 'round'
  readonly round: number
  /** Mean reward a step over the round's episodes, exploration included. */
  readonly reward: number
  readonly episodes: number
  readonly updates: number
  readonly skipped: number
}

/** A policy judged without exploration after so many episodes of one pair. */
export interface EvaluationRecord {
  readonly event: 'evaluation'
  readonly pair: string
  readonly seed: number
  /** `pretrained`, `scratch`, … */
  readonly method: string
  readonly episode: number
  /** Mean reward a step. */
  readonly reward: number
}

/** Where a pair lies in the space of embeddings. */
export interface EmbeddingRecord {
  readonly event: 'embedding'
  readonly pair: string
  readonly z: readonly number[]
}

/** Any of them; `event` tells which. */
export type AdaptationRecord = RoundRecord | EvaluationRecord | EmbeddingRecord
