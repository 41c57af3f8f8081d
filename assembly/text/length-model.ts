// How long an answer will be, from the prompt: a small network over hashed n-grams that learns from every answer.
//
//   x = [ Σ rows of the table / √n | counts, standardised | the model's row ]            [X]
//   h = relu(x · A + b)                                                                   [H]
//   p = softmax(x · L + h · B + c)          over the five classes of the model's own percentiles (dissertation 6.3.2)
//
// Cross-entropy by stochastic gradient descent with Adagrad rates (Duchi, Hazan and Singer 2011); a row of the table has one
// rate. A text's unseen n-grams add nothing: their rows start at zero. Row 0 of the models is that of models not yet met.
//
// X = D + C + M: table width, counts, model width; H hidden; K classes, padded to eight; V rows of the table; N models
// block: LengthModel | Features | table [V, D], squares [V] | weights: A [X, H], b [H], B [H, 8], L [X, 8], c [8], models [N, M]
//        squares of the weights | mean [C], variance [C], 1 / deviation [C] | x [X], h [H], slopes [H], p [8], gradient [8]
import * as abi from '../abi'
import { expReal, REAL, Real } from '../math/real'
import { math_log } from '../math/special'
import { beginPlan, place, placeRows, planned } from '../memory/plan'
import { gemm } from '../nn/gemm'
import { RANDOM_BYTES, random_normal, random_seed } from '../random/xoshiro'
import { COUNTS, createFeatures, Features, planFeatures, readFeatures } from './features'

// @ts-ignore: decorator
@inline const D: usize = 8
// @ts-ignore: decorator
@inline const M: usize = 8
// @ts-ignore: decorator
@inline const X: usize = D + COUNTS + M
// @ts-ignore: decorator
@inline const H: usize = 24
// @ts-ignore: decorator
@inline const K: usize = 5
// @ts-ignore: decorator
@inline const WIDTH: usize = 8 // of a padded row of classes
// @ts-ignore: decorator
@inline const EPSILON: Real = 1e-3
// @ts-ignore: decorator
@inline const FIRST_SQUARES: Real = 1e-3 // what a table row's rate starts from: rare n-grams move little
// @ts-ignore: decorator
@inline const MODEL_DECAY: Real = 1e-3
// @ts-ignore: decorator
@inline const COUNT_LIMIT: Real = 4 // standardised counts are cut there
// @ts-ignore: decorator
@inline const MOMENTS_MEMORY: f64 = 10000 // rows after which the oldest are forgotten

// @ts-ignore: decorator
@unmanaged export class LengthModel {
  bits: i32 = 0
  models: i32 = 0
  rate: f64 = 0
  /** Rows learnt from. */
  updates: f64 = 0
  /** Rows behind the moments of the counts. */
  seen: f64 = 0
  /** Whether 1 / deviation is that of the variance. */
  isScaled: bool = false
  features: usize = 0
  table: usize = 0
  tableSquares: usize = 0
  weights: usize = 0
  squares: usize = 0
  hiddenBias: usize = 0
  hiddenOut: usize = 0
  direct: usize = 0
  bias: usize = 0
  modelRows: usize = 0
  moments: usize = 0
  x: usize = 0
  hidden: usize = 0
  slopes: usize = 0
  probabilities: usize = 0
  gradient: usize = 0
}

// @ts-ignore: decorator
@inline function weightCount(models: i32): f64 {
  return X * H + H + H * WIDTH + X * WIDTH + WIDTH + <f64>models * M
}

function layOut(base: usize, bits: i32, models: i32): f64 {
  beginPlan(base)
  const net = changetype<LengthModel>(place(offsetof<LengthModel>()))
  net.bits = bits
  net.models = models
  net.features = planFeatures(bits)
  const rows = 1 << bits, weightBytes = weightCount(models) * REAL
  net.table = placeRows(rows, D * REAL)
  net.tableSquares = placeRows(rows, REAL)
  net.weights = place(weightBytes)
  net.squares = place(weightBytes)
  net.hiddenBias = net.weights + X * H * REAL
  net.hiddenOut = net.hiddenBias + H * REAL
  net.direct = net.hiddenOut + H * WIDTH * REAL
  net.bias = net.direct + X * WIDTH * REAL
  net.modelRows = net.bias + WIDTH * REAL
  net.moments = place(3 * COUNTS * REAL)
  net.x = place(X * REAL)
  net.hidden = place(H * REAL)
  net.slopes = place(H * REAL)
  net.probabilities = place(WIDTH * REAL)
  net.gradient = place(WIDTH * REAL)
  return planned()
}

