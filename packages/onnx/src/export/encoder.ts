import type { Activation } from '@trimtab/core'
import type { ContextEncoder } from '@trimtab/core/internal'
import { addDense } from './dense.js'
import { Graph } from './graph.js'

// M: sequences, T: steps, I: inputs of a step, H: hidden, D = 2 directions, W: pooled features, Z: embedding

/**
 * A context encoder as an ONNX model: `steps` [M, T, I] and their true `lengths` [M], int32 → `embedding` [1, Z], as
 * `encode` gives it for one context; M and T may differ from call to call. M ≥ 1: the null context's embedding is zero and needs no
 * model.
 *
 * @example
 * const bytes = encoderToOnnx(metaLearner.encoder)
 */
export function encoderToOnnx(encoder: ContextEncoder): Uint8Array {
  const { kind, inputSize, hiddenSize: H, layers, dense, activation, allHidden } = encoder.options
  const parameters = encoder.parameters()
  const graph = new Graph()
  const pooledLayers = kind === 'gru' && allHidden ? layers : 1
  const width = kind === 'gru' ? pooledLayers * 2 * H : H
  const sizes = [width, ...dense]
  const tail = sizes.slice(1).reduce((sum, outputs, i) => sum + outputs * (sizes[i]! + 1), 0)
  const pool = parameters.subarray(0, parameters.length - tail)
  const pooled =
    kind === 'gru'
      ? addSequences(graph, pool, { inputSize, hiddenSize: H, layers, pooledLayers })
      : addSteps(graph, pool, [inputSize, ...Array<number>(layers).fill(H)])
  const z = addDense(graph, pooled, {
    sizes,
    activations: dense.map((): Activation => activation),
    parameters: parameters.subarray(parameters.length - tail),
  })
  graph.node('Identity', [z], {}, 'embedding')
  return graph.model({
    inputs: [
      { name: 'steps', type: 'float32', shape: ['sequences', 'steps', inputSize] },
      { name: 'lengths', type: 'int32', shape: ['sequences'] },
    ],
    outputs: [{ name: 'embedding', type: 'float32', shape: [1, encoder.embeddingSize] }],
    metadata: { format: 'trimtab-context-encoder', kind },
  })
}

/** [1, H] = mean over all real steps of net(step). */
function addSteps(graph: Graph, parameters: Float32Array, sizes: readonly number[]): string {
  const steps = graph.node('Reshape', ['steps', graph.integers([-1, sizes[0]!])]) // [M·T, I]
  const y = addDense(graph, steps, { sizes, activations: sizes.slice(1).map((): Activation => 'relu'), parameters })
  const total = graph.node('Gather', [graph.node('Shape', ['steps']), graph.integers([1], [])]) // T
  const clock = graph.node('Range', [graph.integers([0], []), total, graph.integers([1], [])]) // [T]
  const lengths = graph.node('Unsqueeze', [graph.node('Cast', ['lengths'], { to: 7 }), graph.integers([1])]) // [M, 1]
  const isReal = graph.node('Cast', [graph.node('Less', [clock, lengths])], { to: 1 }) // [M, T]
  const weights = graph.node('Reshape', [isReal, graph.integers([1, -1])]) // [1, M·T]
  const sum = graph.node('MatMul', [weights, y])
  return graph.node('Div', [sum, graph.node('ReduceSum', [weights], { keepdims: 1 })])
}

interface SequenceShape {
  readonly inputSize: number
  readonly hiddenSize: number
  readonly layers: number
  /** How many of the layers' final states are pooled, counted from the top. */
  readonly pooledLayers: number
}

/** [1, W] = mean over sequences of the final states of both directions. */
function addSequences(graph: Graph, parameters: Float32Array, shape: SequenceShape): string {
  const { inputSize, hiddenSize: H, layers, pooledLayers } = shape
  let at = 0
  let x = graph.node('Transpose', ['steps'], { perm: [1, 0, 2] }) // [T, M, I]
  const states: string[] = []
  for (let layer = 0; layer < layers; layer++) {
    const inputs = layer === 0 ? inputSize : 2 * H
    const [w, r, b]: [Float32Array[], Float32Array[], Float32Array[]] = [[], [], []]
    for (let direction = 0; direction < 2; direction++) {
      for (const [list, size] of [
        [w, 3 * H * inputs],
        [r, 3 * H * H],
        [b, 3 * H],
        [b, 3 * H],
      ] as const) {
        list.push(gateOrder(parameters.subarray(at, at + size)))
        at += size
      }
    }
    const weights = [
      graph.constant(joinFloats(w), [2, 3 * H, inputs]),
      graph.constant(joinFloats(r), [2, 3 * H, H]),
      graph.constant(joinFloats(b), [2, 6 * H]),
    ]
    const [outputs, last] = [`outputs_${layer}`, `last_${layer}`]
    graph.node(
      'GRU',
      [x, ...weights, 'lengths'],
      { direction: 'bidirectional', hidden_size: H, linear_before_reset: 1 },
      [outputs, last],
    )
    if (layer >= layers - pooledLayers) states.push(last) // [2, M, H]
    if (layer === layers - 1) break
    const joined = graph.node('Transpose', [outputs], { perm: [0, 2, 1, 3] }) // [T, 2, M, H] → [T, M, 2, H]
    x = graph.node('Reshape', [joined, graph.integers([0, 0, 2 * H])])
  }
  const units = graph.node('Concat', states, { axis: 0 }) // [U, M, H]
  const mean = graph.node('ReduceMean', [units], { axes: [1], keepdims: 0 }) // [U, H]
  return graph.node('Reshape', [mean, graph.integers([1, -1])])
}

/** Rows r | z | n, as PyTorch and the core have them, → z | r | n, as ONNX wants them. */
function gateOrder(rows: Float32Array): Float32Array {
  const third = rows.length / 3
  return joinFloats([rows.subarray(third, 2 * third), rows.subarray(0, third), rows.subarray(2 * third)])
}

function joinFloats(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
