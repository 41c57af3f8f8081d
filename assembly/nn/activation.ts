// Activations over n numbers, n a multiple of 8, and their derivatives expressed by the output.
import { Real, REAL, sigmoidReal, tanhReal } from '../math/real'
import { sigmoidFour, tanhFour } from '../math/single'

// @ts-ignore: decorator
@inline export const LINEAR: i32 = 0
// @ts-ignore: decorator
@inline export const RELU: i32 = 1
// @ts-ignore: decorator
@inline export const TANH: i32 = 2
// @ts-ignore: decorator
@inline export const SIGMOID: i32 = 3

/** y = f(x); y may be x. */
export function activate(kind: i32, x: usize, y: usize, n: i32): void {
  const end = x + <usize>n * REAL
  if (kind == RELU) relu(x, y, end)
  else if (kind == TANH) tanh(x, y, end)
  else if (kind == SIGMOID) sigmoid(x, y, end)
  else if (x != y) memory.copy(y, x, end - x)
}

/** x < 0 ? 0 : x, one instruction (pmax); `max` would take seven to order −0 and NaN, and NaN passes here too. */
function relu(x: usize, y: usize, end: usize): void {
  if (ASC_FEATURE_SIMD) {
    for (; x < end; x += 32, y += 32) {
      v128.store(y, f32x4.pmax(v128.load(x), f32x4.splat(0.0)))
      v128.store(y, f32x4.pmax(v128.load(x, 16), f32x4.splat(0.0)), 16)
    }
  } else for (; x < end; x += REAL, y += REAL) store<Real>(y, load<Real>(x) < 0.0 ? 0.0 : load<Real>(x))
}

function tanh(x: usize, y: usize, end: usize): void {
  if (ASC_FEATURE_SIMD) for (; x < end; x += 16, y += 16) v128.store(y, tanhFour(v128.load(x)))
  else for (; x < end; x += REAL, y += REAL) store<Real>(y, tanhReal(load<Real>(x)))
}

function sigmoid(x: usize, y: usize, end: usize): void {
  if (ASC_FEATURE_SIMD) for (; x < end; x += 16, y += 16) v128.store(y, sigmoidFour(v128.load(x)))
  else for (; x < end; x += REAL, y += REAL) store<Real>(y, sigmoidReal(load<Real>(x)))
}

/** d *= f'(x), given y = f(x). */
export function deactivate(kind: i32, y: usize, d: usize, n: i32): void {
  if (kind == LINEAR) return
  const end = y + <usize>n * REAL
  if (ASC_FEATURE_SIMD) {
    for (; y < end; y += 16, d += 16) v128.store(d, slope4(kind, v128.load(y), v128.load(d)))
  } else {
    for (; y < end; y += REAL, d += REAL) store<Real>(d, slope(kind, load<Real>(y), load<Real>(d)))
  }
}

// @ts-ignore: decorator
@inline function slope4(kind: i32, y: v128, d: v128): v128 {
  const one = f32x4.splat(1.0)
  if (kind == RELU) return v128.and(d, f32x4.gt(y, f32x4.splat(0.0)))
  if (kind == TANH) return f32x4.mul(d, f32x4.sub(one, f32x4.mul(y, y)))
  return f32x4.mul(d, f32x4.mul(y, f32x4.sub(one, y)))
}

// @ts-ignore: decorator
@inline function slope(kind: i32, y: Real, d: Real): Real {
  const one: Real = 1.0
  if (kind == RELU) return y > 0.0 ? d : 0.0
  if (kind == TANH) return d * (one - y * y)
  return d * (y * (one - y))
}
