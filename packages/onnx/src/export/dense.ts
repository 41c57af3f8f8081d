import { type Activation, ConfigError } from '@trimtab/core'
import type { Graph } from './graph.js'

/** A dense network as numbers: what `Mlp` is made of. */
export interface DenseNetwork {
  /** Widths from input to output. */
  readonly sizes: readonly number[]
  /** One for each layer. */
  readonly activations: readonly Activation[]
  /** Canonical: layer after layer w [out, in] row-major, then b [out]. */
  readonly parameters: Float32Array
}

const OPERATORS = { relu: 'Relu', tanh: 'Tanh', sigmoid: 'Sigmoid' } as const

const parameterCount = (sizes: readonly number[]): number =>
  sizes.slice(1).reduce((sum, outputs, i) => sum + outputs * (sizes[i]! + 1), 0)

/**
 * Adds y [N, out] = net(x [N, in]) and returns the name of y.
 * @throws {ConfigError} `size_mismatch`
 */
export function addDense(graph: Graph, x: string, { sizes, activations, parameters }: DenseNetwork): string {
  const count = parameterCount(sizes)
  if (parameters.length !== count || activations.length !== sizes.length - 1) {
    throw new ConfigError(
      'size_mismatch',
      `layers [${sizes.join(', ')}] take ${count} parameters and ${sizes.length - 1} activations, got ${parameters.length} and ${activations.length}`,
    )
  }
  let at = 0
  let y = x
  for (const [i, activation] of activations.entries()) {
    const [inputs, outputs] = [sizes[i]!, sizes[i + 1]!]
    const biases = at + inputs * outputs
    const w = graph.constant(parameters.subarray(at, biases), [outputs, inputs])
    at = biases + outputs
    const b = graph.constant(parameters.subarray(biases, at))
    y = graph.node('Gemm', [y, w, b], { transB: 1 })
    if (activation !== 'linear') y = graph.node(OPERATORS[activation], [y])
  }
  return y
}