/** Bytes of a scratch block that `length_bytes` may write a head into. */
export function length_shape_bytes(): f64 {
  return offsetof<LengthModel>() + offsetof<Features>() + 64
}

/** Bytes of a model with 2^bits rows of n-grams. */
export function length_bytes(scratch: usize, bits: i32, models: i32): f64 {
  return layOut(scratch, bits, models) - <f64>scratch
}

/** Makes a model in `base`, `length_bytes` long: knows no n-gram, expects what the percentiles say. */
export function length_create(base: usize, bits: i32, models: i32, seedLow: i32, seedHigh: i32): void {
  layOut(base, bits, models)
  const net = changetype<LengthModel>(base)
  createFeatures(changetype<Features>(net.features))
  const random = net.x // free until the first prediction; X * REAL > RANDOM_BYTES
  assert(X * REAL >= RANDOM_BYTES)
  random_seed(random, seedLow, seedHigh, 1)
  fillNormal(net.weights, X * H, 1.0 / Math.sqrt(<f64>X), random)
  for (let row: usize = 0; row < H; row++) fillNormal(net.hiddenOut + row * WIDTH * REAL, K, 0.5 / Math.sqrt(<f64>H), random)
  for (let row: usize = 0; row < D; row++) fillNormal(net.direct + row * WIDTH * REAL, K, 0.3, random)
  for (let row = 1; row < models; row++) fillNormal(net.modelRows + <usize>row * M * REAL, M, 0.1, random)
  memory.fill(random, 0, RANDOM_BYTES)
  for (let i: usize = 0; i < <usize>1 << bits; i++) store<Real>(net.tableSquares + i * REAL, FIRST_SQUARES)
  for (let k: usize = 0; k < K; k++) store<Real>(net.bias + k * REAL, <Real>math_log(k < 3 ? 0.25 : k == 3 ? 0.24 : 0.01))
  for (let i: usize = 0; i < COUNTS; i++) store<Real>(net.moments + (COUNTS + i) * REAL, 1)
  net.seen = 1
  net.rate = 0.03
}

function fillNormal(at: usize, n: usize, deviation: f64, random: usize): void {
  for (let i: usize = 0; i < n; i++) store<Real>(at + i * REAL, <Real>(random_normal(random) * deviation))
}

/**
 * Where a part lies, `which` of LENGTH_…: text u8, hashed rows i32, counts f32 [C], probabilities [8], table [V, D], its
 * squares [V], weights and their squares, moments.
 */
export function length_pointer(base: usize, which: i32): usize {
  const net = changetype<LengthModel>(base)
  switch (which) {
    case abi.LENGTH_TEXT: return changetype<Features>(net.features).text
    case abi.LENGTH_ROWS: return changetype<Features>(net.features).rows
    case abi.LENGTH_COUNTS: return changetype<Features>(net.features).counts
    case abi.LENGTH_PROBABILITIES: return net.probabilities
    case abi.LENGTH_TABLE: return net.table
    case abi.LENGTH_TABLE_SQUARES: return net.tableSquares
    case abi.LENGTH_WEIGHTS: return net.weights
    case abi.LENGTH_SQUARES: return net.squares
    default: return net.moments
  }
}

/** A figure or setting, `which` of LENGTH_RATE … LENGTH_WEIGHT_COUNT, else bytes of text that fit. */
export function length_get(base: usize, which: i32): f64 {
  const net = changetype<LengthModel>(base)
  switch (which) {
    case abi.LENGTH_RATE: return net.rate
    case abi.LENGTH_UPDATES: return net.updates
    case abi.LENGTH_SEEN: return net.seen
    case abi.LENGTH_WEIGHT_COUNT: return weightCount(net.models)
    default: return <f64>changetype<Features>(net.features).size
  }
}

/** Sets the rate, the updates or the rows seen. */
export function length_set(base: usize, which: i32, value: f64): void {
  const net = changetype<LengthModel>(base)
  switch (which) {
    case abi.LENGTH_RATE: net.rate = value; break
    case abi.LENGTH_UPDATES: net.updates = value; break
    case abi.LENGTH_SEEN:
      net.seen = value
      net.isScaled = false // moments may have been written with it
      break
  }
}

