import { type Core, Random } from '@trimtab/core'
import { Graph } from '../src/export/graph.js'

// A BERT as the real ones are built (embeddings, layers of masked self-attention and feed-forward with residuals and layer norms),
// with a head that reads [CLS] and the served model's one-hot. Small, and its weights are random: it predicts nothing.
// B: batch, T: tokens, D: width, H: heads, F: feed-forward, V: vocabulary, M: served models, K: head's hidden layer

export interface TinyBertShape {
  readonly vocabulary: number
  readonly width: number
  readonly heads: number
  readonly layers: number
  readonly feedForward: number
  readonly positions: number
  readonly models: number
}

/** name → [values, shape], matrices as y = x W + b takes them: [in, out]. */
export type Weights = Readonly<Record<string, { readonly values: Float32Array; readonly shape: readonly number[] }>>

export const EPSILON = 1e-12 // BERT's layer_norm_eps
const HEAD_HIDDEN = 8

export function tinyBertWeights(core: Core, shape: TinyBertShape, seed: number): Weights {
  const { vocabulary: V, width: D, layers, feedForward: F, positions, models: M } = shape
  const random = new Random(core, seed)
  const weights: Record<string, { values: Float32Array; shape: number[] }> = {}
  const draw = (name: string, dims: number[], scale: number, centre = 0): void => {
    const count = dims.reduce((product, size) => product * size, 1)
    weights[name] = {
      values: Float32Array.from({ length: count }, () => centre + scale * random.normal()),
      shape: dims,
    }
  }
  const dense = (name: string, inputs: number, outputs: number): void => {
    draw(`${name}.w`, [inputs, outputs], 1 / Math.sqrt(inputs))
    draw(`${name}.b`, [outputs], 0.1)
  }
  const norm = (name: string): void => {
    draw(`${name}.scale`, [D], 0.1, 1)
    draw(`${name}.shift`, [D], 0.1)
  }
  draw('words', [V, D], 1)
  draw('positions', [positions, D], 0.3)
  draw('types', [2, D], 0.3)
  norm('embeddings')
  for (let layer = 0; layer < layers; layer++) {
    for (const part of ['query', 'key', 'value', 'output']) dense(`${layer}.${part}`, D, D)
    norm(`${layer}.attention`)
    dense(`${layer}.up`, D, F)
    dense(`${layer}.down`, F, D)
    norm(`${layer}.layer`)
  }
  dense('head.hidden', D + M, HEAD_HIDDEN)
  dense('head.score', HEAD_HIDDEN, 1)
  random.dispose()
  return weights
}

export interface TinyBertChanges {
  /** Default `input_ids`, `attention_mask`, `token_type_ids`, `model`. */
  readonly names?: readonly [ids: string, mask: string, types: string, model: string]
  readonly tokenType?: 'int32' | 'int64'
  readonly batch?: number
  readonly tokens?: number
  /** Adds this to every score. */
  readonly bias?: number
}

/** The ONNX file. */
export function tinyBertModel(shape: TinyBertShape, weights: Weights, changes: TinyBertChanges = {}): Uint8Array {
  const { width: D, heads: H, layers, models: M } = shape
  const {
    names: [ids, mask, types, model] = ['input_ids', 'attention_mask', 'token_type_ids', 'model'],
    tokenType = 'int64',
    batch = 'batch',
    tokens = 'tokens',
    bias = 0,
  } = changes
  const graph = new Graph()
  const made = new Map<string, string>()
  const weight = (name: string): string => {
    const { values, shape: dims } = weights[name]!
    const known = made.get(name) ?? graph.constant(values, dims)
    made.set(name, known)
    return known
  }
  const dense = (name: string, x: string): string =>
    graph.node('Add', [graph.node('MatMul', [x, weight(`${name}.w`)]), weight(`${name}.b`)])
  const scalar = (value: number): string => graph.constant(Float32Array.of(value), [])
  const norm = (name: string, x: string): string => {
    const centred = graph.node('Sub', [x, graph.node('ReduceMean', [x], { axes: [-1] })])
    const variance = graph.node('ReduceMean', [graph.node('Mul', [centred, centred])], { axes: [-1] })
    const deviation = graph.node('Sqrt', [graph.node('Add', [variance, scalar(EPSILON)])])
    const scaled = graph.node('Mul', [graph.node('Div', [centred, deviation]), weight(`${name}.scale`)])
    return graph.node('Add', [scaled, weight(`${name}.shift`)])
  }
  const gelu = (x: string): string => {
    const erf = graph.node('Erf', [graph.node('Div', [x, scalar(Math.SQRT2)])])
    return graph.node('Mul', [graph.node('Mul', [x, scalar(0.5)]), graph.node('Add', [erf, scalar(1)])])
  }
  const split = (x: string, perm: number[]): string =>
    graph.node('Transpose', [graph.node('Reshape', [x, graph.integers([0, 0, H, D / H])])], { perm })

  const length = graph.node('Gather', [graph.node('Shape', [ids]), graph.integers([1], [])])
  const clock = graph.node('Range', [graph.integers([0], []), length, graph.integers([1], [])])
  const sum = graph.node('Add', [
    graph.node('Gather', [weight('words'), ids]),
    graph.node('Gather', [weight('types'), types]),
  ])
  let x = norm('embeddings', graph.node('Add', [sum, graph.node('Gather', [weight('positions'), clock])]))
  const seen = graph.node('Cast', [graph.node('Unsqueeze', [mask, graph.integers([1, 2])])], { to: 1 }) // [B, 1, 1, T]
  const blinded = graph.node('Mul', [graph.node('Sub', [scalar(1), seen]), scalar(-1e9)])
  for (let layer = 0; layer < layers; layer++) {
    const q = split(dense(`${layer}.query`, x), [0, 2, 1, 3])
    const k = split(dense(`${layer}.key`, x), [0, 2, 3, 1])
    const v = split(dense(`${layer}.value`, x), [0, 2, 1, 3])
    const logits = graph.node('Div', [graph.node('MatMul', [q, k]), scalar(Math.sqrt(D / H))])
    const attention = graph.node('Softmax', [graph.node('Add', [logits, blinded])], { axis: 3 })
    const mixed = graph.node('Transpose', [graph.node('MatMul', [attention, v])], { perm: [0, 2, 1, 3] })
    const joined = graph.node('Reshape', [mixed, graph.integers([0, 0, D])])
    x = norm(`${layer}.attention`, graph.node('Add', [x, dense(`${layer}.output`, joined)]))
    x = norm(`${layer}.layer`, graph.node('Add', [x, dense(`${layer}.down`, gelu(dense(`${layer}.up`, x)))]))
  }
  const first = graph.node('Gather', [x, graph.integers([0], [])], { axis: 1 }) // [CLS]: [B, D]
  const seenByHead = M > 0 ? graph.node('Concat', [first, model], { axis: 1 }) : first
  const hidden = graph.node('Relu', [dense('head.hidden', seenByHead)])
  graph.node('Add', [dense('head.score', hidden), scalar(bias)], {}, 'score')
  const integers = { type: tokenType, shape: [batch, tokens] }
  return graph.model({
    inputs: [
      { name: ids, ...integers },
      { name: mask, ...integers },
      { name: types, ...integers },
      ...(M > 0 ? [{ name: model, type: 'float32' as const, shape: [batch, M] }] : []),
    ],
    outputs: [{ name: 'score', type: 'float32', shape: [batch, 1] }],
    metadata: { note: 'random weights, for tests' },
  })
}
