// Gated recurrent units over batches of sequences: stacked, one or two directions, true lengths, full back-propagation through time.
//
//   r = σ(W_ir x + b_ir + W_hr h + b_hr)      z = σ(W_iz x + b_iz + W_hz h + b_hz)
//   n = tanh(W_in x + b_in + r·(W_hn h + b_hn))      h' = (1 − z)·n + z·h
//
// gru-plan.ts holds the memory map. A sequence shorter than T has zero inputs and outputs behind its end; the second direction
// starts at its true end.
import { padded, Real, REAL, sigmoidReal, tanhReal } from '../math/real'
import { sigmoidFour, tanhFour } from '../math/single'
import { multiplyPanels, packPanels } from './gemm'
import { Gru, inputsOf, outputsOf, rows, STEP_BLOCK, unitOffset, unitSpace } from './gru-plan'
import { addRows, transpose } from './mlp'

/**
 * Runs n sequences of `steps` steps.
 * @param x        [N, T, I] dense
 * @param lengths  i32 [N], each in 1 … steps; 0: all are `steps` long
 * @param start    [L·D, N, H] initial states; 0: zeros
 * @param last     [L·D, N, H] filled with each unit's state after its last step
 */
export function gru_forward(
  pointer: usize, parameters: usize, x: usize, n: i32, steps: i32, lengths: usize, start: usize, last: usize, workspace: usize,
): void {
  const gru = changetype<Gru>(pointer)
  assert(n > 0 && n <= gru.maxBatch && steps > 0 && steps <= gru.maxSteps, 'gru: the batch does not fit the workspace')
  memory.fill(workspace, 0, <usize>(n * steps * padded(gru.inputs)) * REAL)
  for (let i = 0; i < n; i++) {
    const length = lengths != 0 ? load<i32>(lengths + (<usize>i << 2)) : steps
    placeSequence(gru, x + <usize>(i * steps * gru.inputs) * REAL, i, n, length, workspace)
  }
  forwardSequences(gru, parameters, n, steps, lengths, start, last, workspace)
}

/** `gru_forward` of inputs that are in the workspace already: `placeSequence`, zeros behind each end. */
export function forwardSequences(
  gru: Gru, parameters: usize, n: i32, steps: i32, lengths: usize, start: usize, last: usize, workspace: usize,
): void {
  let inputs = workspace
  let inputRow = padded(gru.inputs)
  for (let layer = 0; layer < gru.layers; layer++) {
    const outputs = outputsOf(gru, layer, workspace)
    for (let direction = 0; direction < gru.directions; direction++) {
      const unit = layer * gru.directions + direction
      const states = <usize>(unit * n * gru.hidden) * REAL
      forwardUnit(
        gru, unit, parameters, inputs, inputRow, n, steps, lengths, start != 0 ? start + states : 0,
        outputs + <usize>(direction * gru.width) * REAL, last != 0 ? last + states : 0, workspace,
      )
    }
    inputs = outputs
    inputRow = gru.directions * gru.width
  }
}

/** The top layer's outputs of the last `gru_forward` → y [N, T, D·H] dense. */
export function gru_outputs(pointer: usize, n: i32, steps: i32, y: usize, workspace: usize): void {
  const gru = changetype<Gru>(pointer)
  const from = outputsOf(gru, gru.layers - 1, workspace)
  const row = <usize>(gru.directions * gru.width) * REAL, half = <usize>gru.width * REAL, bytes = <usize>gru.hidden * REAL
  for (let i = 0; i < n; i++) {
    for (let t = 0; t < steps; t++) {
      const at = from + <usize>(t * n + i) * row
      for (let direction: usize = 0; direction < <usize>gru.directions; direction++, y += bytes) memory.copy(y, at + direction * half, bytes)
    }
  }
}

