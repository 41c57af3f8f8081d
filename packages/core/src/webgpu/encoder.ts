// Context encoders on a GPU. R: steps of all sequences, N: sequences, G: contexts, I: inputs of a step, H: hidden, W: pooled features,
// Z: embedding. Sequences lie packed, one after another, in both directions' outputs too: nothing is computed behind
// a sequence's end.
import type { DenseNet, EncoderNet, PackedContexts } from '../batch-gpu.js'
import { mlpParameterCount } from '../nn/mlp.js'

import { denseWork, forwardDense, multiply } from './dense.js'
import type { GpuBuffer } from './device.js'
import { type Pass, type Session, TooLarge } from './session.js'
import { gruStep, POOL_LANES, pool, sideOf } from './wgsl.js'

/** embeddings [G, Z], in as many passes as its buffers need. @throws {Error} as `Session.run`; {TooLarge} */
export async function runEncoder(
  session: Session,
  encoder: EncoderNet,
  contexts: PackedContexts,
  embeddings: Float32Array,
): Promise<void> {
  const { parameters, inputSize, hiddenSize, dense } = encoder
  const widest = Math.max(inputSize, encoder.kind === 'gru' ? 6 * hiddenSize : hiddenSize)
  const parts = split(contexts, inputSize, session.rowsThatFit(widest, parameters.length))
  await session.runAll(parts, embeddings, (part) => ({
    length: part.counts.length * dense.at(-1)!,
    record: (pass) => {
      const placed = { ...encoder, parameters: pass.upload(parameters) }
      const steps = pass.upload(part.steps)
      const [pooled, at] =
        encoder.kind === 'gru'
          ? poolGru(session, pass, placed, steps, part)
          : poolSet(session, pass, placed, steps, part)
      return forwardDense(
        session,
        pass,
        { ...denseOf(encoder), parameters: placed.parameters, at },
        pooled,
        part.counts.length,
      )
    },
  }))
  for (const [g, count] of contexts.counts.entries())
    if (count === 0) embeddings.fill(0, g * dense.at(-1)!, (g + 1) * dense.at(-1)!)
}

/** Multiply-adds of a call, and of one step of all its sequences where steps follow each other. */
export function encoderWork(
  encoder: EncoderSizes,
  { lengths, counts }: PackedContexts,
): { call: number; step: number } {
  const { kind, inputSize, hiddenSize: H, layers } = encoder
  const steps = sum(lengths)
  const inputs = inputSize + (layers - 1) * 2 * H // of all layers
  const each = kind === 'gru' ? 2 * 3 * H * (inputs + layers * H) : denseWork(stepNetOf(encoder).sizes)
  const call = steps * each + counts.length * denseWork(denseOf(encoder).sizes)
  return { call, step: kind === 'gru' ? stepWork(encoder, lengths.length) : Number.POSITIVE_INFINITY }
}

/** Multiply-adds of one step of so many sequences, both directions. */
export const stepWork = ({ hiddenSize: H }: EncoderSizes, sequences: number): number => sequences * 2 * 3 * H * H

/** What there is to compute, without the numbers. */
export type EncoderSizes = Omit<EncoderNet, 'parameters'>

type Placed = EncoderSizes & { readonly parameters: GpuBuffer }

/** What is pooled [G, W], and where the dense net's parameters start. */
type Pooled = readonly [pooled: GpuBuffer, end: number]

/** The mean of net(step) over all steps of each context. */
function poolSet(session: Session, pass: Pass, encoder: Placed, steps: GpuBuffer, contexts: PackedContexts): Pooled {
  const net = stepNetOf(encoder)
  const { lengths, counts } = contexts
  const rows = sum(lengths)
  const features = forwardDense(session, pass, { ...net, parameters: encoder.parameters, at: 0 }, steps, rows)
  const groups = rangesOf(rangesOf(counts).map(([first, count]) => sum(lengths.slice(first, first + count))))
  const width = encoder.hiddenSize
  const pooled = pass.space(counts.length * width)
  const grid = pass.grid(Math.ceil((counts.length * width) / POOL_LANES))
  pass.bind(pool, [features, uploadRanges(pass, groups), pooled])([counts.length, width, 0, width, 0, width], grid)
  return [pooled, mlpParameterCount(net.sizes)]
}

