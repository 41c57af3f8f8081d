// Adam over a flat block, as PyTorch computes it, and the soft update of target networks. n: a multiple of 8 Reals.
// Kingma and Ba 2015; decoupled decay: Loshchilov and Hutter 2019.
import { NOT_FINITE, OK } from '../abi'
import { Real, REAL } from '../math/real'

/** What does not change between steps. */
// @ts-ignore: decorator
@unmanaged export class AdamOptions {
  learningRate: f64
  beta1: f64
  beta2: f64
  epsilon: f64
  weightDecay: f64
  /** Global L2 norm above which a gradient is scaled down; 0: never. */
  maxNorm: f64
  /** 1: AdamW; 0: decay is added to the gradient. */
  decoupled: i32
  unused: i32
}

const slot = memory.data(4)

/** Four times x in a register. V8 sinks pure code into the loops that use it, divisions and all; it does not sink a load. */
// @ts-ignore: decorator
@inline function pin(x: Real): v128 {
  store<f32>(slot, <f32>x)
  return v128.load32_splat(slot)
}

/** Σ g², in four sums by index modulo 4, so that every build adds in the same order. */
export function squaredNorm(g: usize, n: i32): f64 {
  let s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0
  const end = g + <usize>n * REAL
  for (; g < end; g += 4 * REAL) {
    const g0 = <f64>load<Real>(g), g1 = <f64>load<Real>(g + REAL)
    const g2 = <f64>load<Real>(g + 2 * REAL), g3 = <f64>load<Real>(g + 3 * REAL)
    s0 += g0 * g0
    s1 += g1 * g1
    s2 += g2 * g2
    s3 += g3 * g3
  }
  return s0 + s1 + (s2 + s3)
}

/** Squares of larger gradients do not fit the second moment. */
// @ts-ignore: decorator
@inline export const LARGEST_SQUARED_NORM: f64 = 1e36

/**
 * One step on theta, m, v with gradient g; `step` counts from 1. `squared` is the gradient's squared norm.
 * theta -= lr / (1 − b1^t) · m / (sqrt(v / (1 − b2^t)) + eps)
 */
export function adam(options: AdamOptions, theta: usize, g: usize, m: usize, v: usize, n: i32, step: i32, squared: f64): void {
  const norm = Math.sqrt(squared)
  const clip = <Real>(options.maxNorm > 0.0 ? min(1.0, options.maxNorm / (norm + 1e-6)) : 1.0)
  const b1 = <Real>options.beta1, c1 = <Real>(1.0 - options.beta1)
  const b2 = <Real>options.beta2, c2 = <Real>(1.0 - options.beta2)
  const rate = <Real>(options.learningRate / (1.0 - NativeMath.pow(options.beta1, <f64>step)))
  const root = <Real>(1.0 / Math.sqrt(1.0 - NativeMath.pow(options.beta2, <f64>step)))
  const epsilon = <Real>options.epsilon
  const decay = options.decoupled ? <Real>0.0 : <Real>options.weightDecay
  const keep = options.decoupled ? <Real>(1.0 - options.learningRate * options.weightDecay) : <Real>1.0
  const bytes = <usize>n * REAL
  if (ASC_FEATURE_SIMD) {
    const clip4 = pin(clip), b14 = pin(b1), c14 = pin(c1), b24 = pin(b2), c24 = pin(c2)
    const rate4 = pin(rate), root4 = pin(root), epsilon4 = pin(epsilon), decay4 = pin(decay), keep4 = pin(keep)
    for (let i: usize = 0; i < bytes; i += 16) {
      const parameter = v128.load(theta + i)
      const slope = f32x4.add(f32x4.mul(v128.load(g + i), clip4), f32x4.mul(decay4, parameter))
      const mean = f32x4.add(f32x4.mul(b14, v128.load(m + i)), f32x4.mul(c14, slope))
      const square = f32x4.add(f32x4.mul(b24, v128.load(v + i)), f32x4.mul(c24, f32x4.mul(slope, slope)))
      v128.store(m + i, mean)
      v128.store(v + i, square)
      const scale = f32x4.add(f32x4.mul(f32x4.sqrt(square), root4), epsilon4)
      v128.store(theta + i, f32x4.sub(f32x4.mul(parameter, keep4), f32x4.div(f32x4.mul(rate4, mean), scale)))
    }
  } else {
    for (let i: usize = 0; i < bytes; i += REAL) {
      const parameter = load<Real>(theta + i)
      const slope = load<Real>(g + i) * clip + decay * parameter
      const mean = b1 * load<Real>(m + i) + c1 * slope
      const square = b2 * load<Real>(v + i) + c2 * (slope * slope)
      store<Real>(m + i, mean)
      store<Real>(v + i, square)
      const change = (rate * mean) / (sqrt<Real>(square) * root + epsilon)
      store<Real>(theta + i, parameter * keep - change)
    }
  }
}

/** target += rate · (source − target) */
export function polyak(target: usize, source: usize, n: i32, rate: f64): void {
  const r = <Real>rate
  const bytes = <usize>n * REAL
  if (ASC_FEATURE_SIMD) {
    const r4 = pin(r)
    for (let i: usize = 0; i < bytes; i += 16) {
      const t = v128.load(target + i)
      v128.store(target + i, f32x4.add(t, f32x4.mul(r4, f32x4.sub(v128.load(source + i), t))))
    }
  } else {
    for (let i: usize = 0; i < bytes; i += REAL) {
      const t = load<Real>(target + i)
      store<Real>(target + i, t + r * (load<Real>(source + i) - t))
    }
  }
}

/** Bytes of the options that `adam_configure` fills. */
export function adam_options_bytes(): usize {
  return offsetof<AdamOptions>()
}

/**
 * Options at `pointer`. weightDecay: L2, or with `decoupled` of the weights themselves (AdamW); maxNorm: of the gradient, 0
 * for no clipping.
 */
export function adam_configure(
  pointer: usize, learningRate: f64, beta1: f64, beta2: f64, epsilon: f64, weightDecay: f64, maxNorm: f64, decoupled: i32,
): void {
  const options = changetype<AdamOptions>(pointer)
  options.learningRate = learningRate
  options.beta1 = beta1
  options.beta2 = beta2
  options.epsilon = epsilon
  options.weightDecay = weightDecay
  options.maxNorm = maxNorm
  options.decoupled = decoupled
}

/** `adam` for a gradient of any origin; theta, g, m, v [n]. 0, or NOT_FINITE and nothing changed. */
export function adam_step(options: usize, theta: usize, g: usize, m: usize, v: usize, n: i32, step: i32): i32 {
  const squared = squaredNorm(g, n)
  if (!(squared < LARGEST_SQUARED_NORM)) return NOT_FINITE
  adam(changetype<AdamOptions>(options), theta, g, m, v, n, step, squared)
  return OK
}
