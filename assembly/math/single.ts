// exp, tanh and sigmoid in f32: one polynomial, written once for a number and once for four. Both take the same steps in
// the same order, so the scalar build has the SIMD build's bits. Error below 2 units in the last place.

// @ts-ignore: decorator
@inline const EXP_LOW: f32 = -87.33654 // e^x stays a normal number …
// @ts-ignore: decorator
@inline const EXP_HIGH: f32 = 88.376 // … and finite
// @ts-ignore: decorator
@inline const LOG2E: f32 = 1.44269504
// @ts-ignore: decorator
@inline const ROUND: f32 = 12582912.0 // 1.5 · 2^23: adding it rounds to the nearest integer
// @ts-ignore: decorator
@inline const ROUND_BITS: i32 = 0x4b400000
// ln 2 in two parts: the first has so few bits that n · LN2_HIGH is exact
// @ts-ignore: decorator
@inline const LN2_HIGH: f32 = 0.693359375
// @ts-ignore: decorator
@inline const LN2_LOW: f32 = -2.12194440e-4
// e^r = 1 + r + r² (E0 r⁵ + … ), |r| <= ln 2 / 2 (Cephes, expf)
// @ts-ignore: decorator
@inline const E0: f32 = 1.9875691500e-4
// @ts-ignore: decorator
@inline const E1: f32 = 1.3981999507e-3
// @ts-ignore: decorator
@inline const E2: f32 = 8.3334519073e-3
// @ts-ignore: decorator
@inline const E3: f32 = 4.1665795894e-2
// @ts-ignore: decorator
@inline const E4: f32 = 1.6666665459e-1
// @ts-ignore: decorator
@inline const E5: f32 = 5.0000001201e-1
// tanh x = x + x³ (T0 x⁸ + …), |x| < 0.625 (Cephes, tanhf); above it 1 − 2 / (e^2x + 1) loses nothing
// @ts-ignore: decorator
@inline const TANH_SMALL: f32 = 0.625
// @ts-ignore: decorator
@inline const T0: f32 = -5.70498872745e-3
// @ts-ignore: decorator
@inline const T1: f32 = 2.06390887954e-2
// @ts-ignore: decorator
@inline const T2: f32 = -5.37397155531e-2
// @ts-ignore: decorator
@inline const T3: f32 = 1.33314422036e-1
// @ts-ignore: decorator
@inline const T4: f32 = -3.33332819422e-1

export function expSingle(value: f32): f32 {
  const above = value < EXP_LOW ? EXP_LOW : value // NaN passes, as in pmin and pmax
  const x = EXP_HIGH < above ? EXP_HIGH : above
  const shifted = x * LOG2E + ROUND
  const n = shifted - ROUND
  const r = x - n * LN2_HIGH - n * LN2_LOW
  const p = ((((E0 * r + E1) * r + E2) * r + E3) * r + E4) * r + E5
  const scale = reinterpret<f32>((reinterpret<i32>(shifted) - ROUND_BITS + 127) << 23)
  return (p * (r * r) + r + <f32>1.0) * scale
}

export function tanhSingle(x: f32): f32 {
  const size = abs<f32>(x)
  if (size < TANH_SMALL) {
    const s = x * x
    return ((((T0 * s + T1) * s + T2) * s + T3) * s + T4) * s * x + x
  }
  return copysign<f32>(<f32>1.0 - <f32>2.0 / (expSingle(size + size) + <f32>1.0), x)
}

export function sigmoidSingle(x: f32): f32 {
  return <f32>1.0 / (<f32>1.0 + expSingle(-x))
}

// The same constants for the four-wide versions, which load them: V8 builds a constant vector anew at every use.
const TABLE = memory.data<f32>([
  EXP_LOW, EXP_HIGH, LOG2E, ROUND, LN2_HIGH, LN2_LOW, E0, E1, E2, E3, E4, E5, TANH_SMALL, T0, T1, T2, T3, T4, 1.0, 2.0,
])

// @ts-ignore: decorator
@inline function constant(index: usize): v128 {
  return v128.load32_splat(TABLE + (index << 2))
}

// @ts-ignore: decorator
@inline function step(p: v128, r: v128, coefficient: usize): v128 {
  return f32x4.add(f32x4.mul(p, r), constant(coefficient))
}

export function expFour(value: v128): v128 {
  const x = f32x4.pmin(f32x4.pmax(value, constant(0)), constant(1))
  const shifted = step(x, constant(2), 3)
  const n = f32x4.sub(shifted, constant(3))
  const r = f32x4.sub(f32x4.sub(x, f32x4.mul(n, constant(4))), f32x4.mul(n, constant(5)))
  const p = step(step(step(step(step(constant(6), r, 7), r, 8), r, 9), r, 10), r, 11)
  const scale = i32x4.shl(i32x4.sub(shifted, i32x4.splat(ROUND_BITS - 127)), 23)
  return f32x4.mul(f32x4.add(f32x4.add(f32x4.mul(p, f32x4.mul(r, r)), r), constant(18)), scale)
}

export function tanhFour(x: v128): v128 {
  const size = f32x4.abs(x)
  const s = f32x4.mul(x, x)
  const p = step(step(step(step(constant(13), s, 14), s, 15), s, 16), s, 17)
  const small = f32x4.add(f32x4.mul(f32x4.mul(p, s), x), x)
  const one = constant(18)
  const quotient = f32x4.div(constant(19), f32x4.add(expFour(f32x4.add(size, size)), one))
  const sign = v128.and(x, i32x4.splat(0x80000000))
  const large = v128.or(f32x4.sub(one, quotient), sign)
  return v128.bitselect(small, large, f32x4.lt(size, constant(12)))
}

export function sigmoidFour(x: v128): v128 {
  const one = constant(18)
  return f32x4.div(one, f32x4.add(one, expFour(f32x4.neg(x))))
}

/** y [n] = f(x [n]), kind 0 exp, 1 tanh, 2 sigmoid; four at a time where the build can. */
export function single_map(kind: i32, x: usize, y: usize, n: i32): void {
  const end = x + (<usize>n << 2)
  if (ASC_FEATURE_SIMD) {
    for (; x + 16 <= end; x += 16, y += 16) {
      const v = v128.load(x)
      v128.store(y, kind == 0 ? expFour(v) : kind == 1 ? tanhFour(v) : sigmoidFour(v))
    }
  }
  for (; x < end; x += 4, y += 4) {
    const v = load<f32>(x)
    store<f32>(y, kind == 0 ? expSingle(v) : kind == 1 ? tanhSingle(v) : sigmoidSingle(v))
  }
}
