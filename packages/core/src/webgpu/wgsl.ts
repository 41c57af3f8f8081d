// The kernels in WGSL. Weights are canonical, W [out, in], then b [out]: lanes read them along a row where a tile is loaded.
// Elementary functions are the core's own polynomials (assembly/math/single.ts): those of drivers differ in more than the last bits.
import type { GpuLimits } from './device.js'

/** One compute shader: what it reads (read-only storage) and what it writes, in the order of its bindings from 1 on; 0 is its sizes. */
export interface Kernel {
  readonly name: string
  readonly code: string
  readonly reads: number
  readonly writes: number
}

const MATH = `
fn exponential(value: f32) -> f32 {
  let x = clamp(value, -87.33654, 88.376);
  let n = round(x * 1.44269504);
  let r = x - n * 0.693359375 + n * 2.12194440e-4;
  let p = ((((1.9875691500e-4 * r + 1.3981999507e-3) * r + 8.3334519073e-3) * r + 4.1665795894e-2) * r + 1.6666665459e-1) * r + 5.0000001201e-1;
  return (p * (r * r) + r + 1.0) * bitcast<f32>((i32(n) + 127) << 23u);
}
fn sigmoid(x: f32) -> f32 { return 1.0 / (1.0 + exponential(-x)); }
fn hyperbolic(x: f32) -> f32 {
  let size = abs(x);
  let s = x * x;
  let small = ((((-5.70498872745e-3 * s + 2.06390887954e-2) * s - 5.37397155531e-2) * s + 1.33314422036e-1) * s - 3.33332819422e-1) * s * x + x;
  return select(sign(x) * (1.0 - 2.0 / (exponential(size + size) + 1.0)), small, size < 0.625);
}
fn activate(kind: u32, x: f32) -> f32 {
  switch kind {
    case 1u: { return max(x, 0.0); }
    case 2u: { return hyperbolic(x); }
    case 3u: { return sigmoid(x); }
    default: { return x; }
  }
}
`

/** Rows that a workgroup of `fusedDense` takes, and its invocations. */
export const FUSED_ROWS = 8
const FUSED_LANES = 64

/** The widest layer whose activations fit a workgroup twice. */
export const fusedWidth = ({ maxComputeWorkgroupStorageSize }: GpuLimits): number =>
  Math.floor(maxComputeWorkgroupStorageSize / (2 * 4 * FUSED_ROWS))

/**
 * A whole dense net in one dispatch: a workgroup keeps its rows' activations and walks through the layers. `sums` is set to zero in so many
 * words: SwiftShader forgets that a declaration in a loop does it.
 */
export const fusedDense = (widest: number): Kernel => ({
  name: `fused dense net, ${widest} wide`,
  reads: 3,
  writes: 1,
  code: `${MATH}
struct Sizes { rows: u32, layers: u32, inputs: u32, outputs: u32 }
struct Layer { inputs: u32, outputs: u32, activation: u32, weights: u32, bias: u32 }
@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> parameters: array<f32>;
@group(0) @binding(3) var<storage, read> layers: array<Layer>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
var<workgroup> values: array<f32, ${2 * FUSED_ROWS * widest}>;
@compute @workgroup_size(${FUSED_LANES})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let first = (group.y * groups.x + group.x) * ${FUSED_ROWS}u;
  for (var i = lane; i < ${FUSED_ROWS}u * sizes.inputs; i += ${FUSED_LANES}u) {
    let row = i / sizes.inputs;
    if (first + row < sizes.rows) { values[row * ${widest}u + i % sizes.inputs] = x[first * sizes.inputs + i]; }
  }
  var here = 0u;
  var there = ${FUSED_ROWS * widest}u;
  for (var l = 0u; l < sizes.layers; l++) {
    workgroupBarrier();
    let layer = layers[l];
    for (var j = lane; j < layer.outputs; j += ${FUSED_LANES}u) {
      var sums = array<f32, ${FUSED_ROWS}>();
      for (var k = 0u; k < layer.inputs; k++) {
        let weight = parameters[layer.weights + j * layer.inputs + k];
        for (var row = 0u; row < ${FUSED_ROWS}u; row++) { sums[row] += values[here + row * ${widest}u + k] * weight; }
      }
      for (var row = 0u; row < ${FUSED_ROWS}u; row++) {
        values[there + row * ${widest}u + j] = activate(layer.activation, sums[row] + parameters[layer.bias + j]);
      }
    }
    let swap = here;
    here = there;
    there = swap;
  }
  workgroupBarrier();
  for (var i = lane; i < ${FUSED_ROWS}u * sizes.outputs; i += ${FUSED_LANES}u) {
    let row = i / sizes.outputs;
    if (first + row < sizes.rows) { y[first * sizes.outputs + i] = values[here + row * ${widest}u + i % sizes.outputs]; }
  }
}
`,
})

