// Where a stack of gated recurrent units keeps what; gru.ts is what it does.
//
// L: layers, D: directions, T: steps, N: sequences, I: inputs, H: hidden, P: padded(H). Everything is time-major: what one step
// touches lies together, and the inputs' products of all steps are one matrix product before the loop.
//
// flat block, unit after unit (unit = layer·D + direction), Reals:
//   W_i [inputs, 3P]   b_i [3P]   W_h [H, 3P]   b_h [3P]          inputs of a higher layer: D·P; columns are r | z | n
// canonical block (what TypeScript sees), PyTorch's order:   w_ih [3H, inputs]   w_hh [3H, H]   b_ih [3H]   b_hh [3H]
// workspace, Reals:
//   inputs [T, N, padded(I)] | outputs of each layer [T, N, D·P] | per unit: gates [T, N, 3P], candidate [T, N, P], before [T, N, P],
//   state [N, P], slope [N, P] | product [N, 3P] | slopes of a layer's outputs and of its inputs [T, N, …] | transposed | panels
// A sequence shorter than T has zero inputs and outputs behind its end; the second direction starts at its true end.
import { padded, Real, REAL } from '../math/real'
import { countOf } from '../memory/plan'
import { random_uniform } from '../random/xoshiro'

/** Rows of gates whose product with the inputs is added to the weights' gradients at once: both stay in the first-level cache. */
// @ts-ignore: decorator
@inline export const STEP_BLOCK: i32 = 256

// @ts-ignore: decorator
@unmanaged export class Gru {
  inputs: i32
  hidden: i32
  layers: i32
  directions: i32
  maxBatch: i32
  maxSteps: i32
  /** P */
  width: i32
  /** Offsets in the workspace, in Reals. */
  outputs: i32
  units: i32
  product: i32
  slopes: i32
  transposed: i32
  panels: i32
  /** What a flat block and a workspace take, exact for any sizes. */
  flatBytes: f64
  workspaceBytes: f64
  /** Numbers of a canonical block, exact for any sizes. */
  canonical: f64
}

/** Bytes of a plan. */
export function gru_plan_bytes(): usize {
  return offsetof<Gru>()
}

// @ts-ignore: decorator
@inline export function inputsOf(gru: Gru, layer: i32): i32 {
  return layer == 0 ? gru.inputs : gru.directions * gru.width
}

// @ts-ignore: decorator
@inline export function rows(gru: Gru): i32 {
  return gru.maxBatch * gru.maxSteps
}

/** Reals of one unit's share of the workspace. */
// @ts-ignore: decorator
@inline export function unitSpace(gru: Gru): i32 {
  return (5 * rows(gru) + 2 * gru.maxBatch) * gru.width
}

// @ts-ignore: decorator
@inline export function outputsOf(gru: Gru, layer: i32, workspace: usize): usize {
  return workspace + <usize>(gru.outputs + layer * rows(gru) * gru.directions * gru.width) * REAL
}

/** Where unit's weights start in a flat block, in Reals. */
export function unitOffset(gru: Gru, unit: i32): i32 {
  const layer = unit / gru.directions
  const below = layer == 0 ? 0 : gru.directions * unitReals(gru, 0) + (layer - 1) * gru.directions * unitReals(gru, 1)
  return below + (unit % gru.directions) * unitReals(gru, layer)
}

function unitReals(gru: Gru, layer: i32): i32 {
  return 3 * gru.width * (inputsOf(gru, layer) + gru.hidden + 2)
}

/** Numbers of the flat or the canonical block of all units: `inputs` of the first layer's, `above` of the others'; `width` of a gate. */
function parametersOf(gru: Gru, inputs: f64, above: f64, width: f64): f64 {
  const first = inputs + gru.hidden + 2, others = above + gru.hidden + 2
  return 3.0 * width * gru.directions * (first + (gru.layers - 1) * others)
}

