// How long an answer will be, from the prompt: an ordinal regression on hashed n-grams that learns from every answer.
//
//   s = Σ (w[r] + w[r + o]) / √n + u · stated + b + v · z / 4 + c       r: rows of the text's n-grams
//   P(class ≤ k) = σ(a · logit(q[k]) − s)       q: the percentiles 25, 50, 75, 99 of the model's answers (dissertation 6.3.2)
//
// What prompts do in all models (w[r], u, b) and in one alone (w[r + o], v, c) are added: a model not yet met has the first, and one
// of many answers does not drown it (Evgeniou and Pontil 2004; hashed as by Weinberger et al. 2009). o is the model's own offset into
// the table, z its standardised counts: how prompts are laid out says something of one service only. Model 0 is any not yet met.
//
// Stochastic gradient descent on −log P of the class, with Adagrad rates (Duchi, Hazan and Singer 2011). Unseen n-grams add nothing.
//
// C: counts; S: stated; K classes; V rows of the table; N models
// block: LengthModel | Features | table [V], squares [V] | weights: a, u [S], b, then v [C], c of each model [N, C + 1]
//        squares of the weights | mean [C], variance [C], 1 / deviation [C] | z [C], p [K]
import * as abi from '../abi'
import { REAL, Real, sigmoidReal } from '../math/real'
import { math_log } from '../math/special'
import { beginPlan, place, placeRows, planned } from '../memory/plan'
import { COUNTS, createFeatures, Features, planFeatures, readFeatures, STATED } from './features'

// @ts-ignore: decorator
@inline const K: usize = 5
// @ts-ignore: decorator
@inline const SHARED: usize = STATED + 2 // a, u, b
// @ts-ignore: decorator
@inline const OWN: usize = COUNTS + 1 // v, c
// @ts-ignore: decorator
@inline const OFFSET: u32 = 0x9e3779b1 // between models in the table
// @ts-ignore: decorator
@inline const EPSILON: Real = 1e-3
// @ts-ignore: decorator
@inline const FIRST_SQUARES: Real = 1 // what rates start from: rare n-grams move little
// @ts-ignore: decorator
@inline const COUNT_SCALE: Real = 0.25
// @ts-ignore: decorator
@inline const COUNT_LIMIT: Real = 4 // standardised counts are cut there
// @ts-ignore: decorator
@inline const SMALLEST_SCALE: Real = 0.1 // of a, so that classes keep their order
// @ts-ignore: decorator
@inline const MOMENTS_MEMORY: f64 = 10000 // rows after which the oldest are forgotten
// @ts-ignore: decorator
@inline const LN3: f64 = 1.0986122886681098

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
  modelRows: usize = 0
  moments: usize = 0
  z: usize = 0
  probabilities: usize = 0
}

// @ts-ignore: decorator
@inline function weightCount(models: i32): f64 {
  return SHARED + <f64>models * OWN
}

function layOut(base: usize, bits: i32, models: i32): f64 {
  beginPlan(base)
  const net = changetype<LengthModel>(place(offsetof<LengthModel>()))
  net.bits = bits
  net.models = models
  net.features = planFeatures(bits)
  const rows = 1 << bits, weightBytes = weightCount(models) * REAL
  net.table = placeRows(rows, REAL)
  net.tableSquares = placeRows(rows, REAL)
  net.weights = place(weightBytes)
  net.squares = place(weightBytes)
  net.modelRows = net.weights + SHARED * REAL
  net.moments = place(3 * COUNTS * REAL)
  net.z = place(COUNTS * REAL)
  net.probabilities = place(K * REAL)
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
export function length_create(base: usize, bits: i32, models: i32): void {
  layOut(base, bits, models)
  const net = changetype<LengthModel>(base)
  createFeatures(changetype<Features>(net.features))
  fill(net.tableSquares, 1 << bits, FIRST_SQUARES)
  fill(net.squares, <i32>weightCount(models), FIRST_SQUARES)
  fill(net.moments + COUNTS * REAL, <i32>COUNTS, 1)
  store<Real>(net.weights, 1) // a
  net.seen = 1
  net.rate = 0.1
}

function fill(at: usize, n: i32, value: Real): void {
  for (let i: usize = 0; i < <usize>n; i++) store<Real>(at + i * REAL, value)
}

/**
 * Where a part lies, `which` of LENGTH_…: text u8, hashed rows i32, counts f32 [C + S], probabilities [K], table [V], its
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

/** A figure or setting, `which` of LENGTH_RATE … LENGTH_WEIGHT_COUNT, else the rows that the text gave. */
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
  const score = forward(net, model)
  let below: Real = 0
  for (let k: usize = 0; k < K; k++) {
    const upTo = cumulative(net, score, <i32>k)
    store<Real>(net.probabilities + k * REAL, upTo - below)
    below = upTo
  }
}

/** logit(q[k]) of 25, 50, 75 and 99 %. */
// @ts-ignore: decorator
@inline function logit(k: i32): Real {
  return k == 0 ? <Real>-LN3 : k == 1 ? 0 : k == 2 ? <Real>LN3 : <Real>4.59511985013459
}

/** P(class ≤ k). */
// @ts-ignore: decorator
@inline function cumulative(net: LengthModel, score: Real, k: i32): Real {
  return k < <i32>K - 1 ? sigmoidReal(load<Real>(net.weights) * logit(k) - score) : 1
}

// @ts-ignore: decorator
@inline function ownRow(net: LengthModel, model: i32): usize {
  return net.modelRows + <usize>model * OWN * REAL
}