/** x [length, I] of sequence i of n → the workspace, time-major and padded. */
export function placeSequence(gru: Gru, x: usize, i: i32, n: i32, length: i32, workspace: usize): void {
  const row = <usize>padded(gru.inputs) * REAL
  const bytes = <usize>gru.inputs * REAL
  for (let t = 0; t < length; t++) memory.copy(workspace + <usize>(t * n + i) * row, x + <usize>t * bytes, bytes)
}

function forwardUnit(
  gru: Gru, unit: i32, parameters: usize, inputs: usize, inputRow: i32, n: i32, steps: i32, lengths: usize,
  start: usize, outputs: usize, last: usize, workspace: usize,
): void {
  const P = gru.width, H = gru.hidden
  const layer = unit / gru.directions
  const count = inputsOf(gru, layer)
  const gateRow = <usize>(3 * P) * REAL, stateRow = <usize>P * REAL, outputRow = <usize>(gru.directions * P) * REAL
  const weights = parameters + <usize>unitOffset(gru, unit) * REAL
  const recurrent = weights + <usize>(count + 1) * gateRow
  const gates = workspace + <usize>(gru.units + unit * unitSpace(gru)) * REAL
  const candidates = gates + <usize>rows(gru) * gateRow
  const before = candidates + <usize>rows(gru) * stateRow
  const state = before + <usize>rows(gru) * stateRow
  const product = workspace + <usize>gru.product * REAL
  const panels = workspace + <usize>gru.panels * REAL

  packPanels(panels, weights, gateRow, 3 * P, count)
  multiplyPanels(gates, gateRow, inputs, <usize>inputRow * REAL, REAL, panels, weights + <usize>count * gateRow, 0, steps * n, 3 * P, count)
  packPanels(panels, recurrent, gateRow, 3 * P, H)
  loadState(gru, state, start, n)
  const backwards = unit % gru.directions == 1
  for (let step = 0; step < steps; step++) {
    const t = backwards ? steps - 1 - step : step
    multiplyPanels(product, gateRow, state, stateRow, REAL, panels, recurrent + <usize>H * gateRow, 0, n, 3 * P, H)
    const at = <usize>(t * n)
    memory.copy(before + at * stateRow, state, <usize>n * stateRow)
    for (let i = 0; i < n; i++) {
      const row = at + <usize>i
      const output = outputs + row * outputRow
      if (lengths != 0 && t >= load<i32>(lengths + (<usize>i << 2))) {
        memory.fill(output, 0, stateRow)
        continue
      }
      const own = state + <usize>i * stateRow
      gate(gates + row * gateRow, product + <usize>i * gateRow, candidates + row * stateRow, own, stateRow)
      memory.copy(output, own, stateRow)
    }
  }
  if (last != 0) {
    for (let i = 0; i < n; i++) memory.copy(last + <usize>(i * H) * REAL, state + <usize>i * stateRow, <usize>H * REAL)
  }
}

function loadState(gru: Gru, state: usize, from: usize, n: i32): void {
  const row = <usize>gru.width * REAL, bytes = <usize>gru.hidden * REAL
  memory.fill(state, 0, <usize>n * row)
  if (from == 0) return
  for (let i: usize = 0; i < <usize>n; i++) memory.copy(state + i * row, from + i * bytes, bytes)
}