/** Fills a plan; all sizes at least 1, directions 1 or 2. */
export function gru_plan(
  pointer: usize, inputs: i32, hidden: i32, layers: i32, directions: i32, maxBatch: i32, maxSteps: i32,
): void {
  const gru = changetype<Gru>(pointer)
  gru.inputs = inputs
  gru.hidden = hidden
  gru.layers = layers
  gru.directions = directions
  gru.maxBatch = maxBatch
  gru.maxSteps = maxSteps
  gru.width = padded(hidden)
  const width = <f64>gru.width
  gru.canonical = parametersOf(gru, inputs, directions * hidden, hidden)
  gru.flatBytes = parametersOf(gru, inputs, directions * gru.width, width) * REAL
  const steps = <f64>maxBatch * maxSteps, units = <f64>layers * directions
  const widest = max(padded(inputs), directions * gru.width)
  const outputs = steps * padded(inputs)
  const unitStart = outputs + steps * units * width
  const product = unitStart + units * (5.0 * steps + 2.0 * maxBatch) * width
  const slopes = product + 3.0 * maxBatch * width
  const transposed = slopes + 2.0 * steps * widest
  const panels = transposed + 3.0 * width * widest
  gru.outputs = countOf(outputs)
  gru.units = countOf(unitStart)
  gru.product = countOf(product)
  gru.slopes = countOf(slopes)
  gru.transposed = countOf(transposed)
  gru.panels = countOf(panels)
  gru.workspaceBytes = (panels + 3.0 * width * max(widest, STEP_BLOCK)) * REAL
}

/** Bytes of a flat block. */
export function gru_flat_bytes(gru: usize): f64 {
  return changetype<Gru>(gru).flatBytes
}

/** Numbers of a canonical block. */
export function gru_canonical(gru: usize): f64 {
  return changetype<Gru>(gru).canonical
}

/** Bytes of a workspace. */
export function gru_workspace_bytes(gru: usize): f64 {
  return changetype<Gru>(gru).workspaceBytes
}

/** canonical [gru_canonical] → flat [gru_flat] (`toFlat`), or flat → canonical. */
export function gru_convert(pointer: usize, flat: usize, canonical: usize, toFlat: i32): void {
  const gru = changetype<Gru>(pointer)
  const row = 3 * gru.width
  for (let unit = 0; unit < gru.layers * gru.directions; unit++) {
    const layer = unit / gru.directions
    const fromInputs = flat + <usize>unitOffset(gru, unit) * REAL
    const fromState = fromInputs + <usize>((inputsOf(gru, layer) + 1) * row) * REAL
    canonical = convertMatrix(gru, fromInputs, canonical, layer > 0, toFlat)
    canonical = convertSquare(gru, fromState, canonical, toFlat)
    canonical = convertBias(gru, fromInputs + <usize>(inputsOf(gru, layer) * row) * REAL, canonical, toFlat)
    canonical = convertBias(gru, fromState + <usize>(gru.hidden * row) * REAL, canonical, toFlat)
  }
}

/** w_ih of a unit; inputs of a higher layer are the outputs of D units with their pads. */
function convertMatrix(gru: Gru, flat: usize, canonical: usize, stacked: bool, toFlat: i32): usize {
  const columns = stacked ? gru.directions * gru.hidden : gru.inputs
  for (let g = 0; g < 3 * gru.hidden; g++) {
    for (let k = 0; k < columns; k++, canonical += REAL) {
      const input = stacked ? (k / gru.hidden) * gru.width + (k % gru.hidden) : k
      exchange(flat + <usize>(input * 3 * gru.width + column(gru, g)) * REAL, canonical, toFlat)
    }
  }
  return canonical
}

function convertSquare(gru: Gru, flat: usize, canonical: usize, toFlat: i32): usize {
  for (let g = 0; g < 3 * gru.hidden; g++) {
    for (let k = 0; k < gru.hidden; k++, canonical += REAL) {
      exchange(flat + <usize>(k * 3 * gru.width + column(gru, g)) * REAL, canonical, toFlat)
    }
  }
  return canonical
}

function convertBias(gru: Gru, flat: usize, canonical: usize, toFlat: i32): usize {
  for (let g = 0; g < 3 * gru.hidden; g++, canonical += REAL) {
    exchange(flat + <usize>column(gru, g) * REAL, canonical, toFlat)
  }
  return canonical
}

/** Row g of a canonical matrix is this column of a flat one. */
// @ts-ignore: decorator
@inline function column(gru: Gru, g: i32): i32 {
  return (g / gru.hidden) * gru.width + (g % gru.hidden)
}

// @ts-ignore: decorator
@inline function exchange(place: usize, canonical: usize, toFlat: i32): void {
  if (toFlat) store<Real>(place, load<Real>(canonical))
  else store<Real>(canonical, load<Real>(place))
}

/** Canonical parameters [gru_canonical] uniform in ±1/sqrt(H), PyTorch's default. */
export function gru_initialise(pointer: usize, canonical: usize, random: usize): void {
  const gru = changetype<Gru>(pointer)
  const bound = 1.0 / Math.sqrt(<f64>gru.hidden)
  for (let i = 0; i < <i32>gru.canonical; i++) {
    store<Real>(canonical + <usize>i * REAL, <Real>(bound * (2.0 * random_uniform(random) - 1.0)))
  }
}
