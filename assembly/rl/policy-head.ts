// The two kinds of stochastic policy over a network's outputs x [A]: a categorical with logits x, and independent normals with
// means x and deviations e^d that depend on no state. Log-probabilities are f64 and finite wherever x is.
import { expReal, Real, REAL } from '../math/real'
import { random_normal, random_uniform } from '../random/xoshiro'

// @ts-ignore: decorator
@inline const NEGLIGIBLE: Real = -80.0 // e^-80 of the largest: 0 in f32 beside it
// @ts-ignore: decorator
@inline const HALF_LOG_TWO_PI: f64 = 0.9189385332046727

/** Softmax of x into p; returns log Σ e^x, so that log p_j = x_j − it even where p_j is 0. NaN in x comes out as NaN. */
export function softmax(x: usize, p: usize, count: i32): f64 {
  const bytes = <usize>count * REAL
  let top = load<Real>(x)
  for (let j: usize = REAL; j < bytes; j += REAL) top = max<Real>(top, load<Real>(x + j))
  let sum = 0.0
  for (let j: usize = 0; j < bytes; j += REAL) {
    const gap = load<Real>(x + j) - top
    const power: Real = gap <= NEGLIGIBLE ? 0.0 : expReal(gap)
    store<Real>(p + j, power)
    sum += <f64>power
  }
  const scale = <Real>(1.0 / sum)
  for (let j: usize = 0; j < bytes; j += REAL) store<Real>(p + j, load<Real>(p + j) * scale)
  return <f64>top + NativeMath.log(sum)
}

/** The first of the largest. */
export function largest(x: usize, count: i32): i32 {
  let best = 0
  for (let j = 1; j < count; j++) {
    if (load<Real>(x + <usize>j * REAL) > load<Real>(x + <usize>best * REAL)) best = j
  }
  return best
}

/** A category drawn with probabilities p; one of probability 0 never comes. */
export function drawCategory(p: usize, count: i32, random: usize): i32 {
  const u = random_uniform(random)
  let sum = 0.0, last = 0
  for (let j = 0; j < count; j++) {
    const probability = <f64>load<Real>(p + <usize>j * REAL)
    if (!(probability > 0.0)) continue
    last = j
    sum += probability
    if (sum > u) return j
  }
  return last
}

/** action [A] = a draw of N(x, e^2d). */
export function drawNormals(x: usize, d: usize, action: usize, count: i32, random: usize): void {
  for (let j: usize = 0; j < <usize>count * REAL; j += REAL) {
    store<Real>(action + j, <Real>(<f64>load<Real>(x + j) + NativeMath.exp(<f64>load<Real>(d + j)) * random_normal(random)))
  }
}

/** log density of action [A] under N(x, e^2d). */
export function normalLogDensity(x: usize, d: usize, action: usize, count: i32): f64 {
  let sum = 0.0
  for (let j: usize = 0; j < <usize>count * REAL; j += REAL) {
    const logDeviation = <f64>load<Real>(d + j)
    const z = (<f64>load<Real>(action + j) - <f64>load<Real>(x + j)) * NativeMath.exp(-logDeviation)
    sum -= 0.5 * z * z + logDeviation + HALF_LOG_TWO_PI
  }
  return sum
}

/** Differential entropy of N(·, e^2d). */
export function normalEntropy(d: usize, count: i32): f64 {
  let sum = 0.0
  for (let j: usize = 0; j < <usize>count * REAL; j += REAL) sum += <f64>load<Real>(d + j) + 0.5 + HALF_LOG_TWO_PI
  return sum
}
