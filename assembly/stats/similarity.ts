// The most similar of many unit vectors, by brute force over the numbers that are not 0 in the one asked for: of words, hashed into
// 256 places, a prompt of 320 characters fills about 70.
//
// tiles f32[n / 32, W, 32]: 32 rows side by side, number by number   group i32[n], negative: the row is empty
// x f32[W], then scratch: terms (place in a tile u32, value f32)[W], sums f32[32]
// A sum takes its products in the order of the numbers: SIMD or not, same bits.

/** Rows of a tile: their sums stay in registers. */
// @ts-ignore: decorator
@inline const TILE: usize = 32
// @ts-ignore: decorator
@inline const TILE_BYTES: usize = TILE << 2

/**
 * tiles f32 [n / 32, W, 32], group i32 [n], x f32 [W] and scratch [2 W + 32]: the first row of `group` whose dot product with x is
 * largest, −1 when the group has none. Writes that product at `best`.
 * @param n  rows, a multiple of 32
 * @param width  W, a multiple of 4
 */
export function similarity_nearest(tiles: usize, group: usize, x: usize, best: usize, n: i32, width: i32, wanted: i32): i32 {
  const terms = x + (<usize>width << 2), sums = terms + (<usize>width << 3)
  const end = listTerms(x, terms, width)
  const bytes = <usize>width * TILE_BYTES
  let nearest = -1
  let largest: f32 = -Infinity
  for (let from = 0; from < n; from += <i32>TILE, tiles += bytes, group += TILE_BYTES) {
    if (!holds(group, wanted)) continue
    if (!(addUp(tiles, terms, end, sums) > largest)) continue
    for (let lane: usize = 0; lane < TILE_BYTES; lane += 4) {
      const product = load<f32>(sums + lane)
      if (product <= largest || load<i32>(group + lane) != wanted) continue
      largest = product
      nearest = from + <i32>(lane >>> 2)
    }
  }
  store<f32>(best, largest)
  return nearest
}

/** Whether one of a tile's rows is of the group. */
function holds(group: usize, wanted: i32): bool {
  for (let lane: usize = 0; lane < TILE_BYTES; lane += 4) if (load<i32>(group + lane) == wanted) return true
  return false
}

/** Notes what is not 0 in x; returns the end of the list. */
function listTerms(x: usize, terms: usize, width: i32): usize {
  for (let i = 0; i < width; i++) {
    const value = load<f32>(x + (<usize>i << 2))
    if (value == 0) continue
    store<u32>(terms, <u32>(<usize>i * TILE_BYTES))
    store<f32>(terms, value, 4)
    terms += 8
  }
  return terms
}

/** sums[32] = the products of a tile's rows with the terms. Returns the largest. */
function addUp(tile: usize, terms: usize, end: usize, sums: usize): f32 {
  if (ASC_FEATURE_SIMD) {
    let a = f32x4.splat(0.0)
    let b = a, c = a, d = a, e = a, f = a, g = a, h = a
    for (; terms < end; terms += 8) {
      const at = tile + <usize>load<u32>(terms), value = v128.load32_splat(terms, 4)
      a = f32x4.add(a, f32x4.mul(value, v128.load(at)))
      b = f32x4.add(b, f32x4.mul(value, v128.load(at, 16)))
      c = f32x4.add(c, f32x4.mul(value, v128.load(at, 32)))
      d = f32x4.add(d, f32x4.mul(value, v128.load(at, 48)))
      e = f32x4.add(e, f32x4.mul(value, v128.load(at, 64)))
      f = f32x4.add(f, f32x4.mul(value, v128.load(at, 80)))
      g = f32x4.add(g, f32x4.mul(value, v128.load(at, 96)))
      h = f32x4.add(h, f32x4.mul(value, v128.load(at, 112)))
    }
    v128.store(sums, a)
    v128.store(sums, b, 16)
    v128.store(sums, c, 32)
    v128.store(sums, d, 48)
    v128.store(sums, e, 64)
    v128.store(sums, f, 80)
    v128.store(sums, g, 96)
    v128.store(sums, h, 112)
    const most = f32x4.max(f32x4.max(f32x4.max(a, b), f32x4.max(c, d)), f32x4.max(f32x4.max(e, f), f32x4.max(g, h)))
    const first = max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1))
    return max(first, max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)))
  }
  memory.fill(sums, 0, TILE_BYTES)
  for (; terms < end; terms += 8) {
    const at = tile + <usize>load<u32>(terms), value = load<f32>(terms, 4)
    for (let lane: usize = 0; lane < TILE_BYTES; lane += 4) store<f32>(sums + lane, load<f32>(sums + lane) + value * load<f32>(at + lane))
  }
  let most: f32 = -Infinity
  for (let lane: usize = 0; lane < TILE_BYTES; lane += 4) most = max(most, load<f32>(sums + lane))
  return most
}
