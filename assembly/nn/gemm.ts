// Matrix products, C = seed + A·B. One kernel serves forward (A = inputs), weight gradients (A read down its columns) and
// input gradients (B = transposed weights), because A has two strides.
//
// Each element of C starts from its seed and adds a·b for k = 0, 1, 2 … in that order, one multiplication and one addition
// at a time. Tiles only choose which elements are in registers together: scalar or SIMD, one row or many, same bits.
// N: columns, a multiple of 8. Strides in bytes.
import { Real, REAL } from '../math/real'

/**
 * C [m, n] = seed + A [m, k] · B [k, n].
 * @param aRow, aStep  distance between rows of A, and between the k-th and the (k+1)-th factor of a row
 * @param seed, seedRow  where the sums start: a bias row (seedRow = 0), C itself, or 0 for zeros
 */
export function gemm(
  c: usize, cRow: usize, a: usize, aRow: usize, aStep: usize, b: usize, bRow: usize,
  seed: usize, seedRow: usize, m: i32, n: i32, k: i32,
): void {
  assert(n % 8 == 0, 'gemm: columns come in eights')
  const width = <usize>n * REAL
  let j: usize = 0
  if (ASC_FEATURE_SIMD) {
    if (m == 1) {
      for (; j + 128 <= width; j += 128) row32(c + j, a, aStep, b + j, bRow, seed != 0 ? seed + j : 0, k)
    }
    for (; j < width; j += 32) {
      let i = 0
      for (; i + 4 <= m; i += 4) {
        const row = <usize>i
        tile4x8(c + row * cRow + j, cRow, a + row * aRow, aRow, aStep, b + j, bRow, seed != 0 ? seed + row * seedRow + j : 0, seedRow, k)
      }
      for (; i < m; i++) {
        const row = <usize>i
        row8(c + row * cRow + j, a + row * aRow, aStep, b + j, bRow, seed != 0 ? seed + row * seedRow + j : 0, k)
      }
    }
  } else {
    for (let i: usize = 0; i < <usize>m; i++) {
      for (j = 0; j < width; j += 4 * REAL) {
        row4(c + i * cRow + j, a + i * aRow, aStep, b + j, bRow, seed != 0 ? seed + i * seedRow + j : 0, k)
      }
    }
  }
}

// @ts-ignore: decorator
@inline function madd(sum: v128, x: v128, y: v128): v128 {
  return ASC_FEATURE_RELAXED_SIMD ? f32x4.relaxed_madd(x, y, sum) : f32x4.add(sum, f32x4.mul(x, y))
}

// @ts-ignore: decorator
@inline function start(seed: usize): v128 {
  return seed != 0 ? v128.load(seed) : f32x4.splat(0.0)
}

function tile4x8(
  c: usize, cRow: usize, a: usize, aRow: usize, aStep: usize, b: usize, bRow: usize, seed: usize, seedRow: usize, k: i32,
): void {
  const seed1 = seed != 0 ? seed + seedRow : 0
  const seed2 = seed != 0 ? seed1 + seedRow : 0
  const seed3 = seed != 0 ? seed2 + seedRow : 0
  let c00 = start(seed), c01 = start(seed != 0 ? seed + 16 : 0)
  let c10 = start(seed1), c11 = start(seed != 0 ? seed1 + 16 : 0)
  let c20 = start(seed2), c21 = start(seed != 0 ? seed2 + 16 : 0)
  let c30 = start(seed3), c31 = start(seed != 0 ? seed3 + 16 : 0)
  let a0 = a, a1 = a + aRow, a2 = a1 + aRow, a3 = a2 + aRow
  for (let t = k; t > 0; t--) {
    const b0 = v128.load(b), b1 = v128.load(b, 16)
    let x = v128.load32_splat(a0)
    c00 = madd(c00, x, b0)
    c01 = madd(c01, x, b1)
    x = v128.load32_splat(a1)
    c10 = madd(c10, x, b0)
    c11 = madd(c11, x, b1)
    x = v128.load32_splat(a2)
    c20 = madd(c20, x, b0)
    c21 = madd(c21, x, b1)
    x = v128.load32_splat(a3)
    c30 = madd(c30, x, b0)
    c31 = madd(c31, x, b1)
    a0 += aStep
    a1 += aStep
    a2 += aStep
    a3 += aStep
    b += bRow
  }
  v128.store(c, c00)
  v128.store(c, c01, 16)
  c += cRow
  v128.store(c, c10)
  v128.store(c, c11, 16)
  c += cRow
  v128.store(c, c20)
  v128.store(c, c21, 16)
  c += cRow
  v128.store(c, c30)
  v128.store(c, c31, 16)
}