/** One row of one step: x [3P] becomes the gates r | z | n, h [P] the next state; candidate keeps W_hn h + b_hn. */
function gate(x: usize, h: usize, candidate: usize, state: usize, width: usize): void {
  if (ASC_FEATURE_SIMD) {
    for (let j: usize = 0; j < 2 * width; j += 16) v128.store(x + j, sigmoidFour(f32x4.add(v128.load(x + j), v128.load(h + j))))
    for (let j: usize = 0; j < width; j += 16) {
      const r = v128.load(x + j), z = v128.load(x + width + j), c = v128.load(h + 2 * width + j)
      const n = tanhFour(f32x4.add(v128.load(x + 2 * width + j), f32x4.mul(r, c)))
      const old = v128.load(state + j)
      v128.store(x + 2 * width + j, n)
      v128.store(candidate + j, c)
      v128.store(state + j, f32x4.add(n, f32x4.mul(z, f32x4.sub(old, n))))
    }
  } else {
    for (let j: usize = 0; j < width; j += REAL) {
      const r = sigmoidReal(load<Real>(x + j) + load<Real>(h + j))
      const z = sigmoidReal(load<Real>(x + width + j) + load<Real>(h + width + j))
      const c = load<Real>(h + 2 * width + j)
      const n = tanhReal(load<Real>(x + 2 * width + j) + r * c)
      const old = load<Real>(state + j)
      store<Real>(x + j, r)
      store<Real>(x + width + j, z)
      store<Real>(x + 2 * width + j, n)
      store<Real>(candidate + j, c)
      store<Real>(state + j, n + z * (old - n))
    }
  }
}


/**
 * After `gru_forward` of the same x, once: adds dLoss/dparameters to `gradients` (flat).
 * @param dy      [N, T, D·H] slopes of the top layer's outputs; 0: zeros
 * @param dLast   [L·D, N, H] slopes of the last states; 0: zeros
 * @param dx      [N, T, I], filled; 0: not wanted
 * @param dStart  [L·D, N, H], filled; 0: not wanted
 */
export function gru_backward(
  pointer: usize, parameters: usize, n: i32, steps: i32, lengths: usize, dy: usize, dLast: usize,
  gradients: usize, dx: usize, dStart: usize, workspace: usize,
): void {
  const gru = changetype<Gru>(pointer)
  let slopes = workspace + <usize>gru.slopes * REAL
  let below = slopes + <usize>((gru.transposed - gru.slopes) / 2) * REAL
  loadSlopes(gru, dy, n, steps, lengths, slopes)
  for (let layer = gru.layers - 1; layer >= 0; layer--) {
    const inputs = layer == 0 ? workspace : outputsOf(gru, layer - 1, workspace)
    const inputRow = layer == 0 ? padded(gru.inputs) : gru.directions * gru.width
    const wanted = layer > 0 || dx != 0
    for (let direction = 0; direction < gru.directions; direction++) {
      const unit = layer * gru.directions + direction
      const states = <usize>(unit * n * gru.hidden) * REAL
      backwardUnit(
        gru, unit, parameters, n, steps, lengths, slopes + <usize>(direction * gru.width) * REAL,
        dLast != 0 ? dLast + states : 0, dStart != 0 ? dStart + states : 0, workspace,
      )
      addWeights(gru, unit, gradients, inputs, inputRow, steps * n, workspace)
      if (wanted) inputSlopes(gru, unit, parameters, below, inputRow, steps * n, direction > 0, workspace)
    }
    const swap = slopes
    slopes = below
    below = swap
  }
  if (dx == 0) return
  const row = <usize>padded(gru.inputs) * REAL, bytes = <usize>gru.inputs * REAL
  for (let i = 0; i < n; i++) {
    for (let t = 0; t < steps; t++, dx += bytes) memory.copy(dx, slopes + <usize>(t * n + i) * row, bytes)
  }
}

/** dy [N, T, D·H] → time-major, padded; rows behind a sequence's end are never read. */
function loadSlopes(gru: Gru, dy: usize, n: i32, steps: i32, lengths: usize, to: usize): void {
  const row = <usize>(gru.directions * gru.width) * REAL, half = <usize>gru.width * REAL, bytes = <usize>gru.hidden * REAL
  memory.fill(to, 0, <usize>(n * steps) * row)
  if (dy == 0) return
  for (let i = 0; i < n; i++) {
    for (let t = 0; t < steps; t++) {
      const at = to + <usize>(t * n + i) * row
      for (let direction: usize = 0; direction < <usize>gru.directions; direction++, dy += bytes) memory.copy(at + direction * half, dy, bytes)
    }
  }
}

