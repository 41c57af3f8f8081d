// What the core asks of a GPU, and what is told of it. No code: the GPU's is loaded only where it is asked for.
import type { Activation } from './nn/activation.js'

/** From how much work of a call on the GPU is the faster one: multiply-adds, Infinity never. */
export interface GpuBreakEven {
  /** Of a whole call. */
  readonly call: number
  /** Of one step of all sequences, where steps follow each other: a GRU needs both. */
  readonly step: number
}

/** What became of `createCore({ gpu })`. */
export interface GpuReport {
  /** As the driver names it; undefined: there is none. */
  readonly adapter: string | undefined
  /** Measured where `gpu` is `auto`; 0 for a device of the caller's. */
  readonly breakEven: GpuBreakEven
  /** Why the core computes everything, or does so from now on; undefined while the GPU takes batches. */
  readonly unused: string | undefined
}

/** A dense network; parameters as `Mlp` has them. */
export interface DenseNet {
  readonly sizes: readonly number[]
  readonly activations: readonly Activation[]
  readonly parameters: Float32Array
}

/** A context encoder; parameters as `ContextEncoder` has them. */
export interface EncoderNet {
  readonly kind: 'set' | 'gru'
  readonly inputSize: number
  readonly hiddenSize: number
  readonly layers: number
  readonly dense: readonly number[]
  readonly activation: 'relu' | 'tanh'
  readonly allHidden: boolean
  readonly parameters: Float32Array
}

/** Contexts without what stands behind the ends of their sequences. */
export interface PackedContexts {
  /** [R, I]: the steps of all sequences, one after another. */
  readonly steps: Float32Array
  /** Steps of each sequence. */
  readonly lengths: readonly number[]
  /** Sequences of each context; 0: the null context. */
  readonly counts: readonly number[]
}

/** Batches on a GPU. Each call answers whether it was done; if not, nothing was written and the core computes the same. */
export interface BatchGpu extends GpuReport {
  /** y [n, out] = net(x [n, in]) */
  forward(net: DenseNet, x: Float32Array, y: Float32Array): Promise<boolean>
  /** embeddings [G, Z] */
  encode(encoder: EncoderNet, contexts: PackedContexts, embeddings: Float32Array): Promise<boolean>
}
