// Incremental support vector machine in f64: random Fourier features of the RBF kernel (Rahimi and Recht 2007), hinge loss
// and L2 penalty by stochastic gradient descent in scikit-learn's order, one step a row.
//
// F: inputs, D: random features. One block, all f64 unless said:
//   +0   F i32   +4  D i32
//   +8   rows in the moments        +16  steps taken
//   +24  alpha                      +32  learning rate, 0: 1 / (alpha (t0 + t))
//   +40  weight of a negative row   +48  weight of a positive row
//   +56  first step in the mean, 0: there is no mean
//   +64  intercept                  +72  mean intercept
//   +80  mean [F], variance [F], W [F, D], offset [D], w [D], mean w [D], z [F], phi [D]

import { random_normal, random_uniform } from '../random/xoshiro'

// @ts-ignore: decorator
@inline const HEAD: usize = 80
// @ts-ignore: decorator
@inline const TAU: f64 = 6.283185307179586

/** Bytes of a block, exact for any counts. */
export function svm_bytes(inputs: i32, features: i32): f64 {
  return HEAD + (3.0 * inputs + <f64>inputs * features + 4.0 * features) * 8
}

/** An untrained machine whose kernel is exp(−gamma |x − y|²); `random` draws its features W [F, D] and offsets [D]. */
export function svm_create(
  block: usize,
  inputs: i32,
  features: i32,
  gamma: f64,
  alpha: f64,
  rate: f64,
  negative: f64,
  positive: f64,
  averageFrom: f64,
  random: usize,
): void {
  store<i32>(block, inputs)
  store<i32>(block, features, 4)
  store<f64>(block, alpha, 24)
  store<f64>(block, rate, 32)
  store<f64>(block, negative, 40)
  store<f64>(block, positive, 48)
  store<f64>(block, averageFrom, 56)
  const F = <usize>inputs << 3
  const D = <usize>features << 3
  for (let i: usize = 0; i < F; i += 8) store<f64>(block + HEAD + F + i, 1.0)
  const projection = block + HEAD + 2 * F
  const offset = projection + <usize>inputs * D
  const deviation = Math.sqrt(2.0 * gamma)
  for (let at = projection; at < offset; at += 8) store<f64>(at, deviation * random_normal(random))
  for (let at = offset; at < offset + D; at += 8) store<f64>(at, TAU * random_uniform(random))
}

/** Merges n >= 1 rows into mean and variance. x [n, F] */
export function svm_observe(block: usize, x: usize, n: i32): void {
  const F = <usize>load<i32>(block) << 3
  const count = load<f64>(block, 8)
  const rows = <f64>n
  const total = count + rows
  for (let i: usize = 0; i < F; i += 8) {
    let sum = 0.0
    for (let row = 0, at = x + i; row < n; row++, at += F) sum += load<f64>(at)
    const batchMean = sum / rows
    let squares = 0.0
    for (let row = 0, at = x + i; row < n; row++, at += F) {
      const d = load<f64>(at) - batchMean
      squares += d * d
    }
    const mean = block + HEAD + i
    const delta = batchMean - load<f64>(mean)
    const merged = load<f64>(mean + F) * count + squares + (delta * delta * count * rows) / total
    store<f64>(mean, load<f64>(mean) + (delta * rows) / total)
    store<f64>(mean + F, merged / total)
  }
  store<f64>(block, total, 8)
}

/** phi [D] = sqrt(2 / D) cos(z W + offset), z [F] = (x − mean) / deviation; left in the block. */
export function svm_map(block: usize, x: usize): void {
  const F = <usize>load<i32>(block) << 3
  const D = <usize>load<i32>(block, 4) << 3
  const mean = block + HEAD
  const projection = mean + 2 * F
  const offset = projection + (F >> 3) * D
  const z = offset + 3 * D
  const phi = z + F
  for (let i: usize = 0; i < F; i += 8) {
    const variance = load<f64>(mean + F + i)
    const deviation = variance > 0.0 ? Math.sqrt(variance) : 1.0
    store<f64>(z + i, (load<f64>(x + i) - load<f64>(mean + i)) / deviation)
  }
  const scale = Math.sqrt(2.0 / <f64>load<i32>(block, 4))
  for (let d: usize = 0; d < D; d += 8) {
    let angle = 0.0
    for (let i: usize = 0, at = projection + d; i < F; i += 8, at += D) angle += load<f64>(z + i) * load<f64>(at)
    store<f64>(phi + d, scale * NativeMath.cos(angle + load<f64>(offset + d)))
  }
}

/** One step a row, in order. x [n, F], y [n] = ±1, weight [n] >= 0 */
export function svm_fit(block: usize, x: usize, y: usize, weight: usize, n: i32): void {
  const F = <usize>load<i32>(block) << 3
  const D = <usize>load<i32>(block, 4) << 3
  const w = weights(block)
  const average = w + D
  const phi = average + D + F
  const alpha = load<f64>(block, 24)
  const rate = load<f64>(block, 32)
  const averageFrom = load<f64>(block, 56)
  const first = Math.sqrt(1.0 / Math.sqrt(alpha)) // Bottou's heuristic for the first learning rate
  let steps = load<f64>(block, 16)
  for (let row = 0; row < n; row++, x += F, y += 8, weight += 8) {
    svm_map(block, x)
    const label = load<f64>(y)
    const margin = label * (dot(w, phi, D) + load<f64>(block, 64))
    const eta = rate > 0.0 ? rate : 1.0 / (alpha * (1.0 / (first * alpha) + steps))
    const rowWeight = load<f64>(weight) * load<f64>(block + (label > 0.0 ? 48 : 40))
    const update = margin <= 1.0 ? eta * label * rowWeight : 0.0
    const shrink = max(0.0, 1.0 - eta * alpha)
    for (let d: usize = 0; d < D; d += 8) store<f64>(w + d, load<f64>(w + d) * shrink + update * load<f64>(phi + d))
    store<f64>(block, load<f64>(block, 64) + update, 64)
    steps += 1.0
    if (averageFrom > 0.0 && steps >= averageFrom) {
      const share = 1.0 / (steps - averageFrom + 1.0)
      for (let d: usize = 0; d < D; d += 8) approach(average + d, w + d, share)
      approach(block + 72, block + 64, share)
    }
  }
  store<f64>(block, steps, 16)
}

/** The signed distance of x [F] from the border, in units of the margin; by the mean of the steps where there is one. */
export function svm_decide(block: usize, x: usize): f64 {
  const F = <usize>load<i32>(block) << 3
  const D = <usize>load<i32>(block, 4) << 3
  const last = weights(block)
  const averageFrom = load<f64>(block, 56)
  const averaged = averageFrom > 0.0 && load<f64>(block, 16) >= averageFrom
  svm_map(block, x)
  const phi = last + 2 * D + F
  return averaged ? dot(last + D, phi, D) + load<f64>(block, 72) : dot(last, phi, D) + load<f64>(block, 64)
}

// @ts-ignore: decorator
@inline function weights(block: usize): usize {
  const inputs = <usize>load<i32>(block)
  return block + HEAD + ((2 * inputs + (inputs + 1) * <usize>load<i32>(block, 4)) << 3)
}

function dot(a: usize, b: usize, bytes: usize): f64 {
  let sum = 0.0
  for (let i: usize = 0; i < bytes; i += 8) sum += load<f64>(a + i) * load<f64>(b + i)
  return sum
}

// @ts-ignore: decorator
@inline function approach(mean: usize, value: usize, share: f64): void {
  store<f64>(mean, load<f64>(mean) + share * (load<f64>(value) - load<f64>(mean)))
}
