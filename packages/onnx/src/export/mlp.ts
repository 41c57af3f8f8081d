import { addDense, type DenseNetwork } from './dense.js'
import { Graph, type Port } from './graph.js'

/**
 * A dense network as an ONNX model: `x` [batch, in] → `y` [batch, out].
 * @throws {ConfigError} `size_mismatch`
 * @example
 * const bytes = mlpToOnnx({ sizes: [8, 40, 5], activations: ['relu', 'tanh'], parameters: mlp.parameters() })
 */
export function mlpToOnnx(network: DenseNetwork): Uint8Array {
  const graph = new Graph()
  const y = addDense(graph, 'x', network)
  graph.node('Identity', [y], {}, 'y')
  const port = (name: string, width: number): Port => ({ name, type: 'float32', shape: ['batch', width] })
  return graph.model({
    inputs: [port('x', network.sizes[0]!)],
    outputs: [port('y', network.sizes.at(-1)!)],
    metadata: { format: 'trimtab-mlp' },
  })
}
