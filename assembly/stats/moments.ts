// Running mean and variance of D-wide rows in f64, merged batch by batch (Chan, Golub and LeVeque 1983).
//
// block: +0 count f64   +8 D i32   +12 unused   +16 mean f64[D]   variance f64[D] (population)
// x: f32 [n, D]

// @ts-ignore: decorator
@inline const HEAD: usize = 16
// @ts-ignore: decorator
@inline const EPSILON: f64 = 1e-8 // Stable-Baselines3, VecNormalize
// @ts-ignore: decorator
@inline const LIMIT: f64 = 10.0 // the same

/** Bytes of a block, exact for any size. */
export function moments_bytes(size: i32): f64 {
  return HEAD + 16.0 * size
}

/**
 * No rows, mean 0 and variance 1, which the first batch replaces. The reference code gives them the weight of 1e-4 rows, and that
 * adds 1e-4 · mean² / rows to the variance: 81 after four values around 1800 whose own variance is 0.5.
 */
export function moments_create(block: usize, size: i32): void {
  store<f64>(block, 0.0)
  store<i32>(block, size, 8)
  const mean = block + HEAD
  const variance = mean + (<usize>size << 3)
  for (let i: usize = 0; i < <usize>size << 3; i += 8) {
    store<f64>(mean + i, 0.0)
    store<f64>(variance + i, 1.0)
  }
}

/** Merges n >= 1 rows of x f32 [n, D]. */
export function moments_update(block: usize, x: usize, n: i32): void {
  const count = load<f64>(block)
  const size = <usize>load<i32>(block, 8)
  const rows = <f64>n
  const total = count + rows
  for (let i: usize = 0; i < size; i++) {
    const batchMean = columnSum(x + (i << 2), size << 2, n, 0.0, false) / rows
    const batchSquares = columnSum(x + (i << 2), size << 2, n, batchMean, true)
    const mean = block + HEAD + (i << 3)
    const variance = mean + (size << 3)
    const delta = batchMean - load<f64>(mean)
    const squares = load<f64>(variance) * count + batchSquares + delta * delta * count * rows / total
    store<f64>(mean, load<f64>(mean) + delta * rows / total)
    store<f64>(variance, squares / total)
  }
  store<f64>(block, total)
}

/** Σ (x − centre), or its squares. */
function columnSum(x: usize, row: usize, n: i32, centre: f64, squared: bool): f64 {
  let sum = 0.0
  for (let i = 0; i < n; i++, x += row) {
    const d = <f64>load<f32>(x) - centre
    sum += squared ? d * d : d
  }
  return sum
}

/** y [n, D] = (x − mean) / sqrt(variance + 1e-8), within ±10. */
export function moments_normalise(block: usize, x: usize, y: usize, n: i32): void {
  const size = <usize>load<i32>(block, 8)
  for (let row = 0; row < n; row++) {
    for (let i: usize = 0; i < size; i++, x += 4, y += 4) {
      const mean = block + HEAD + (i << 3)
      const z = (<f64>load<f32>(x) - load<f64>(mean)) / Math.sqrt(load<f64>(mean + (size << 3)) + EPSILON)
      store<f32>(y, <f32>min(max(z, -LIMIT), LIMIT))
    }
  }
}
