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
  if (ASC_FEATURE_SIMD) {
    let j: usize = 0
    if (m == 1 && seed != 0) for (; j + 96 <= width; j += 96) row24(c + j, a, aStep, b + j, bRow, seed + j, k)
    for (; j < width; j += 32) panel8(c + j, cRow, a, aRow, aStep, b + j, bRow, seed != 0 ? seed + j : 0, seedRow, m, k)
  } else {
    for (let i: usize = 0; i < <usize>m; i++) {
      for (let j: usize = 0; j < width; j += 4 * REAL) {
        row4(c + i * cRow + j, a + i * aRow, aStep, b + j, bRow, seed != 0 ? seed + i * seedRow + j : 0, k)
      }
    }
  }
}

/** Eight columns of C: tiles of five rows as long as what is left divides into fives and fours, then single rows. */
function panel8(
  c: usize, cRow: usize, a: usize, aRow: usize, aStep: usize, b: usize, bRow: usize, seed: usize, seedRow: usize, m: i32, k: i32,
): void {
  const ones = m < 4 || m == 6 || m == 7 || m == 11 ? m % 5 : 0
  let fours = ones != 0 ? 0 : (5 - (m % 5)) % 5
  let fives = (m - ones - 4 * fours) / 5
  for (; fives > 0; fives--) {
    tile5x8(c, cRow, a, aRow, aStep, b, bRow, seed, seedRow, k)
    c += 5 * cRow
    a += 5 * aRow
    if (seed != 0) seed += 5 * seedRow
  }
  for (; fours > 0; fours--) {
    tile4x8(c, cRow, a, aRow, aStep, b, bRow, seed, seedRow, k)
    c += 4 * cRow
    a += 4 * aRow
    if (seed != 0) seed += 4 * seedRow
  }
  for (let i = ones; i > 0; i--) {
    row8(c, a, aStep, b, bRow, seed, k)
    c += cRow
    a += aRow
    if (seed != 0) seed += seedRow
  }
}

// @ts-ignore: decorator
@inline function madd(sum: v128, x: v128, y: v128): v128 {
  return ASC_FEATURE_RELAXED_SIMD ? f32x4.relaxed_madd(x, y, sum) : f32x4.add(sum, f32x4.mul(x, y))
}

// @ts-ignore: decorator
@inline function start(seed: usize, offset: usize = 0): v128 {
  return seed != 0 ? v128.load(seed + offset) : f32x4.splat(0.0)
}

function tile5x8(
  c: usize, cRow: usize, a: usize, aRow: usize, aStep: usize, b: usize, bRow: usize, seed: usize, seedRow: usize, k: i32,
): void {
  if (seed == 0) seedRow = 0
  let c00 = start(seed), c01 = start(seed, 16)
  seed += seedRow
  let c10 = start(seed), c11 = start(seed, 16)
  seed += seedRow
  let c20 = start(seed), c21 = start(seed, 16)
  seed += seedRow
  let c30 = start(seed), c31 = start(seed, 16)
  seed += seedRow
  let c40 = start(seed), c41 = start(seed, 16)
  let a0 = a, a1 = a0 + aRow, a2 = a1 + aRow, a3 = a2 + aRow, a4 = a3 + aRow
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
    x = v128.load32_splat(a4)
    c40 = madd(c40, x, b0)
    c41 = madd(c41, x, b1)
    a0 += aStep
    a1 += aStep
    a2 += aStep
    a3 += aStep
    a4 += aStep
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
  c += cRow
  v128.store(c, c40)
  v128.store(c, c41, 16)
}