/** Fills the probabilities of the five classes. The text is in place. @param model its row, 0 if it has none */
export function length_predict(base: usize, bytes: i32, characters: i32, model: i32): void {
  const net = changetype<LengthModel>(base)
  readFeatures(changetype<Features>(net.features), bytes, characters)
  forward(net, model)
}

function forward(net: LengthModel, model: i32): void {
  const features = changetype<Features>(net.features)
  sumRows(net, features)
  if (!net.isScaled) scale(net)
  const counts = net.x + D * REAL
  for (let i: usize = 0; i < COUNTS; i++) {
    const mean = net.moments + i * REAL
    const z = (load<Real>(features.counts + i * REAL) - load<Real>(mean)) * load<Real>(mean + 2 * COUNTS * REAL)
    store<Real>(counts + i * REAL, min<Real>(max<Real>(z, -COUNT_LIMIT), COUNT_LIMIT))
  }
  memory.copy(net.x + (D + COUNTS) * REAL, net.modelRows + <usize>model * M * REAL, M * REAL)
  gemm(net.hidden, 0, net.x, 0, REAL, net.weights, H * REAL, net.hiddenBias, 0, 1, <i32>H, <i32>X)
  for (let k: usize = 0; k < H; k++) store<Real>(net.hidden + k * REAL, max<Real>(load<Real>(net.hidden + k * REAL), 0))
  const p = net.probabilities
  gemm(p, 0, net.x, 0, REAL, net.direct, WIDTH * REAL, net.bias, 0, 1, <i32>WIDTH, <i32>X)
  gemm(p, 0, net.hidden, 0, REAL, net.hiddenOut, WIDTH * REAL, p, 0, 1, <i32>WIDTH, <i32>H)
  softmax(p)
}

function scale(net: LengthModel): void {
  for (let i: usize = 0; i < COUNTS; i++) {
    const variance = net.moments + (COUNTS + i) * REAL
    store<Real>(variance + COUNTS * REAL, 1 / sqrt<Real>(max<Real>(load<Real>(variance), <Real>1e-6)))
  }
  net.isScaled = true
}

/** The first D of x: the rows of the table, added in the order of the text. */
function sumRows(net: LengthModel, features: Features): void {
  const n = <usize>features.size
  const scale: Real = n > 0 ? 1 / sqrt<Real>(<Real>n) : 0
  const x = net.x
  if (ASC_FEATURE_SIMD && sizeof<Real>() == 4) {
    let low = f32x4.splat(0), high = f32x4.splat(0)
    for (let i: usize = 0; i < n; i++) {
      const row = net.table + (<usize>load<u32>(features.rows + (i << 2)) << 5)
      low = f32x4.add(low, v128.load(row))
      high = f32x4.add(high, v128.load(row, 16))
    }
    const four = f32x4.splat(<f32>scale)
    v128.store(x, f32x4.mul(low, four))
    v128.store(x, f32x4.mul(high, four), 16)
  } else {
    for (let j: usize = 0; j < D; j++) {
      let sum: Real = 0
      for (let i: usize = 0; i < n; i++) sum += load<Real>(net.table + (<usize>load<u32>(features.rows + (i << 2)) * D + j) * REAL)
      store<Real>(x + j * REAL, sum * scale)
    }
  }
}

function softmax(p: usize): void {
  let highest = load<Real>(p)
  for (let k: usize = 1; k < K; k++) highest = max<Real>(highest, load<Real>(p + k * REAL))
  let sum: Real = 0
  for (let k: usize = 0; k < K; k++) {
    const e = expReal(load<Real>(p + k * REAL) - highest)
    store<Real>(p + k * REAL, e)
    sum += e
  }
  for (let k: usize = 0; k < K; k++) store<Real>(p + k * REAL, load<Real>(p + k * REAL) / sum)
}

/** One step on the text in place, whose answer was of class `target`. Returns the loss before it. */
export function length_learn(base: usize, bytes: i32, characters: i32, model: i32, target: i32): f64 {
  const net = changetype<LengthModel>(base)
  const features = changetype<Features>(net.features)
  readFeatures(features, bytes, characters)
  updateMoments(net, features)
  forward(net, model)
  const p = net.probabilities, gradient = net.gradient
  const loss = -math_log(max<f64>(<f64>load<Real>(p + <usize>target * REAL), 1e-30))
  for (let k: usize = 0; k < K; k++) store<Real>(gradient + k * REAL, load<Real>(p + k * REAL) - <Real>(k == <usize>target ? 1 : 0))
  backward(net, features, model)
  net.updates++
  return loss
}

