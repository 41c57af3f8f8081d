// A contextual DDPG update, AWARE's shapes, alone and with the gradient through each kind of encoder.
import { Random } from '@trimtab/core'
import { ContextEncoder, DdpgKernel } from '@trimtab/core/internal'
import { measure, median } from '../harness.mjs'

const [S, A, T, BATCH] = [9, 3, 100, 256] // dissertation Table 5.1: states and actions; steps of an episode

/** The preset that CI runs, and the papers' sizes. */
const ENCODERS = {
  'set, 64 wide, 8 × 100 steps': { kind: 'set', hiddenSize: 64, dense: [16], maxSequences: 8 },
  'set, 256 wide, 20 × 100 steps': { kind: 'set', hiddenSize: 256, dense: [256, 64], maxSequences: 20 },
  'gru, 2 × 64 wide, 8 × 100 steps': { kind: 'gru', hiddenSize: 64, dense: [16], maxSequences: 8 },
  'gru, 2 × 256 wide, 20 × 100 steps': { kind: 'gru', hiddenSize: 256, dense: [256, 64], maxSequences: 20 },
}

const uniform = (random, length) => Float32Array.from({ length }, () => 2 * random.uniform() - 1)

function agentOf(core, random, contextSize) {
  const kernel = new DdpgKernel(core, {
    ...{ stateSize: S, actionSize: A, contextSize, hidden: [64, 64], batchSize: BATCH, capacity: 1000, seed: 1 },
    ...{ actorLearningRate: 3e-4, criticLearningRate: 1e-3, discount: 0.9, targetRate: 5e-3, averageRate: 1e-3 },
    ...{ weightDecay: 0, maxGradientNorm: 0, outputPenalty: 0, cloningWeight: 0 },
  })
  for (let i = 0; i < 1000; i++) {
    kernel.insert(uniform(random, S), uniform(random, A), random.uniform(), uniform(random, S), false)
  }
  return kernel
}

async function rowsOf(core, random, name, shape) {
  const encoder = new ContextEncoder(core, {
    ...{ inputSize: S + A + 1, maxSteps: T, learningRate: 3e-4, seed: 1 },
    ...shape,
  })
  const kernel = agentOf(core, random, encoder.embeddingSize)
  const pair = Int32Array.of(0)
  const sequences = shape.maxSequences
  const contexts = [{ steps: uniform(random, sequences * T * (S + A + 1)), lengths: new Int32Array(sequences).fill(T) }]
  const z = new Float32Array(encoder.embeddingSize)
  const learn = () => {
    kernel.updatePairs(pair, contexts, encoder)
    return encoder.report().updates
  }
  learn()
  const before = core.memory.buffer.byteLength
  const times = await measure(
    {
      learn,
      alone: () => {
        kernel.updatePairs(pair, z)
        return kernel.size
      },
    },
    { rounds: 9, clock: 'cpu' },
  )
  const after = core.memory.buffer.byteLength
  const { updates, skipped } = kernel.report()
  if (skipped > 0) throw new Error(`${skipped} updates with ${name} were not finite`)
  encoder.dispose()
  kernel.dispose()
  return [
    {
      name: `DDPG update of ${BATCH} with the gradient of ${name} (peer: without)`,
      ours: median(times.learn) * 1e3,
      peer: median(times.alone) * 1e3,
      unit: 'ms',
    },
    {
      name: `memory grown by ${updates} of these (peer: all of it)`,
      ours: (after - before) / 2 ** 20,
      peer: after / 2 ** 20,
      target: { ours: 0 },
      unit: 'MiB',
    },
  ]
}

export async function ddpgRows(core) {
  const random = new Random(core, 1)
  const rows = []
  for (const [name, shape] of Object.entries(ENCODERS)) rows.push(...(await rowsOf(core, random, name, shape)))
  random.dispose()
  return rows
}
