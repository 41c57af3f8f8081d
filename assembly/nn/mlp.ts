// Dense networks. A `Net` is only a shape; parameters, gradients, optimiser moments and workspaces are flat blocks beside it,
// so that one shape serves a network, its target and its average.
//
// flat block [flat] Reals, layer after layer:   W [in, padded(out)]   b [padded(out)]      pads are zero and stay zero
// canonical block (what TypeScript sees):       W [out, in]           b [out]
// workspace [workspace] Reals: outputs of each layer [maxBatch, padded(out)] | delta A, delta B [maxBatch, widest] | Wᵀ [padded(out), padded(in)]
// N: batch
import { padded, Real, REAL } from '../math/real'
import { countOf } from '../memory/plan'
import { random_uniform } from '../random/xoshiro'
import { activate, deactivate, LINEAR, RELU } from './activation'
import { applyMask } from './dropout'
import { gemm } from './gemm'

// @ts-ignore: decorator
@unmanaged export class Net {
  layers: i32
  maxBatch: i32
  /** Reals of a flat block. */
  flat: i32
  /** Widest padded row, of any layer or of the input. */
  widest: i32
  /** Where delta A starts in the workspace. */
  deltas: i32
  transposed: i32
  /** What a flat block, all hidden layers' outputs and a workspace take, exact for any sizes. */
  flatBytes: f64
  maskBytes: f64
  workspaceBytes: f64
  /** Numbers of a canonical block, exact for any sizes. */
  canonical: f64
}

// @ts-ignore: decorator
@unmanaged export class Layer {
  inputs: i32
  outputs: i32
  /** padded(outputs) */
  width: i32
  activation: i32
  /** Offsets of W and b in a flat block and of the outputs in a workspace, in Reals. */
  weights: i32
  biases: i32
  values: i32
  unused: i32
}

// @ts-ignore: decorator
@inline export function netBytes(layers: i32): usize {
  return offsetof<Net>() + <usize>layers * offsetof<Layer>()
}

// @ts-ignore: decorator
@inline export function layerOf(net: Net, index: i32): Layer {
  return changetype<Layer>(changetype<usize>(net) + netBytes(index))
}

/** Where the last layer's outputs lie: [N, padded(out)]. */
// @ts-ignore: decorator
@inline export function outputs(net: Net, workspace: usize): usize {
  return workspace + <usize>layerOf(net, net.layers - 1).values * REAL
}

/** Bytes of a `Net` with this many layers. */
export function mlp_net_bytes(layers: i32): usize {
  return netBytes(layers)
}

/** Fills a net from sizes i32[layers + 1] and activations i32[layers]. */
export function mlp_plan(pointer: usize, layers: i32, sizes: usize, activations: usize, maxBatch: i32): void {
  const net = changetype<Net>(pointer)
  net.layers = layers
  net.maxBatch = maxBatch
  let flat = 0.0, canonical = 0.0, values = 0.0, transposed = 0.0
  let widest = padded(load<i32>(sizes))
  for (let i = 0; i < layers; i++) {
    const layer = layerOf(net, i)
    const inputs = load<i32>(sizes + (<usize>i << 2))
    const out = load<i32>(sizes + (<usize>i << 2), 4)
    layer.inputs = inputs
    layer.outputs = out
    layer.width = padded(out)
    layer.activation = load<i32>(activations + (<usize>i << 2))
    const width = <f64>layer.width
    layer.weights = countOf(flat)
    layer.biases = countOf(flat + <f64>inputs * width)
    layer.values = countOf(values)
    net.maskBytes = values * REAL
    flat += <f64>inputs * width + width
    canonical += <f64>inputs * out + out
    values += <f64>maxBatch * width
    widest = max(widest, layer.width)
    transposed = max(transposed, width * padded(inputs))
  }
  const deltas = 2.0 * maxBatch * widest
  net.flat = countOf(flat)
  net.widest = widest
  net.deltas = countOf(values)
  net.transposed = countOf(values + deltas)
  net.flatBytes = flat * REAL
  net.workspaceBytes = (values + deltas + transposed) * REAL
  net.canonical = canonical
}

/** Plans in → hidden layers (ReLU) → out (linear). widths i32[hidden]; sizes: room for i32[2 hidden + 3], which must stay. */
export function planRelu(pointer: usize, inputs: i32, hidden: i32, widths: usize, out: i32, maxBatch: i32, sizes: usize): void {
  const activations = sizes + (<usize>(hidden + 2) << 2)
  store<i32>(sizes, inputs)
  for (let i: usize = 0; i < <usize>hidden; i++) {
    store<i32>(sizes + (i << 2), load<i32>(widths + (i << 2)), 4)
    store<i32>(activations + (i << 2), RELU)
  }
  store<i32>(activations - 4, out)
  store<i32>(activations + (<usize>hidden << 2), LINEAR)
  mlp_plan(pointer, hidden + 1, sizes, activations, maxBatch)
}

/** Bytes of a flat block. */
export function mlp_flat_bytes(net: usize): f64 {
  return changetype<Net>(net).flatBytes
}

