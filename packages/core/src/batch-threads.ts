// What the core asks of threads. No code: who has threads brings them (`EncoderThreads` of `@trimtab/node`, `EncoderWorkers` of `@trimtab/core/threads`).
import type { CoreBuild } from './wasm.js'

/** A bidirectional GRU whose sequences may be computed elsewhere; sizes as `GruOptions` has them. */
export interface ThreadedGru {
  readonly inputSize: number
  readonly hiddenSize: number
  readonly layers: number
  readonly maxSteps: number
  /** Of the core that asks: two builds need not have the same bits. */
  readonly build: CoreBuild
  /** P: of the last so many units the final states are wanted. */
  readonly units: number
  /** Another object as soon as the parameters may be others, so that a thread which has them need not be told. */
  readonly revision: object
  /** A copy, canonical, as `Gru` has them. */
  parameters(): Float32Array
}

/** Batches on other threads, with the bits of one: sequences do not depend on each other. */
export interface BatchThreads {
  /**
   * Final states [P, N, H] of N sequences, each [length, I]. `undefined`: that is too little work for a message, or there are no threads
   * (any more), and the core computes the same; it never rejects.
   */
  finalStates(gru: ThreadedGru, sequences: readonly Float32Array[]): Promise<Float32Array | undefined>
}
