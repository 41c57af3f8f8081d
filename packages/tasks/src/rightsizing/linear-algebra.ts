// As much linear algebra as the predictors need: small dense matrices, row-major, f64.

/**
 * Cholesky's factor L of a symmetric positive definite matrix, in its lower half.
 * @param a  [n, n], only its lower half is read and written
 */
export function choleskyFactor(a: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = a[i * n + j]!
      for (let k = 0; k < j; k++) sum -= a[i * n + k]! * a[j * n + k]!
      a[i * n + j] = i === j ? Math.sqrt(sum) : sum / a[j * n + j]!
    }
  }
}

/**
 * Solves L Lᵀ x = b.
 * @param factor  of `choleskyFactor` [n, n]
 * @param b  [n]; overwritten with x
 */
export function choleskySolve(factor: Float64Array, b: Float64Array): void {
  const n = b.length
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) b[i]! -= factor[i * n + k]! * b[k]!
    b[i]! /= factor[i * n + i]!
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) b[i]! -= factor[k * n + i]! * b[k]!
    b[i]! /= factor[i * n + i]!
  }
}

export interface Eigen {
  /** Descending. [n] */
  readonly values: Float64Array
  /** One a row, of length 1: `vectors[i·n + j]`. [n, n] */
  readonly vectors: Float64Array
}

const MAX_SWEEPS = 60

/**
 * Eigenvalues and vectors of a symmetric matrix by Jacobi's rotations, row by row.
 * @param matrix  [n, n], left as it is
 */
export function symmetricEigen(matrix: Float64Array, n: number): Eigen {
  const a = matrix.slice()
  const v = new Float64Array(n * n)
  for (let i = 0; i < n; i++) v[i * n + i] = 1
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let [off, all] = [0, 0]
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        all += a[i * n + j]! ** 2
        if (i !== j) off += a[i * n + j]! ** 2
      }
    if (off <= 1e-28 * all) break
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, v, n, p, q)
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => a[j * n + j]! - a[i * n + i]! || i - j)
  const values = Float64Array.from(order, (i) => a[i * n + i]!)
  const vectors = new Float64Array(n * n)
  for (const [row, i] of order.entries()) vectors.set(v.subarray(i * n, (i + 1) * n), row * n)
  return { values, vectors }
}

/** Makes a[p, q] zero. Rows of v turn with it. */
function rotate(a: Float64Array, v: Float64Array, n: number, p: number, q: number): void {
  const apq = a[p * n + q]!
  if (apq === 0) return
  const theta = (a[q * n + q]! - a[p * n + p]!) / (2 * apq)
  const tan = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
  const cos = 1 / Math.sqrt(tan * tan + 1)
  const sin = tan * cos
  const turn = (m: Float64Array, i: number, j: number) => {
    const [x, y] = [m[i]!, m[j]!]
    m[i] = cos * x - sin * y
    m[j] = sin * x + cos * y
  }
  for (let k = 0; k < n; k++) turn(a, k * n + p, k * n + q)
  for (let k = 0; k < n; k++) turn(a, p * n + k, q * n + k)
  for (let k = 0; k < n; k++) turn(v, p * n + k, q * n + k)
}
