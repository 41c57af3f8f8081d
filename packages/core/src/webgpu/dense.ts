// Dense nets on a GPU. N: rows, W: the widest layer.
import type { DenseNet } from '../batch-gpu.js'
import { ACTIVATIONS } from '../nn/activation.js'
import type { GpuBuffer } from './device.js'
import type { Pass, Session } from './session.js'
import { FUSED_ROWS, fusedDense, fusedWidth, gemm, sideOf, tileOf } from './wgsl.js'

const LINEAR = ACTIVATIONS.indexOf('linear')

/** A matrix product, y [rows, columns] = activation(x [rows, depth] Wᵀ + b): where what lies, in numbers. */
export interface Product {
  readonly x: GpuBuffer
  readonly y: GpuBuffer
  readonly parameters: GpuBuffer
  readonly rows: number
  readonly columns: number
  readonly depth: number
  /** Where the first numbers are. */
  readonly weights: number
  readonly bias: number
  readonly yAt?: number
  /** Distance between rows. */
  readonly yRow: number
  readonly activation?: number
}

export function multiply(session: Session, pass: Pass, product: Product): void {
  const { x, y, parameters, rows, columns, depth, weights, bias, yAt = 0, yRow } = product
  const side = sideOf(session.device.limits)
  const tile = tileOf(side)
  const [down, deep] = pass.grid(Math.ceil(rows / tile))
  pass.bind(gemm(side), [x, parameters, y])(
    [rows, columns, depth, weights, bias, yAt, yRow, product.activation ?? LINEAR],
    [Math.ceil(columns / tile), down, deep],
  )
}

/** A dense net in `parameters`, from number `at` on. */
export interface PlacedNet extends Omit<DenseNet, 'parameters'> {
  readonly parameters: GpuBuffer
  readonly at: number
}

/** y [rows, out] of x [rows, in]: in one dispatch where a workgroup holds the widest layer, else a product for each layer. */
export function forwardDense(session: Session, pass: Pass, net: PlacedNet, x: GpuBuffer, rows: number): GpuBuffer {
  const layers = layersOf(net)
  const widest = 2 ** Math.ceil(Math.log2(Math.max(16, ...net.sizes))) // few widths, few kernels to compile
  if (widest <= fusedWidth(session.device.limits)) {
    const y = pass.space(rows * net.sizes.at(-1)!)
    const table = pass.upload(Uint32Array.from(layers.flatMap((layer) => Object.values(layer))))
    const sizes = [rows, layers.length, net.sizes[0]!, net.sizes.at(-1)!]
    pass.bind(fusedDense(widest), [x, net.parameters, table, y])(sizes, pass.grid(Math.ceil(rows / FUSED_ROWS)))
    return y
  }
  return layers.reduce((input, { inputs, outputs, activation, weights, bias }) => {
    const y = pass.space(rows * outputs)
    const { parameters } = net
    const lies = { weights, bias, yRow: outputs }
    multiply(session, pass, { x: input, y, parameters, rows, columns: outputs, depth: inputs, activation, ...lies })
    return y
  }, x)
}

/** A layer as the kernel of whole nets reads it, word by word. */
interface Layer {
  readonly inputs: number
  readonly outputs: number
  readonly activation: number
  readonly weights: number
  readonly bias: number
}

function layersOf({ sizes, activations, at }: PlacedNet): Layer[] {
  let weights = at
  return activations.map((name, i) => {
    const [inputs, outputs] = [sizes[i]!, sizes[i + 1]!]
    const bias = weights + inputs * outputs
    const layer = { inputs, outputs, activation: ACTIVATIONS.indexOf(name), weights, bias }
    weights = bias + outputs
    return layer
  })
}

/** Multiply-adds of one row. */
export const denseWork = (sizes: readonly number[]): number =>
  sizes.slice(1).reduce((sum, out, i) => sum + sizes[i]! * out, 0)

/** y [N, out] = net(x [N, in]), in as many passes as its buffers need. @throws {Error} as `Session.run`; {TooLarge} */
export async function runDense(session: Session, net: DenseNet, x: Float32Array, y: Float32Array): Promise<void> {
  const { sizes, activations } = net
  const [inputs, outputs] = [sizes[0]!, sizes.at(-1)!]
  const rows = y.length / outputs
  const most = session.rowsThatFit(Math.max(...sizes), net.parameters.length)
  const firsts = Array.from({ length: Math.ceil(rows / most) }, (_, part) => part * most)
  await session.runAll(firsts, y, (first) => {
    const count = Math.min(most, rows - first)
    return {
      length: count * outputs,
      record: (pass) => {
        const parameters = pass.upload(net.parameters)
        const input = pass.upload(x.subarray(first * inputs, (first + count) * inputs))
        return forwardDense(session, pass, { sizes, activations, parameters, at: 0 }, input, count)
      },
    }
  })
}
