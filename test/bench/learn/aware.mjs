// AWARE's encoder, 2 × bi-GRU 256 over 20 trajectories of 100 steps, 512 → 256 → 64, and what it embeds.
import { Random } from '@trimtab/core'

export const AWARE = {
  ...{ kind: 'gru', inputSize: 16, hiddenSize: 256, dense: [256, 64], maxSequences: 20, maxSteps: 100 },
  ...{ learningRate: 3e-4, seed: 1 },
}

/** Numbers in [−1, 1). */
export function contextOf(core) {
  const { maxSequences: M, maxSteps: T, inputSize: I } = AWARE
  const random = new Random(core, 1)
  const steps = Float32Array.from({ length: M * T * I }, () => 2 * random.uniform() - 1)
  random.dispose()
  return { steps, lengths: new Int32Array(M).fill(T) }
}
