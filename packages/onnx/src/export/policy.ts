import type { Bytes } from '@trimtab/core'
import { type NormaliserMoments, type PolicyNetwork, readPolicyNetwork } from '@trimtab/learn'
import { addDense } from './dense.js'
import { Graph } from './graph.js'

// As the core's running moments have them.
const EPSILON = 1e-8
const LIMIT = 10

const TO_FLOAT = { to: 1 }
const TO_DOUBLE = { to: 11 }

/**
 * What an agent saved (`savePolicy`) as an ONNX model: `observation` [batch, S] → `action` [batch, A], by the same rule as
 * `Policy.decide`, normaliser, context and all. Actions are in [−1, 1]; a choice is its index, a float too. An observation that is
 * not finite comes out as NaN. Task, preset, spaces and seed go into the model's metadata.
 *
 * @throws {FormatError} those of `readPolicyNetwork`
 * @example
 * const session = await InferenceSession.create(policyToOnnx(agent.savePolicy()))
 */
export function policyToOnnx(bytes: Bytes): Uint8Array {
  const network = readPolicyNetwork(bytes)
  const { header } = network
  const graph = new Graph()
  const states = header.observation.names.length
  const outputs = header.action.names.length
  const y = addDense(graph, addInput(graph, network), network)
  const damage = addDamage(graph, 'observation')
  graph.node('Add', [addHead(graph, y, network), damage], {}, 'action')
  return graph.model({
    inputs: [{ name: 'observation', type: 'float32', shape: ['batch', states] }],
    outputs: [{ name: 'action', type: 'float32', shape: ['batch', outputs] }],
    metadata: {
      format: 'trimtab-policy',
      algorithm: header.algorithm,
      task: header.task,
      preset: header.preset,
      seed: String(header.seed),
      observation: header.observation.names.join(' '),
      action: header.action.names.join(' '),
      trainingData: header.trainingData,
    },
  })
}

/** What the network reads: the observation, normalised where it was learned so, and the context behind it. */
function addInput(graph: Graph, { normaliser, context }: PolicyNetwork): string {
  const state = normaliser ? addNormaliser(graph, 'observation', normaliser) : 'observation'
  if (context.length === 0) return state
  const rows = graph.node('Gather', [graph.node('Shape', ['observation']), graph.integers([0])])
  const shape = graph.node('Concat', [rows, graph.integers([context.length])], { axis: 0 })
  const behind = graph.node('Expand', [graph.constant(context, [1, context.length]), shape])
  return graph.node('Concat', [state, behind], { axis: 1 })
}

/** (x − mean) / deviation within ±10, in f64 as the core computes it. */
function addNormaliser(graph: Graph, x: string, { mean, variance }: NormaliserMoments): string {
  const deviation = variance.map((value) => Math.sqrt(value + EPSILON))
  const wide = graph.node('Cast', [x], TO_DOUBLE)
  const centred = graph.node('Sub', [wide, graph.constant(mean)])
  const scaled = graph.node('Div', [centred, graph.constant(deviation)])
  const [low, high] = [-LIMIT, LIMIT].map((limit) => graph.constant(Float64Array.of(limit), []))
  return graph.node('Cast', [graph.node('Clip', [scaled, low!, high!])], TO_FLOAT)
}

function addHead(graph: Graph, y: string, { head, heads }: PolicyNetwork): string {
  if (head === 'choices') return graph.node('Cast', [addChoices(graph, y, heads)], TO_FLOAT)
  const [low, high] = [-1, 1].map((limit) => graph.constant(Float32Array.of(limit), []))
  return graph.node('Clip', [y, low!, high!])
}

/** [batch, heads]: which of each head's outputs is the largest. */
function addChoices(graph: Graph, y: string, heads: readonly number[]): string {
  const largest = (x: string): string => graph.node('ArgMax', [x], { axis: 1, keepdims: 1 })
  if (heads.length === 1) return largest(y)
  let from = 0
  const indices = heads.map((choices) => {
    const [start, end, axis] = [from, from + choices, 1].map((number) => graph.integers([number]))
    from += choices
    return largest(graph.node('Slice', [y, start!, end!, axis!]))
  })
  return graph.node('Concat', indices, { axis: 1 })
}

/** [batch, 1]: zero for a finite row; x − x is NaN for NaN and ∞, which operators on the way may have lost. */
function addDamage(graph: Graph, x: string): string {
  return graph.node('ReduceSum', [graph.node('Sub', [x, x]), graph.integers([1])], { keepdims: 1 })
}