/** Back through time: the unit's gates become the slopes of their inputs, its candidates those of W_hn h + b_hn. */
function backwardUnit(
  gru: Gru, unit: i32, parameters: usize, n: i32, steps: i32, lengths: usize, dy: usize, dLast: usize, dStart: usize, workspace: usize,
): void {
  const P = gru.width, H = gru.hidden
  const layer = unit / gru.directions
  const gateRow = <usize>(3 * P) * REAL, stateRow = <usize>P * REAL, outputRow = <usize>(gru.directions * P) * REAL
  const recurrent = parameters + <usize>(unitOffset(gru, unit) + (inputsOf(gru, layer) + 1) * 3 * P) * REAL
  const gates = workspace + <usize>(gru.units + unit * unitSpace(gru)) * REAL
  const candidates = gates + <usize>rows(gru) * gateRow
  const before = candidates + <usize>rows(gru) * stateRow
  const slope = before + <usize>rows(gru) * stateRow + <usize>gru.maxBatch * stateRow
  const product = workspace + <usize>gru.product * REAL
  const transposed = workspace + <usize>gru.transposed * REAL
  const panels = workspace + <usize>gru.panels * REAL

  transpose(recurrent, 3 * P, transposed, P, H)
  packPanels(panels, transposed, stateRow, P, 3 * P)
  loadState(gru, slope, dLast, n)
  const backwards = unit % gru.directions == 1
  for (let step = steps - 1; step >= 0; step--) {
    const t = backwards ? steps - 1 - step : step
    for (let i = 0; i < n; i++) {
      const row = <usize>(t * n + i)
      const gateSlopes = product + <usize>i * gateRow
      if (lengths != 0 && t >= load<i32>(lengths + (<usize>i << 2))) {
        memory.fill(gateSlopes, 0, gateRow)
        memory.fill(gates + row * gateRow, 0, gateRow)
        memory.fill(candidates + row * stateRow, 0, stateRow)
        continue
      }
      ungate(
        gates + row * gateRow, candidates + row * stateRow, before + row * stateRow, dy + row * outputRow,
        slope + <usize>i * stateRow, gateSlopes, stateRow,
      )
    }
    multiplyPanels(slope, stateRow, product, gateRow, REAL, panels, slope, stateRow, n, P, 3 * P)
  }
  if (dStart != 0) {
    for (let i = 0; i < n; i++) memory.copy(dStart + <usize>(i * H) * REAL, slope + <usize>i * stateRow, <usize>H * REAL)
  }
}

/** One row of one step: slopes of r | z | n before their activations into `gates` and `product`, z·slope into `slope`. */
function ungate(gates: usize, candidate: usize, before: usize, dy: usize, slope: usize, product: usize, width: usize): void {
  for (let j: usize = 0; j < width; j += ASC_FEATURE_SIMD ? 16 : REAL) {
    if (ASC_FEATURE_SIMD) {
      const one = f32x4.splat(1.0)
      const r = v128.load(gates + j), z = v128.load(gates + width + j), n = v128.load(gates + 2 * width + j)
      const d = f32x4.add(v128.load(slope + j), v128.load(dy + j))
      const dn = f32x4.mul(f32x4.mul(d, f32x4.sub(one, z)), f32x4.sub(one, f32x4.mul(n, n)))
      const dz = f32x4.mul(f32x4.mul(d, f32x4.sub(v128.load(before + j), n)), f32x4.mul(z, f32x4.sub(one, z)))
      const dr = f32x4.mul(f32x4.mul(dn, v128.load(candidate + j)), f32x4.mul(r, f32x4.sub(one, r)))
      const dc = f32x4.mul(dn, r)
      v128.store(gates + j, dr)
      v128.store(gates + width + j, dz)
      v128.store(gates + 2 * width + j, dn)
      v128.store(candidate + j, dc)
      v128.store(product + j, dr)
      v128.store(product + width + j, dz)
      v128.store(product + 2 * width + j, dc)
      v128.store(slope + j, f32x4.mul(d, z))
    } else {
      const one: Real = 1.0
      const r = load<Real>(gates + j), z = load<Real>(gates + width + j), n = load<Real>(gates + 2 * width + j)
      const d = load<Real>(slope + j) + load<Real>(dy + j)
      const dn = d * (one - z) * (one - n * n)
      const dz = d * (load<Real>(before + j) - n) * (z * (one - z))
      const dr = dn * load<Real>(candidate + j) * (r * (one - r))
      const dc = dn * r
      store<Real>(gates + j, dr)
      store<Real>(gates + width + j, dz)
      store<Real>(gates + 2 * width + j, dn)
      store<Real>(candidate + j, dc)
      store<Real>(product + j, dr)
      store<Real>(product + width + j, dz)
      store<Real>(product + 2 * width + j, dc)
      store<Real>(slope + j, d * z)
    }
  }
}