/** The mean of [h_forward(T) | h_backward(0)] over the sequences of each context. */
function poolGru(session: Session, pass: Pass, encoder: Placed, steps: GpuBuffer, contexts: PackedContexts): Pooled {
  const { inputSize, hiddenSize: H, layers, allHidden, parameters } = encoder
  const { lengths, counts } = contexts
  const rows = sum(lengths)
  const n = lengths.length
  const longest = Math.max(0, ...lengths)
  const side = sideOf(session.device.limits)
  const sequences = uploadRanges(pass, rangesOf(lengths))
  const groups = uploadRanges(pass, rangesOf(counts))
  const products = pass.space(rows * 6 * H) // [R, D, r | z | n]
  const states = pass.space(2 * 2 * n * H) // [before | after, D, N, H]
  const width = 2 * H * (allHidden ? layers : 1)
  const pooled = pass.space(counts.length * width)
  let at = 0
  let x = steps
  for (let layer = 0; layer < layers; layer++) {
    const depth = layer === 0 ? inputSize : 2 * H
    const recurrent: number[] = []
    const biases: number[] = []
    for (const direction of [0, 1]) {
      const fromState = at + 3 * H * depth
      const bias = fromState + 3 * H * H
      const lies = { weights: at, bias, yAt: direction * 3 * H, yRow: 6 * H }
      multiply(session, pass, { x, y: products, parameters, rows, columns: 3 * H, depth, ...lies })
      recurrent.push(fromState)
      biases.push(bias + 3 * H)
      at = bias + 6 * H
    }
    const outputs = pass.space(rows * 2 * H)
    const step = pass.bind(gruStep(side), [products, parameters, sequences, states, outputs])
    for (let t = 0; t < longest; t++)
      step([n, t, H, ...recurrent, ...biases], [Math.ceil(H / side), Math.ceil(n / side), 2])
    if (allHidden || layer === layers - 1) {
      const mean = pass.bind(pool, [states, groups, pooled])
      const grid = pass.grid(Math.ceil((counts.length * H) / POOL_LANES))
      for (const direction of [0, 1]) {
        const state = ((longest % 2) * 2 + direction) * n * H
        const column = (allHidden ? 2 * layer + direction : direction) * H
        mean([counts.length, H, state, H, column, width], grid)
      }
    }
    x = outputs
  }
  return [pooled, at]
}

type Layers = Pick<DenseNet, 'sizes' | 'activations'>

const stepNetOf = ({ inputSize, hiddenSize, layers }: EncoderSizes): Layers => {
  const hidden = new Array<number>(layers).fill(hiddenSize)
  return { sizes: [inputSize, ...hidden], activations: hidden.map(() => 'relu' as const) }
}

const denseOf = ({ kind, hiddenSize, layers, allHidden, dense, activation }: EncoderSizes): Layers => {
  const width = kind === 'gru' ? 2 * hiddenSize * (allHidden ? layers : 1) : hiddenSize
  return { sizes: [width, ...dense], activations: dense.map(() => activation) }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** [start, count] of parts that follow each other. */
function rangesOf(counts: readonly number[]): [start: number, count: number][] {
  let start = 0
  return counts.map((count) => {
    start += count
    return [start - count, count]
  })
}

const uploadRanges = (pass: Pass, ranges: readonly (readonly number[])[]): GpuBuffer =>
  pass.upload(Uint32Array.from(ranges.flat()))

/** Contexts in parts of at most `most` steps each; one that has more alone is too large for any device. */
function split({ steps, lengths, counts }: PackedContexts, inputSize: number, most: number): PackedContexts[] {
  const parts: { lengths: number[]; counts: number[]; rows: number }[] = []
  for (const [first, count] of rangesOf(counts)) {
    const members = lengths.slice(first, first + count)
    const rows = sum(members)
    if (rows > most) throw new TooLarge(`a context of ${rows} steps is asked for, the device's buffers hold ${most}`)
    let part = parts.at(-1)
    if (part === undefined || part.rows + rows > most) {
      part = { lengths: [], counts: [], rows: 0 }
      parts.push(part)
    }
    part.lengths.push(...members)
    part.counts.push(count)
    part.rows += rows
  }
  return rangesOf(parts.map(({ rows }) => rows)).map(([start, rows], i) => ({
    steps: steps.subarray(start * inputSize, (start + rows) * inputSize),
    lengths: parts[i]!.lengths,
    counts: parts[i]!.counts,
  }))
}
