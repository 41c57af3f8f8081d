// What one core of this machine can do with plain 128-bit SIMD: the yardstick for the matrix product.
// A module of its own; nothing of it is in the modules that ship.

/**
 * 12 independent chains of x = x · c + d, four lanes each: enough to keep every multiplier and adder busy, few enough
 * for 16 registers. 96 flops a round; the sum is returned so that nothing can be left out.
 *
 * c and d are loaded, not splat: V8 computes a splat where it is used, again in each round.
 */
export function peak_run(rounds: i32, start: f32): f32 {
  const constants = memory.data<f32>([0.999, 0.999, 0.999, 0.999, 0.001, 0.001, 0.001, 0.001], 16)
  const c = v128.load(constants), d = v128.load(constants, 16)
  let x0 = f32x4.splat(start), x1 = x0, x2 = x0, x3 = x0, x4 = x0, x5 = x0
  let x6 = x0, x7 = x0, x8 = x0, x9 = x0, x10 = x0, x11 = x0
  for (let i = 0; i < rounds; i++) {
    x0 = f32x4.add(f32x4.mul(x0, c), d)
    x1 = f32x4.add(f32x4.mul(x1, c), d)
    x2 = f32x4.add(f32x4.mul(x2, c), d)
    x3 = f32x4.add(f32x4.mul(x3, c), d)
    x4 = f32x4.add(f32x4.mul(x4, c), d)
    x5 = f32x4.add(f32x4.mul(x5, c), d)
    x6 = f32x4.add(f32x4.mul(x6, c), d)
    x7 = f32x4.add(f32x4.mul(x7, c), d)
    x8 = f32x4.add(f32x4.mul(x8, c), d)
    x9 = f32x4.add(f32x4.mul(x9, c), d)
    x10 = f32x4.add(f32x4.mul(x10, c), d)
    x11 = f32x4.add(f32x4.mul(x11, c), d)
  }
  const a = f32x4.add(f32x4.add(f32x4.add(x0, x1), f32x4.add(x2, x3)), f32x4.add(f32x4.add(x4, x5), f32x4.add(x6, x7)))
  const b = f32x4.add(a, f32x4.add(f32x4.add(x8, x9), f32x4.add(x10, x11)))
  return f32x4.extract_lane(b, 0) + f32x4.extract_lane(b, 1) + f32x4.extract_lane(b, 2) + f32x4.extract_lane(b, 3)
}

/** 64 dependent integer operations a round, one cycle each: rounds · 64 / time is the clock. */
export function peak_clock(rounds: i32, start: i32): i32 {
  let x = start, y = start ^ 0x5bd1e995
  for (let i = 0; i < rounds; i++) {
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
    x += y
    y ^= x
  }
  return x ^ y
}