function row8(c: usize, a: usize, aStep: usize, b: usize, bRow: usize, seed: usize, k: i32): void {
  let c0 = start(seed), c1 = start(seed != 0 ? seed + 16 : 0)
  for (let t = k; t > 0; t--) {
    const x = v128.load32_splat(a)
    c0 = madd(c0, x, v128.load(b))
    c1 = madd(c1, x, v128.load(b, 16))
    a += aStep
    b += bRow
  }
  v128.store(c, c0)
  v128.store(c, c1, 16)
}

/** One row, 32 columns: eight sums in flight hide the latency of an addition. */
function row32(c: usize, a: usize, aStep: usize, b: usize, bRow: usize, seed: usize, k: i32): void {
  let c0 = start(seed), c1 = start(seed != 0 ? seed + 16 : 0)
  let c2 = start(seed != 0 ? seed + 32 : 0), c3 = start(seed != 0 ? seed + 48 : 0)
  let c4 = start(seed != 0 ? seed + 64 : 0), c5 = start(seed != 0 ? seed + 80 : 0)
  let c6 = start(seed != 0 ? seed + 96 : 0), c7 = start(seed != 0 ? seed + 112 : 0)
  for (let t = k; t > 0; t--) {
    const x = v128.load32_splat(a)
    c0 = madd(c0, x, v128.load(b))
    c1 = madd(c1, x, v128.load(b, 16))
    c2 = madd(c2, x, v128.load(b, 32))
    c3 = madd(c3, x, v128.load(b, 48))
    c4 = madd(c4, x, v128.load(b, 64))
    c5 = madd(c5, x, v128.load(b, 80))
    c6 = madd(c6, x, v128.load(b, 96))
    c7 = madd(c7, x, v128.load(b, 112))
    a += aStep
    b += bRow
  }
  v128.store(c, c0)
  v128.store(c, c1, 16)
  v128.store(c, c2, 32)
  v128.store(c, c3, 48)
  v128.store(c, c4, 64)
  v128.store(c, c5, 80)
  v128.store(c, c6, 96)
  v128.store(c, c7, 112)
}

function row4(c: usize, a: usize, aStep: usize, b: usize, bRow: usize, seed: usize, k: i32): void {
  let c0: Real = 0.0, c1: Real = 0.0, c2: Real = 0.0, c3: Real = 0.0
  if (seed != 0) {
    c0 = load<Real>(seed)
    c1 = load<Real>(seed + REAL)
    c2 = load<Real>(seed + 2 * REAL)
    c3 = load<Real>(seed + 3 * REAL)
  }
  for (let t = k; t > 0; t--) {
    const x = load<Real>(a)
    c0 += x * load<Real>(b)
    c1 += x * load<Real>(b + REAL)
    c2 += x * load<Real>(b + 2 * REAL)
    c3 += x * load<Real>(b + 3 * REAL)
    a += aStep
    b += bRow
  }
  store<Real>(c, c0)
  store<Real>(c + REAL, c1)
  store<Real>(c + 2 * REAL, c2)
  store<Real>(c + 3 * REAL, c3)
}