/** Side of a square workgroup, as the adapter allows: 16 where it takes 256 invocations, as nearly all do. */
export const sideOf = ({
  maxComputeInvocationsPerWorkgroup: most,
  maxComputeWorkgroupStorageSize,
}: GpuLimits): number => (most >= 256 && maxComputeWorkgroupStorageSize >= 2 * 4 * 64 * DEPTH ? 16 : 8)

/** Each invocation of `gemm` has 4 × 4 results. */
const EACH = 4
const DEPTH = 16

/** Rows and columns of a workgroup's tile. */
export const tileOf = (side: number): number => EACH * side

/** y = activation(x Wᵀ + b), in tiles that pass through workgroup memory. */
export const gemm = (side: number): Kernel => {
  const tile = tileOf(side)
  const perLane = (tile * DEPTH) / (side * side)
  return {
    name: `GEMM, tiles of ${tile}`,
    reads: 2,
    writes: 1,
    code: `${MATH}
struct Sizes { rows: u32, columns: u32, depth: u32, weights: u32, bias: u32, y: u32, yRow: u32, activation: u32 }
@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> parameters: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
var<workgroup> xs: array<f32, ${tile * DEPTH}>;
var<workgroup> ws: array<f32, ${tile * DEPTH}>;
@compute @workgroup_size(${side}, ${side})
fn main(
  @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u,
  @builtin(local_invocation_id) place: vec3u, @builtin(local_invocation_index) lane: u32,
) {
  let firstRow = (group.z * groups.y + group.y) * ${tile}u;
  let firstColumn = group.x * ${tile}u;
  var sums: array<vec4f, ${EACH}>;
  for (var base = 0u; base < sizes.depth; base += ${DEPTH}u) {
    for (var n = 0u; n < ${perLane}u; n++) {
      let i = n * ${side * side}u + lane;
      let row = firstRow + i / ${DEPTH}u;
      let column = firstColumn + i / ${DEPTH}u;
      let k = base + i % ${DEPTH}u;
      var value = 0.0;
      var weight = 0.0;
      if (row < sizes.rows && k < sizes.depth) { value = x[row * sizes.depth + k]; }
      if (column < sizes.columns && k < sizes.depth) { weight = parameters[sizes.weights + column * sizes.depth + k]; }
      xs[i] = value;
      ws[(i % ${DEPTH}u) * ${tile}u + i / ${DEPTH}u] = weight;
    }
    workgroupBarrier();
    for (var k = 0u; k < ${DEPTH}u; k++) {
      let at = k * ${tile}u + place.x * ${EACH}u;
      let w = vec4f(ws[at], ws[at + 1u], ws[at + 2u], ws[at + 3u]);
      for (var r = 0u; r < ${EACH}u; r++) { sums[r] += xs[(place.y * ${EACH}u + r) * ${DEPTH}u + k] * w; }
    }
    workgroupBarrier();
  }
  for (var r = 0u; r < ${EACH}u; r++) {
    let row = firstRow + place.y * ${EACH}u + r;
    for (var c = 0u; c < ${EACH}u; c++) {
      let column = firstColumn + place.x * ${EACH}u + c;
      if (row < sizes.rows && column < sizes.columns) {
        y[sizes.y + row * sizes.yRow + column] = activate(sizes.activation, sums[r][c] + parameters[sizes.bias + column]);
      }
    }
  }
}
`,
  }
}