/** The text's score. Terms are added in the order of the text. */
function forward(net: LengthModel, model: i32): Real {
  const features = changetype<Features>(net.features)
  const n = <usize>features.size
  const sum = model > 0 ? sumBoth(net, features, <u32>model * OFFSET) : sumShared(net, features)
  const shared = net.weights + REAL, stated = features.counts + COUNTS * REAL
  let score = n > 0 ? sum / sqrt<Real>(<Real>n) : 0
  for (let i: usize = 0; i < STATED; i++) score += load<Real>(shared + i * REAL) * load<Real>(stated + i * REAL)
  score += load<Real>(shared + STATED * REAL)
  if (model == 0) return score
  if (!net.isScaled) scale(net)
  const own = ownRow(net, model)
  for (let i: usize = 0; i < COUNTS; i++) {
    const mean = net.moments + i * REAL
    const z = (load<Real>(features.counts + i * REAL) - load<Real>(mean)) * load<Real>(mean + 2 * COUNTS * REAL)
    const cut = COUNT_SCALE * min<Real>(max<Real>(z, -COUNT_LIMIT), COUNT_LIMIT)
    store<Real>(net.z + i * REAL, cut)
    score += load<Real>(own + i * REAL) * cut
  }
  return score + load<Real>(own + COUNTS * REAL)
}

function sumShared(net: LengthModel, features: Features): Real {
  const end = features.rows + (<usize>features.size << 2), table = net.table
  let sum: Real = 0
  for (let at = features.rows; at < end; at += 4) sum += load<Real>(table + <usize>load<u32>(at) * REAL)
  return sum
}

function sumBoth(net: LengthModel, features: Features, offset: u32): Real {
  const end = features.rows + (<usize>features.size << 2), table = net.table, mask = features.mask
  let shared: Real = 0, own: Real = 0
  for (let at = features.rows; at < end; at += 4) {
    const row = load<u32>(at)
    shared += load<Real>(table + <usize>row * REAL)
    own += load<Real>(table + <usize>((row + offset) & mask) * REAL)
  }
  return shared + own
}

function scale(net: LengthModel): void {
  for (let i: usize = 0; i < COUNTS; i++) {
    const variance = net.moments + (COUNTS + i) * REAL
    store<Real>(variance + COUNTS * REAL, 1 / sqrt<Real>(max<Real>(load<Real>(variance), <Real>1e-6)))
  }
  net.isScaled = true
}

/**
 * One step on the text in place, whose answer was of class `target`. Returns the loss before it.
 * @param share  0…1, of the step in what all models have in common
 */
export function length_learn(base: usize, bytes: i32, characters: i32, model: i32, target: i32, share: f64): f64 {
  const net = changetype<LengthModel>(base)
  const features = changetype<Features>(net.features)
  readFeatures(features, bytes, characters)
  updateMoments(net, features)
  const score = forward(net, model)
  const upper: Real = cumulative(net, score, target)
  const lower: Real = target > 0 ? cumulative(net, score, target - 1) : 0
  const p = max<Real>(upper - lower, <Real>1e-30)
  // d −log P / d s, and d −log P / d a by way of both borders
  const slope: Real = 1 - upper - lower
  const atUpper: Real = target < <i32>K - 1 ? upper * (1 - upper) * logit(target) : 0
  const atLower: Real = target > 0 ? lower * (1 - lower) * logit(target - 1) : 0
  backward(net, features, model, slope, (atLower - atUpper) / p, <Real>share)
  net.updates++
  return -math_log(<f64>p)
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

function backward(net: LengthModel, features: Features, model: i32, slope: Real, scaleSlope: Real, share: Real): void {
  const rate = <Real>net.rate
  const n = <usize>features.size
  const toSquares = net.squares - net.weights, toTableSquares = net.tableSquares - net.table
  const each: Real = n > 0 ? slope / sqrt<Real>(<Real>n) : 0
  for (let i: usize = 0; i < n; i++) {
    step(net.table + <usize>load<u32>(features.rows + (i << 2)) * REAL, toTableSquares, each * share, rate)
  }
  const shared = net.weights + REAL, stated = features.counts + COUNTS * REAL
  step(net.weights, toSquares, scaleSlope * share, rate)
  store<Real>(net.weights, max<Real>(load<Real>(net.weights), SMALLEST_SCALE))
  for (let i: usize = 0; i < STATED; i++) step(shared + i * REAL, toSquares, slope * load<Real>(stated + i * REAL) * share, rate)
  step(shared + STATED * REAL, toSquares, slope * share, rate)
  if (model == 0) return
  const offset = <u32>model * OFFSET, mask = features.mask, own = ownRow(net, model)
  for (let i: usize = 0; i < n; i++) {
    const row = (load<u32>(features.rows + (i << 2)) + offset) & mask
    step(net.table + <usize>row * REAL, toTableSquares, each, rate)
  }
  for (let i: usize = 0; i < COUNTS; i++) step(own + i * REAL, toSquares, slope * load<Real>(net.z + i * REAL), rate)
  step(own + COUNTS * REAL, toSquares, slope, rate)
}

/** Adagrad on one weight. */
// @ts-ignore: decorator
@inline function step(at: usize, toSquares: usize, slope: Real, rate: Real): void {
  const square = load<Real>(at + toSquares) + slope * slope
  store<Real>(at + toSquares, square)
  store<Real>(at, load<Real>(at) - rate * slope / (sqrt<Real>(square) + EPSILON))
}