/** Numbers of a canonical block. */
export function mlp_canonical(net: usize): f64 {
  return changetype<Net>(net).canonical
}

/** Bytes of a workspace. */
export function mlp_workspace_bytes(net: usize): f64 {
  return changetype<Net>(net).workspaceBytes
}

/** canonical [mlp_canonical] → flat [mlp_flat] (`toFlat`), or flat → canonical. */
export function mlp_convert(pointer: usize, flat: usize, canonical: usize, toFlat: i32): void {
  const net = changetype<Net>(pointer)
  for (let i = 0; i < net.layers; i++) {
    const layer = layerOf(net, i)
    const weights = flat + <usize>layer.weights * REAL
    for (let o = 0; o < layer.outputs; o++) {
      for (let k = 0; k < layer.inputs; k++) {
        const place = weights + <usize>(k * layer.width + o) * REAL
        if (toFlat) store<Real>(place, load<Real>(canonical))
        else store<Real>(canonical, load<Real>(place))
        canonical += REAL
      }
    }
    const biases = flat + <usize>layer.biases * REAL
    const bytes = <usize>layer.outputs * REAL
    if (toFlat) memory.copy(biases, canonical, bytes)
    else memory.copy(canonical, biases, bytes)
    canonical += bytes
  }
}

/** Every weight and bias of a flat block [mlp_flat] uniform in ±1/sqrt(in), drawn in canonical order (PyTorch's default). */
export function mlp_initialise(pointer: usize, flat: usize, random: usize): void {
  const net = changetype<Net>(pointer)
  for (let i = 0; i < net.layers; i++) {
    const layer = layerOf(net, i)
    const bound = 1.0 / Math.sqrt(<f64>layer.inputs)
    for (let o = 0; o < layer.outputs; o++) {
      for (let k = 0; k < layer.inputs; k++) store<Real>(flat + <usize>(layer.weights + k * layer.width + o) * REAL, draw(random, bound))
    }
    for (let o = 0; o < layer.outputs; o++) store<Real>(flat + <usize>(layer.biases + o) * REAL, draw(random, bound))
  }
}

// @ts-ignore: decorator
@inline function draw(random: usize, bound: f64): Real {
  return <Real>(bound * (2.0 * random_uniform(random) - 1.0))
}

/**
 * Runs n <= maxBatch rows of x through the net; the results stay in the workspace (`outputs`). xRow: bytes between rows.
 * masks: where not 0, dropout masks that lie as the hidden layers' outputs do in the workspace; hidden layers must be RELU or LINEAR.
 */
export function forward(net: Net, parameters: usize, x: usize, xRow: usize, n: i32, workspace: usize, masks: usize = 0): void {
  assert(n > 0 && n <= net.maxBatch, 'mlp: the batch does not fit the workspace')
  for (let i = 0; i < net.layers; i++) {
    const layer = layerOf(net, i)
    const row = <usize>layer.width * REAL
    const y = workspace + <usize>layer.values * REAL
    const weights = parameters + <usize>layer.weights * REAL
    gemm(y, row, x, xRow, REAL, weights, row, parameters + <usize>layer.biases * REAL, 0, n, layer.width, layer.inputs)
    activate(layer.activation, y, y, n * layer.width)
    if (masks != 0 && i < net.layers - 1) applyMask(y, masks + <usize>layer.values * REAL, n * layer.width)
    x = y
    xRow = row
  }
}

/** Where the caller of `backward` puts dLoss/dy: [N, padded(out)], pads zero. */
// @ts-ignore: decorator
@inline export function deltas(net: Net, workspace: usize): usize {
  return workspace + <usize>net.deltas * REAL
}

/** Numbers of a block of masks: the outputs of all hidden layers. */
export function maskLength(net: Net): i32 {
  return layerOf(net, net.layers - 1).values
}

/**
 * After `forward` of the same rows and masks and with `deltas` filled: adds dLoss/dparameters to `gradients` (a flat block; 0: not wanted).
 * Returns dLoss/dx [N, padded(in)] where `wantInput`, in the workspace.
 */
export function backward(
  net: Net, parameters: usize, x: usize, xRow: usize, n: i32, workspace: usize, gradients: usize, wantInput: bool, masks: usize = 0,
): usize {
  const first = deltas(net, workspace)
  const second = first + <usize>(net.maxBatch * net.widest) * REAL
  const transposed = workspace + <usize>net.transposed * REAL
  let delta = first
  for (let i = net.layers - 1; i >= 0; i--) {
    const layer = layerOf(net, i)
    const row = <usize>layer.width * REAL
    if (masks != 0 && i < net.layers - 1) applyMask(delta, masks + <usize>layer.values * REAL, n * layer.width)
    deactivate(layer.activation, workspace + <usize>layer.values * REAL, delta, n * layer.width)
    let input = x
    let inputRow = xRow
    if (i > 0) {
      const below = layerOf(net, i - 1)
      input = workspace + <usize>below.values * REAL
      inputRow = <usize>below.width * REAL
    }
    if (gradients != 0) {
      const weights = gradients + <usize>layer.weights * REAL
      gemm(weights, row, input, REAL, inputRow, delta, row, weights, row, layer.inputs, layer.width, n)
      addRows(gradients + <usize>layer.biases * REAL, delta, row, n)
    }
    if (i == 0 && !wantInput) return 0
    const width = padded(layer.inputs)
    transpose(parameters + <usize>layer.weights * REAL, layer.width, transposed, width, layer.inputs)
    const next = delta == first ? second : first
    gemm(next, <usize>width * REAL, delta, row, REAL, transposed, <usize>width * REAL, 0, 0, n, width, layer.outputs)
    delta = next
  }
  return delta
}