function tile4x8(
  c: usize, cRow: usize, a: usize, aRow: usize, aStep: usize, b: usize, bRow: usize, seed: usize, seedRow: usize, k: i32,
): void {
  if (seed == 0) seedRow = 0
  let c00 = start(seed), c01 = start(seed, 16)
  seed += seedRow
  let c10 = start(seed), c11 = start(seed, 16)
  seed += seedRow
  let c20 = start(seed), c21 = start(seed, 16)
  seed += seedRow
  let c30 = start(seed), c31 = start(seed, 16)
  let a0 = a, a1 = a0 + aRow, a2 = a1 + aRow, a3 = a2 + aRow
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
  let c0 = start(seed), c1 = start(seed, 16)
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

/** One row, 24 columns, with a seed: six sums in flight hide the latency of an addition. */
function row24(c: usize, a: usize, aStep: usize, b: usize, bRow: usize, seed: usize, k: i32): void {
  let c0 = v128.load(seed), c1 = v128.load(seed, 16), c2 = v128.load(seed, 32)
  let c3 = v128.load(seed, 48), c4 = v128.load(seed, 64), c5 = v128.load(seed, 80)
  for (let t = k; t > 0; t--) {
    const x = v128.load32_splat(a)
    c0 = madd(c0, x, v128.load(b))
    c1 = madd(c1, x, v128.load(b, 16))
    c2 = madd(c2, x, v128.load(b, 32))
    c3 = madd(c3, x, v128.load(b, 48))
    c4 = madd(c4, x, v128.load(b, 64))
    c5 = madd(c5, x, v128.load(b, 80))
    a += aStep
    b += bRow
  }
  v128.store(c, c0)
  v128.store(c, c1, 16)
  v128.store(c, c2, 32)
  v128.store(c, c3, 48)
  v128.store(c, c4, 64)
  v128.store(c, c5, 80)
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

/** Bytes of B [k, n] in panels. */
export function gemm_panel_bytes(n: i32, k: i32): f64 {
  return <f64>n * k * REAL
}

/** C [m, n] = A [m, k] · B [k, n], all dense and row-major, n a multiple of 8. */
export function gemm_multiply(c: usize, a: usize, b: usize, m: i32, n: i32, k: i32, panels: usize): void {
  packPanels(panels, b, <usize>n * REAL, n, k)
  multiplyPanels(c, <usize>n * REAL, a, <usize>k * REAL, REAL, panels, 0, 0, m, n, k)
}

/** Rows of A that stay in the first-level cache, with a panel of B, while all panels pass by. */
// @ts-ignore: decorator
@inline const ROW_BLOCK_BYTES: i32 = 32768

/** `gemm` with B in panels (`packPanels`): the kernel reads it in a straight line. */
export function multiplyPanels(
  c: usize, cRow: usize, a: usize, aRow: usize, aStep: usize, panels: usize, seed: usize, seedRow: usize, m: i32, n: i32, k: i32,
): void {
  const panelBytes = <usize>(8 * k) * REAL
  const block = max(20, (ROW_BLOCK_BYTES / (k * <i32>REAL) / 20) * 20) // 20 rows divide into tiles of five and of four
  for (let i = 0; i < m; i += block) {
    let panel = panels
    for (let j: usize = 0; j < <usize>n * REAL; j += 8 * REAL, panel += panelBytes) {
      gemm(c + j, cRow, a, aRow, aStep, panel, 8 * REAL, seed != 0 ? seed + j : 0, seedRow, min(block, m - i), 8, k)
    }
    a += <usize>block * aRow
    c += <usize>block * cRow
    if (seed != 0) seed += <usize>block * seedRow
  }
}

/** panels = B [k, n] in groups of 8 columns, each with its rows one after another. */
export function packPanels(panels: usize, b: usize, bRow: usize, n: i32, k: i32): void {
  for (let end = b + <usize>n * REAL; b < end; b += 8 * REAL) {
    let from = b
    for (let t = k; t > 0; t--, from += bRow, panels += 8 * REAL) {
      if (ASC_FEATURE_SIMD) {
        v128.store(panels, v128.load(from))
        v128.store(panels, v128.load(from, 16), 16)
      } else for (let j: usize = 0; j < 8 * REAL; j += REAL) store<Real>(panels + j, load<Real>(from + j))
    }
  }
}
