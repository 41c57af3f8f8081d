// Batches for the core and for a GPU, and how far two answers lie apart.
import { type Core, Mlp, type MlpOptions, Random } from '../../src/index.js'
import { type Context, ContextEncoder, type ContextEncoderOptions } from '../../src/internal.js'

/** Of the largest output: sums of f32 in another order, and fused multiply-adds. */
export const NEAR = 1e-5

/** Largest difference by the largest absolute value. */
export function gapOf(found: Float32Array, wanted: Float32Array): number {
  const largest = wanted.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-30)
  return found.reduce((most, value, i) => Math.max(most, Math.abs(value - wanted[i]!)), 0) / largest
}

export function numbers(core: Core, count: number, seed: number): Float32Array {
  using random = new Random(core, seed)
  return Float32Array.from({ length: count }, () => random.normal())
}

/** NaN behind each sequence's end, which is not read. */
export function contextOf(core: Core, lengths: readonly number[], inputSize: number, seed: number): Context {
  const longest = Math.max(0, ...lengths)
  const steps = numbers(core, lengths.length * longest * inputSize, seed)
  for (const [i, length] of lengths.entries())
    steps.fill(Number.NaN, (i * longest + length) * inputSize, (i + 1) * longest * inputSize)
  return { steps, lengths: Int32Array.from(lengths) }
}

export const ENCODER: ContextEncoderOptions = {
  ...{
    kind: 'gru',
    inputSize: 5,
    hiddenSize: 9,
    dense: [7, 4],
    maxSequences: 4,
    maxSteps: 9,
    learningRate: 0,
    seed: 3,
  },
}

/** The same parameters on every core: `random` is not given. */
export async function forwardOn(core: Core, net: MlpOptions, x: Float32Array): Promise<Float32Array> {
  using mlp = new Mlp(core, net)
  const y = new Float32Array((x.length / net.sizes[0]!) * net.sizes.at(-1)!)
  await mlp.forwardMany(x, y)
  return y
}

export async function encodeOn(
  core: Core,
  options: ContextEncoderOptions,
  contexts: readonly Context[],
): Promise<Float32Array> {
  using encoder = new ContextEncoder(core, options)
  const z = new Float32Array(contexts.length * encoder.embeddingSize)
  await encoder.encodeMany(contexts, z)
  return z
}