/** sum [row] += Σ_n rows [n, row] */
export function addRows(sum: usize, rows: usize, row: usize, n: i32): void {
  for (let i = 0; i < n; i++, rows += row) {
    if (ASC_FEATURE_SIMD) {
      for (let j: usize = 0; j < row; j += 16) v128.store(sum + j, f32x4.add(v128.load(sum + j), v128.load(rows + j)))
    } else {
      for (let j: usize = 0; j < row; j += REAL) store<Real>(sum + j, load<Real>(sum + j) + load<Real>(rows + j))
    }
  }
}

/** to [fromWidth, toWidth] = from [inputs, fromWidth] transposed; columns of `to` beyond `inputs` become zero. */
export function transpose(from: usize, fromWidth: i32, to: usize, toWidth: i32, inputs: i32): void {
  let k = 0
  if (ASC_FEATURE_SIMD) for (; k + 4 <= inputs; k += 4) transposeFour(from + ((k * fromWidth) << 2), fromWidth, to + (k << 2), toWidth)
  for (; k < toWidth; k++) {
    for (let o = 0; o < fromWidth; o++) {
      const value = k < inputs ? load<Real>(from + <usize>(k * fromWidth + o) * REAL) : <Real>0.0
      store<Real>(to + <usize>(o * toWidth + k) * REAL, value)
    }
  }
}

/** Four rows of `from` become four columns of `to`, in blocks of 4 × 4. */
function transposeFour(from: usize, fromWidth: i32, to: usize, toWidth: i32): void {
  const row = <usize>fromWidth << 2, toRow = <usize>toWidth << 2
  for (const end = from + row; from < end; from += 16) {
    const r0 = v128.load(from), r1 = v128.load(from + row), r2 = v128.load(from + 2 * row), r3 = v128.load(from + 3 * row)
    const low01 = i32x4.shuffle(r0, r1, 0, 4, 1, 5), high01 = i32x4.shuffle(r0, r1, 2, 6, 3, 7)
    const low23 = i32x4.shuffle(r2, r3, 0, 4, 1, 5), high23 = i32x4.shuffle(r2, r3, 2, 6, 3, 7)
    v128.store(to, i64x2.shuffle(low01, low23, 0, 2))
    v128.store(to + toRow, i64x2.shuffle(low01, low23, 1, 3))
    v128.store(to + 2 * toRow, i64x2.shuffle(high01, high23, 0, 2))
    v128.store(to + 3 * toRow, i64x2.shuffle(high01, high23, 1, 3))
    to += 4 * toRow
  }
}

/** y [n, out] dense = net(x [n, in] dense). */
export function mlp_forward(pointer: usize, parameters: usize, x: usize, y: usize, n: i32, workspace: usize): void {
  const net = changetype<Net>(pointer)
  forward(net, parameters, x, <usize>layerOf(net, 0).inputs * REAL, n, workspace)
  const last = layerOf(net, net.layers - 1)
  copyRows(y, <usize>last.outputs * REAL, outputs(net, workspace), <usize>last.width * REAL, last.outputs, n)
}

/** After `mlp_forward` of the same x: gradients += dLoss/dparameters for dy [n, out]; dx [n, in] where not 0. */
export function mlp_backward(
  pointer: usize, parameters: usize, x: usize, dy: usize, n: i32, workspace: usize, gradients: usize, dx: usize,
): void {
  const net = changetype<Net>(pointer)
  const last = layerOf(net, net.layers - 1)
  const inputs = layerOf(net, 0).inputs
  const delta = deltas(net, workspace)
  memory.fill(delta, 0, <usize>(n * last.width) * REAL)
  copyRows(delta, <usize>last.width * REAL, dy, <usize>last.outputs * REAL, last.outputs, n)
  const slope = backward(net, parameters, x, <usize>inputs * REAL, n, workspace, gradients, dx != 0)
  if (dx != 0) copyRows(dx, <usize>inputs * REAL, slope, <usize>padded(inputs) * REAL, inputs, n)
}

/** n rows of `count` numbers from one row distance to another. */
export function copyRows(to: usize, toRow: usize, from: usize, fromRow: usize, count: i32, n: i32): void {
  for (let i = 0; i < n; i++, to += toRow, from += fromRow) copyReals(to, from, count)
}

// @ts-ignore: decorator
@inline export function copyReals(to: usize, from: usize, count: i32): void {
  for (let j: usize = 0; j < <usize>count * REAL; j += REAL) store<Real>(to + j, load<Real>(from + j))
}
