// A policy that chooses: its outputs x are the logits of several categoricals, one head behind the other and independent of one
// another. An action is an index a head; log-probabilities and entropies are sums over the heads, in their order.
//
// H: heads, A: outputs = Σ sizes; x, p [A]; action [H]
import { Real, REAL } from '../math/real'
import { drawCategory, largest, softmax } from './policy-head'

// @ts-ignore: decorator
@unmanaged export class Choices {
  /** H */
  heads: i32 = 0
  /** How many there are to choose from, i32 [H]. */
  sizes: usize = 0
  /** Of the row at hand, f64 [H] each: log Σ e^x, and the entropy. */
  normalisers: usize = 0
  entropies: usize = 0
}

// @ts-ignore: decorator
@inline function sizeAt(choices: Choices, head: i32): i32 {
  return load<i32>(choices.sizes + (<usize>head << 2))
}
// @ts-ignore: decorator
@inline function normaliserAt(choices: Choices, head: i32): f64 {
  return load<f64>(choices.normalisers + (<usize>head << 3))
}
// @ts-ignore: decorator
@inline function indexAt(action: usize, head: i32): i32 {
  return <i32>load<Real>(action + <usize>head * REAL)
}

/** p = softmax of each head of x; the row's normalisers become known. */
export function choiceProbabilities(choices: Choices, x: usize, p: usize): void {
  for (let h = 0; h < choices.heads; h++) {
    const size = sizeAt(choices, h)
    store<f64>(choices.normalisers + (<usize>h << 3), softmax(x, p, size))
    x += <usize>size * REAL
    p += <usize>size * REAL
  }
}

/** action = drawn from p where `sample`, else the likeliest of each head; NaN where a head gives no distribution. */
export function choose(choices: Choices, p: usize, action: usize, sample: bool, random: usize): void {
  for (let h = 0; h < choices.heads; h++) {
    const size = sizeAt(choices, h)
    const index = sample ? drawCategory(p, size, random) : largest(p, size)
    store<Real>(action + <usize>h * REAL, isFinite(normaliserAt(choices, h)) ? <Real>index : <Real>NaN)
    p += <usize>size * REAL
  }
}

/** log-probability of an action, behind `choiceProbabilities` of x. */
export function choiceLogProbability(choices: Choices, x: usize, action: usize): f64 {
  let sum = 0.0
  for (let h = 0; h < choices.heads; h++) {
    sum += <f64>load<Real>(x + <usize>indexAt(action, h) * REAL) - normaliserAt(choices, h)
    x += <usize>sizeAt(choices, h) * REAL
  }
  return sum
}

/** Entropy, behind `choiceProbabilities` of x: those of the heads become known. */
export function choiceEntropy(choices: Choices, x: usize, p: usize): f64 {
  let sum = 0.0
  for (let h = 0; h < choices.heads; h++) {
    const size = sizeAt(choices, h)
    const entropy = categoryEntropy(x, p, normaliserAt(choices, h), size)
    store<f64>(choices.entropies + (<usize>h << 3), entropy)
    sum += entropy
    x += <usize>size * REAL
    p += <usize>size * REAL
  }
  return sum
}

/** −Σ p log p */
function categoryEntropy(x: usize, p: usize, normaliser: f64, count: i32): f64 {
  let sum = 0.0
  for (let j: usize = 0; j < <usize>count * REAL; j += REAL) {
    const probability = <f64>load<Real>(p + j)
    if (probability > 0.0) sum -= probability * (<f64>load<Real>(x + j) - normaliser)
  }
  return sum
}

/** p → slope · (chosen − p) + entropyShare · p (log p + entropy) in each head, in place, behind `choiceEntropy`. */
export function choiceSlopes(choices: Choices, x: usize, p: usize, action: usize, slope: f64, entropyShare: f64): void {
  for (let h = 0; h < choices.heads; h++) {
    const size = sizeAt(choices, h)
    const entropy = load<f64>(choices.entropies + (<usize>h << 3))
    categorySlopes(x, p, normaliserAt(choices, h), entropy, indexAt(action, h), slope, entropyShare, size)
    x += <usize>size * REAL
    p += <usize>size * REAL
  }
}

function categorySlopes(
  x: usize, p: usize, normaliser: f64, entropy: f64, action: i32, slope: f64, entropyShare: f64, count: i32,
): void {
  for (let j = 0; j < count; j++) {
    const at = <usize>j * REAL
    const probability = <f64>load<Real>(p + at)
    const logProbability = probability > 0.0 ? <f64>load<Real>(x + at) - normaliser : 0.0
    const chosen = j == action ? 1.0 : 0.0
    store<Real>(p + at, <Real>(slope * (chosen - probability) + entropyShare * probability * (logProbability + entropy)))
  }
}