/** gradients of a unit += what its slopes say, over `count` rows of time and batch. */
function addWeights(gru: Gru, unit: i32, gradients: usize, inputs: usize, inputRow: i32, count: i32, workspace: usize): void {
  const P = gru.width, H = gru.hidden
  const layer = unit / gru.directions
  const gateRow = <usize>(3 * P) * REAL, stateRow = <usize>P * REAL, pairRow = 2 * stateRow
  const weights = gradients + <usize>unitOffset(gru, unit) * REAL
  const bias = weights + <usize>inputsOf(gru, layer) * gateRow
  const recurrent = bias + gateRow
  const recurrentBias = recurrent + <usize>H * gateRow
  let gates = workspace + <usize>(gru.units + unit * unitSpace(gru)) * REAL
  let candidates = gates + <usize>rows(gru) * gateRow
  let before = candidates + <usize>rows(gru) * stateRow
  const panels = workspace + <usize>gru.panels * REAL
  for (let done = 0; done < count; done += STEP_BLOCK) {
    const k = min(STEP_BLOCK, count - done)
    packPanels(panels, gates, gateRow, 3 * P, k)
    multiplyPanels(weights, gateRow, inputs, REAL, <usize>inputRow * REAL, panels, weights, gateRow, inputsOf(gru, layer), 3 * P, k)
    multiplyPanels(recurrent, gateRow, before, REAL, stateRow, panels, recurrent, gateRow, H, 2 * P, k)
    packPanels(panels, candidates, stateRow, P, k)
    multiplyPanels(recurrent + pairRow, gateRow, before, REAL, stateRow, panels, recurrent + pairRow, gateRow, H, P, k)
    addRows(bias, gates, gateRow, k)
    for (let i: usize = 0; i < <usize>k; i++) addRows(recurrentBias, gates + i * gateRow, pairRow, 1)
    addRows(recurrentBias + pairRow, candidates, stateRow, k)
    inputs += <usize>(k * inputRow) * REAL
    gates += <usize>k * gateRow
    candidates += <usize>k * stateRow
    before += <usize>k * stateRow
  }
}

/** slopes [T·N, inputs] = (or, `add`, +=) the unit's gate slopes · W_i. */
function inputSlopes(gru: Gru, unit: i32, parameters: usize, slopes: usize, inputRow: i32, count: i32, add: bool, workspace: usize): void {
  const P = gru.width
  const gateRow = <usize>(3 * P) * REAL, slopeRow = <usize>inputRow * REAL
  const gates = workspace + <usize>(gru.units + unit * unitSpace(gru)) * REAL
  const transposed = workspace + <usize>gru.transposed * REAL
  const panels = workspace + <usize>gru.panels * REAL
  transpose(parameters + <usize>unitOffset(gru, unit) * REAL, 3 * P, transposed, inputRow, inputsOf(gru, unit / gru.directions))
  packPanels(panels, transposed, slopeRow, inputRow, 3 * P)
  multiplyPanels(slopes, slopeRow, gates, gateRow, REAL, panels, add ? slopes : 0, slopeRow, count, inputRow, 3 * P)
}