function updateMoments(net: LengthModel, features: Features): void {
  net.seen = min(net.seen + 1, MOMENTS_MEMORY)
  net.isScaled = false
  const share = <Real>(1.0 / net.seen)
  for (let i: usize = 0; i < COUNTS; i++) {
    const value = load<Real>(features.counts + i * REAL)
    const mean = net.moments + i * REAL, variance = mean + COUNTS * REAL
    const before = value - load<Real>(mean)
    const moved = load<Real>(mean) + before * share
    store<Real>(mean, moved)
    store<Real>(variance, load<Real>(variance) + (before * (value - moved) - load<Real>(variance)) * share)
  }
}

/** Slopes are taken with the weights as they were: each is read before it moves. */
function backward(net: LengthModel, features: Features, model: i32): void {
  const g = net.gradient, slopes = net.slopes
  const rate = <Real>net.rate
  const toSquares = net.squares - net.weights
  for (let k: usize = 0; k < H; k++) {
    const active = load<Real>(net.hidden + k * REAL)
    let slope: Real = 0
    if (active > 0) {
      const row = net.hiddenOut + k * WIDTH * REAL
      slope = dot(row, g, K)
      step(row, toSquares, g, active, K, rate)
    }
    store<Real>(slopes + k * REAL, slope)
  }
  step(net.hiddenBias, toSquares, slopes, 1, H, rate)
  step(net.bias, toSquares, g, 1, K, rate)
  const x = net.x
  for (let i: usize = 0; i < X; i++) {
    const into = net.weights + i * H * REAL, direct = net.direct + i * WIDTH * REAL
    const value = load<Real>(x + i * REAL)
    const slope = dot(direct, g, K) + dot(into, slopes, H)
    step(direct, toSquares, g, value, K, rate)
    step(into, toSquares, slopes, value, H, rate)
    store<Real>(x + i * REAL, slope)
  }
  if (model > 0) {
    const row = net.modelRows + <usize>model * M * REAL, slope = x + (D + COUNTS) * REAL
    for (let i: usize = 0; i < M; i++) store<Real>(slope + i * REAL, load<Real>(slope + i * REAL) + MODEL_DECAY * load<Real>(row + i * REAL))
    step(row, toSquares, slope, 1, M, rate)
  }
  stepRows(net, features, rate)
}

// @ts-ignore: decorator
@inline function dot(a: usize, b: usize, n: usize): Real {
  let sum: Real = 0
  for (let i: usize = 0; i < n; i++) sum += load<Real>(a + i * REAL) * load<Real>(b + i * REAL)
  return sum
}

/** Adagrad on n weights whose slopes are slope · factor. */
// @ts-ignore: decorator
@inline function step(weights: usize, toSquares: usize, slope: usize, factor: Real, n: usize, rate: Real): void {
  for (let i: usize = 0; i < n; i++) {
    const g = load<Real>(slope + i * REAL) * factor
    const at = weights + i * REAL
    const square = load<Real>(at + toSquares) + g * g
    store<Real>(at + toSquares, square)
    store<Real>(at, load<Real>(at) - rate * g / (sqrt<Real>(square) + EPSILON))
  }
}

/** The rows of the text: they all have the same slope, scaled by each row's own rate. */
function stepRows(net: LengthModel, features: Features, rate: Real): void {
  const n = <usize>features.size, slope = net.x
  if (n == 0) return
  const scale: Real = 1 / sqrt<Real>(<Real>n)
  const square: Real = dot(slope, slope, D) * scale * scale / <Real>D
  for (let i: usize = 0; i < n; i++) {
    const row = <usize>load<u32>(features.rows + (i << 2))
    const at = net.tableSquares + row * REAL
    const squares = load<Real>(at) + square
    store<Real>(at, squares)
    const factor = rate * scale / (sqrt<Real>(squares) + EPSILON)
    const weights = net.table + row * D * REAL
    for (let j: usize = 0; j < D; j++) store<Real>(weights + j * REAL, load<Real>(weights + j * REAL) - factor * load<Real>(slope + j * REAL))
  }
}
