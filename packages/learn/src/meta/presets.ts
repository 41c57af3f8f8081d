import type { BufferRule } from './context-buffer.js'

/** How a meta learner is built and what it reads. */
export interface MetaOptions {
  /** `set`: a small net over each step, then the mean over all; `gru`: masked bidirectional GRU over each trajectory (A.1). */
  readonly kind: 'set' | 'gru'
  readonly hiddenSize: number
  /** GRU layers, or hidden layers of the step net. */
  readonly layers: number
  /** Dense layers after the mean; the last is Z, the size of the embedding. */
  readonly dense: readonly number[]
  readonly activation: 'relu' | 'tanh'
  readonly dropout: number
  readonly learningRate: number
  readonly maxGradientNorm: number
  /** M: trajectories (or sets of samples) kept of each pair. */
  readonly bufferSize: number
  readonly bufferRule: BufferRule
  /** Of these, at most so many in one context. */
  readonly maxSequences: number
  /** Steps of a trajectory that a context may hold. */
  readonly maxSteps: number
  /** While learning: at most so many sequences and steps of each, which is what an update costs. */
  readonly drawSequences: number
  readonly drawSteps: number
  /** Share of null contexts while learning: how the base learner comes to act for a pair without data. */
  readonly nullShare: number
}

/** Named sets of options. `set` is what the experiments run; the others are as their papers print them. */
export const metaPresets: { readonly set: MetaOptions; readonly aware: MetaOptions; readonly flash: MetaOptions } = {
  /** As accurate as the GRU on the tasks here and about five times as fast. */
  set: {
    kind: 'set',
    hiddenSize: 64,
    layers: 1,
    dense: [16], // 8 … 32 do; with fewer, neighbours in reward were no neighbours in z
    activation: 'tanh',
    dropout: 0,
    learningRate: 2e-3,
    maxGradientNorm: 1,
    bufferSize: 8, // one trajectory leaves 4.3 % of the reward to gain, four 2.4 %, sixteen 1.9 %
    bufferRule: 'mixed',
    maxSequences: 8,
    maxSteps: 128,
    drawSequences: 3,
    drawSteps: 64,
    nullShare: 0.15,
  },

  /** AWARE, 5.4.3 and table 5.2: embedding 64, the 20 trajectories of highest reward. */
  aware: {
    kind: 'gru',
    hiddenSize: 256,
    layers: 2,
    dense: [256, 64],
    activation: 'relu',
    dropout: 0,
    learningRate: 3e-4,
    maxGradientNorm: 1, // not printed; without it a single odd trajectory can undo a round
    bufferSize: 20,
    bufferRule: 'top',
    maxSequences: 20,
    maxSteps: 100,
    drawSequences: 20,
    drawSteps: 100,
    nullShare: 0.15,
  },

  /** FLASH, 5.6.1 and table A.1: embedding 32, half of the highest, half of the lowest reward. */
  flash: {
    kind: 'gru',
    hiddenSize: 256,
    layers: 2,
    dense: [32],
    activation: 'relu',
    dropout: 0.05,
    learningRate: 3e-4,
    maxGradientNorm: 1,
    bufferSize: 32,
    bufferRule: 'half',
    maxSequences: 32,
    maxSteps: 100,
    drawSequences: 32,
    drawSteps: 100,
    nullShare: 0.15,
  },
}

/** A preset of the meta learner. */
export type MetaPresetName = keyof typeof metaPresets