/** One step of both directions of a GRU layer, whose inputs' products are there already; the second starts at each true end. */
export const gruStep = (side: number): Kernel => ({
  name: `GRU step, tiles of ${side}`,
  reads: 3,
  writes: 2,
  code: `${MATH}
struct Sizes { sequences: u32, step: u32, hidden: u32, forward: u32, backward: u32, forwardBias: u32, backwardBias: u32 }
struct Sequence { start: u32, length: u32 }
@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> products: array<f32>;
@group(0) @binding(2) var<storage, read> parameters: array<f32>;
@group(0) @binding(3) var<storage, read> sequences: array<Sequence>;
@group(0) @binding(4) var<storage, read_write> states: array<f32>;
@group(0) @binding(5) var<storage, read_write> outputs: array<f32>;
var<workgroup> hs: array<f32, ${side * side}>;
var<workgroup> ws: array<vec3f, ${side * side}>;
fn stateAt(step: u32, direction: u32, sequence: u32, unit: u32) -> u32 {
  return (((step % 2u) * 2u + direction) * sizes.sequences + sequence) * sizes.hidden + unit;
}
@compute @workgroup_size(${side}, ${side})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) place: vec3u, @builtin(local_invocation_index) lane: u32) {
  let direction = group.z;
  let sequence = group.y * ${side}u + place.y;
  let unit = group.x * ${side}u + place.x;
  let weights = select(sizes.forward, sizes.backward, direction == 1u);
  let row = 3u * sizes.hidden;
  let isInside = sequence < sizes.sequences && unit < sizes.hidden;
  let block = sizes.hidden * sizes.hidden;
  var sums = vec3f();
  if (sizes.step > 0u) {
    for (var base = 0u; base < sizes.hidden; base += ${side}u) {
      var h = 0.0;
      if (sequence < sizes.sequences && base + place.x < sizes.hidden) { h = states[stateAt(sizes.step, direction, sequence, base + place.x)]; }
      var w = vec3f();
      let column = group.x * ${side}u + place.y; // lanes along a row of weights
      if (base + place.x < sizes.hidden && column < sizes.hidden) {
        let at = weights + column * sizes.hidden + base + place.x;
        w = vec3f(parameters[at], parameters[at + block], parameters[at + 2u * block]);
      }
      hs[lane] = h;
      ws[place.x * ${side}u + place.y] = w;
      workgroupBarrier();
      for (var k = 0u; k < ${side}u; k++) { sums += hs[place.y * ${side}u + k] * ws[k * ${side}u + place.x]; }
      workgroupBarrier();
    }
  }
  if (!isInside) { return; }
  var before = 0.0;
  if (sizes.step > 0u) { before = states[stateAt(sizes.step, direction, sequence, unit)]; }
  let at = sequences[sequence];
  var after = before;
  if (sizes.step < at.length) {
    let time = select(sizes.step, at.length - 1u - sizes.step, direction == 1u);
    let product = (at.start + time) * 2u * row + direction * row + unit;
    let bias = select(sizes.forwardBias, sizes.backwardBias, direction == 1u) + unit;
    let r = sigmoid(products[product] + (sums.x + parameters[bias]));
    let z = sigmoid(products[product + sizes.hidden] + (sums.y + parameters[bias + sizes.hidden]));
    let n = hyperbolic(products[product + 2u * sizes.hidden] + r * (sums.z + parameters[bias + 2u * sizes.hidden]));
    after = (1.0 - z) * n + z * before;
    outputs[(at.start + time) * 2u * sizes.hidden + direction * sizes.hidden + unit] = after;
  }
  states[stateAt(sizes.step + 1u, direction, sequence, unit)] = after;
}
`,
})

export const POOL_LANES = 64

/** y [groups, width] = the mean of each group's rows; a group without rows is zero. */
export const pool: Kernel = {
  name: 'mean of rows',
  reads: 2,
  writes: 1,
  code: `
struct Sizes { groups: u32, width: u32, x: u32, xRow: u32, y: u32, yRow: u32 }
struct Range { start: u32, count: u32 }
@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> ranges: array<Range>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(${POOL_LANES})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = (group.y * groups.x + group.x) * ${POOL_LANES}u + lane;
  if (i >= sizes.groups * sizes.width) { return; }
  let range = ranges[i / sizes.width];
  let column = i % sizes.width;
  var sum = 0.0;
  for (var row = 0u; row < range.count; row++) { sum += x[sizes.x + (range.start + row) * sizes.xRow + column]; }
  y[sizes.y + (i / sizes.width) * sizes.yRow + column] = sum / f32(max(range.count, 1u));
}
`,
}
