// The most similar of many unit vectors, by brute force: a thousand rows of 256 take some tens of microseconds.
//
// row f32[n, W], W a multiple of 8   group i32[n], negative: the row is empty   x f32[W]
// A dot product is summed in eight lanes (element i in lane i mod 8), which are added up in one order: SIMD or not, same bits.

/**
 * row f32 [n, W], group i32 [n], x f32 [W]: the first row of `group` whose dot product with x is largest, −1 when the group
 * has none. Writes that product at `best`.
 * @param width  W
 */
export function similarity_nearest(row: usize, group: usize, x: usize, best: usize, n: i32, width: i32, wanted: i32): i32 {
  const bytes = <usize>width << 2
  let nearest = -1
  let largest: f32 = -Infinity
  for (let i = 0; i < n; i++, row += bytes) {
    if (load<i32>(group + (<usize>i << 2)) != wanted) continue
    const product = dot(row, x, bytes)
    if (product > largest) {
      largest = product
      nearest = i
    }
  }
  store<f32>(best, largest)
  return nearest
}

function dot(a: usize, b: usize, bytes: usize): f32 {
  if (ASC_FEATURE_SIMD) {
    let low = f32x4.splat(0.0)
    let high = low
    for (let i: usize = 0; i < bytes; i += 32) {
      low = f32x4.add(low, f32x4.mul(v128.load(a + i), v128.load(b + i)))
      high = f32x4.add(high, f32x4.mul(v128.load(a + i, 16), v128.load(b + i, 16)))
    }
    const sum = f32x4.add(low, high)
    const first = f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1)
    return first + (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3))
  }
  return (lane(a, b, bytes, 0) + lane(a, b, bytes, 4)) + (lane(a, b, bytes, 8) + lane(a, b, bytes, 12))
}

/** The lanes at `from` and 16 bytes on, added. */
function lane(a: usize, b: usize, bytes: usize, from: usize): f32 {
  let low: f32 = 0
  let high: f32 = 0
  for (let i = from; i < bytes; i += 32) {
    low += load<f32>(a + i) * load<f32>(b + i)
    high += load<f32>(a + i, 16) * load<f32>(b + i, 16)
  }
  return low + high
}
