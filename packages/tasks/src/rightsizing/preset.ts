import type { EmbeddingOptions, NetworkOptions } from './network.js'

/**
 * `sizeless`: the network of the papers, as printed (A.2: four layers of 256, Adam, MAPE, 200 epochs, L2 0.01 read as λ·w), on raw
 * seconds. `network`: what the same data allow: two layers of 64, logarithms, MAPE of the ratio to the first sample.
 */
export const NETWORK_PRESETS: Readonly<Record<'sizeless' | 'network', NetworkOptions>> = {
  sizeless: {
    scale: 'seconds',
    hidden: [256, 256, 256, 256],
    learningRate: 1e-3,
    finalLearningRate: 1e-3,
    weightDecay: 0.02, // the gradient of 0.01 · Σw², to the letter
    epochs: 200,
    batchSize: 128,
    maxBases: 3,
  },
  network: {
    scale: 'log',
    hidden: [64, 64],
    learningRate: 2e-3,
    finalLearningRate: 0,
    weightDecay: 1e-4,
    epochs: 200,
    batchSize: 128,
    maxBases: 9,
  },
}

/** The `set` encoder of FLASH's meta learner. */
export const SET_EMBEDDING: EmbeddingOptions = { hiddenSize: 64, size: 16 }
