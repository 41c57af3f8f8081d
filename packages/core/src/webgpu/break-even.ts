// From how much work on the GPU is the faster one, and whether it is right: both compute the same batches, each larger than the last.
import type { GpuBreakEven } from '../batch-gpu.js'
import type { Core } from '../core.js'
import { type Context, ContextEncoder } from '../nn/context-encoder.js'
import { Mlp, type MlpOptions } from '../nn/mlp.js'
import { denseWork } from './dense.js'
import { type EncoderSizes, stepWork } from './encoder.js'

const NET = { sizes: [64, 64, 64, 8], activations: ['relu', 'relu', 'linear'], maxBatch: 256 } satisfies MlpOptions
const ROWS = [64, 256, 1024, 4096, 16384]

const ENCODER: EncoderSizes = {
  ...{ kind: 'gru' as const, inputSize: 16, hiddenSize: 64, layers: 2 },
  ...{ dense: [32], activation: 'relu' as const, allHidden: false },
}
const [STEPS, SEQUENCES] = [32, 4] // of a context
const CONTEXTS = [1, 4, 16, 64]

/** Each batch is timed that often, after a first time that does not count; the best counts. */
const ROUNDS = 3

/** What takes longer on a GPU is timed no more: it will not win, and who starts a core waits. */
const SLOW_MS = 100

/** How far an answer of the GPU may be from the core's, of the largest number in it. */
const NEAR = 1e-4

/**
 * A dense net's for whole calls, a GRU's for each of its steps. Timings: so is what is chosen by them, and the last bits of it.
 * @throws {Error} the GPU's answers are not the core's
 */
export async function measureBreakEven(cores: Cores): Promise<GpuBreakEven> {
  return { call: await ofDenseNets(cores), step: await ofSteps(cores) }
}

/** The GPU of one takes every batch, the other has none. */
export interface Cores {
  readonly plain: Core
  readonly withGpu: Core
}

async function ofDenseNets({ plain, withGpu }: Cores): Promise<number> {
  const [slow, fast] = [new Mlp(plain, NET), new Mlp(withGpu, NET)]
  try {
    return await firstWon(ROWS, (rows) => {
      const x = wave(rows * NET.sizes[0]!)
      const size = rows * NET.sizes.at(-1)!
      const work = rows * denseWork(NET.sizes)
      return { work, size, onCore: (y) => slow.forwardMany(x, y), onGpu: (y) => fast.forwardMany(x, y) }
    })
  } finally {
    slow.dispose()
    fast.dispose()
  }
}

async function ofSteps({ plain, withGpu }: Cores): Promise<number> {
  const options = { ...ENCODER, maxContexts: 8, maxSequences: SEQUENCES, maxSteps: STEPS, learningRate: 0, seed: 0 }
  const [slow, fast] = [new ContextEncoder(plain, options), new ContextEncoder(withGpu, options)]
  const steps = wave(SEQUENCES * STEPS * ENCODER.inputSize)
  const lengths = new Int32Array(SEQUENCES).fill(STEPS)
  try {
    return await firstWon(CONTEXTS, (count) => {
      const contexts = new Array<Context>(count).fill({ steps, lengths })
      const size = count * slow.embeddingSize
      const work = stepWork(ENCODER, count * SEQUENCES)
      return { work, size, onCore: (z) => slow.encodeMany(contexts, z), onGpu: (z) => fast.encodeMany(contexts, z) }
    })
  } finally {
    slow.dispose()
    fast.dispose()
  }
}

type Compute = (answer: Float32Array) => Promise<void>

/** One batch, and how much work it is. */
interface Race {
  readonly work: number
  /** Of the answer, in numbers. */
  readonly size: number
  readonly onCore: Compute
  readonly onGpu: Compute
}

/** The work of the first batch that the GPU computes faster. */
async function firstWon(sizes: readonly number[], raceOf: (size: number) => Race): Promise<number> {
  for (const size of sizes) {
    const { work, size: numbers, onCore, onGpu } = raceOf(size)
    const [ours, theirs] = [new Float32Array(numbers), new Float32Array(numbers)]
    const [coreMs, onGpuMs] = [await bestOf(() => onCore(ours)), await bestOf(() => onGpu(theirs))]
    const largest = ours.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    if (!ours.every((value, i) => Math.abs(value - theirs[i]!) <= NEAR * largest))
      throw new Error('it computes something else than the core')
    if (onGpuMs < coreMs) return work
    if (onGpuMs > SLOW_MS) break
  }
  return Number.POSITIVE_INFINITY
}

const wave = (count: number): Float32Array => Float32Array.from({ length: count }, (_, i) => (i % 17) / 8 - 1)

declare const performance: { now(): number }

/** Milliseconds. */
async function bestOf(call: () => Promise<void>): Promise<number> {
  await call()
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    await call()
    best = Math.min(best, performance.now() - start)
  }
  return best
}
