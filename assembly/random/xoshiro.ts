// Seeded random streams: xoshiro128** with Box–Muller normals. The same bits on every engine.
//
// state: +0 s0 u32  +4 s1 u32  +8 s2 u32  +12 s3 u32  +16 spare normal f64  +24 has spare i32  +28 unused
import { logGamma } from '../math/special'

// @ts-ignore: decorator
@inline export const RANDOM_BYTES: usize = 32

/** Mixes seed and stream into four words (murmur3 finaliser over a Weyl sequence); streams of one seed are independent. */
export function random_seed(state: usize, seedLow: i32, seedHigh: i32, stream: i32): void {
  let word = mix(<u32>seedLow) ^ mix(<u32>seedHigh ^ 0x85ebca6b) ^ mix(<u32>stream + 0x9e3779b9)
  for (let i: usize = 0; i < 4; i++) {
    word += 0x9e3779b9
    // Without a stream the two halves would cancel for every seed.
    store<u32>(state + (i << 2), stream == 0 ? mix(word) : mix(word) ^ mix(word ^ <u32>stream))
  }
  if ((load<u32>(state) | load<u32>(state, 4) | load<u32>(state, 8) | load<u32>(state, 12)) == 0) store<u32>(state, 1)
  store<f64>(state, 0, 16)
  store<i32>(state, 0, 24)
  for (let i = 0; i < 8; i++) next(state)
}

// @ts-ignore: decorator
@inline function mix(word: u32): u32 {
  word = (word ^ (word >>> 16)) * 0x85ebca6b
  word = (word ^ (word >>> 13)) * 0xc2b2ae35
  return word ^ (word >>> 16)
}

// @ts-ignore: decorator
@inline export function next(state: usize): u32 {
  const s1 = load<u32>(state, 4)
  const result = rotl<u32>(s1 * 5, 7) * 9
  const s2 = load<u32>(state, 8) ^ load<u32>(state)
  const s3 = load<u32>(state, 12) ^ s1
  store<u32>(state, s1 ^ s2, 4)
  store<u32>(state, load<u32>(state) ^ s3)
  store<u32>(state, s2 ^ (s1 << 9), 8)
  store<u32>(state, rotl<u32>(s3, 11), 12)
  return result
}

/** Uniform in [0, 1), 53 bits. */
export function random_uniform(state: usize): f64 {
  const high = next(state) >>> 5
  const low = next(state) >>> 6
  return (<f64>high * 67108864.0 + <f64>low) * (1.0 / 9007199254740992.0)
}

/** Uniform in 0 … n − 1 (multiply-shift; the bias is below n / 2^32). */
export function random_integer(state: usize, n: i32): i32 {
  return <i32>((<u64>next(state) * <u64>(<u32>n)) >>> 32)
}

/** Standard normal (Box–Muller, the pair's second half is kept). */
export function random_normal(state: usize): f64 {
  if (load<i32>(state, 24)) {
    store<i32>(state, 0, 24)
    return load<f64>(state, 16)
  }
  const radius = Math.sqrt(-2.0 * NativeMath.log(1.0 - random_uniform(state)))
  const angle = 6.283185307179586 * random_uniform(state)
  store<f64>(state, radius * NativeMath.sin(angle), 16)
  store<i32>(state, 1, 24)
  return radius * NativeMath.cos(angle)
}

/** Exponential with mean 1. */
export function random_exponential(state: usize): f64 {
  return -NativeMath.log(1.0 - random_uniform(state))
}

/** Gamma with the given shape > 0 and scale 1 (Marsaglia and Tsang 2000). */
export function random_gamma(state: usize, shape: f64): f64 {
  if (shape < 1.0) return random_gamma(state, shape + 1.0) * NativeMath.pow(1.0 - random_uniform(state), 1.0 / shape)
  const d = shape - 1.0 / 3.0
  const c = 1.0 / Math.sqrt(9.0 * d)
  while (true) {
    const x = random_normal(state)
    let v = 1.0 + c * x
    if (v <= 0.0) continue
    v = v * v * v
    const u = 1.0 - random_uniform(state)
    if (NativeMath.log(u) < 0.5 * x * x + d - d * v + d * NativeMath.log(v)) return d * v
  }
}

/** Beta(a, b) in (0, 1). */
export function random_beta(state: usize, a: f64, b: f64): f64 {
  const x = random_gamma(state, a)
  return x / (x + random_gamma(state, b))
}

/** Poisson with the given mean >= 0, exact: by products below 10, else Hörmann's PTRS (1993). */
export function random_poisson(state: usize, mean: f64): f64 {
  if (!(mean > 0.0)) return 0.0
  if (mean < 10.0) return poissonByProducts(state, mean)
  const logMean = NativeMath.log(mean)
  const b = 0.931 + 2.53 * Math.sqrt(mean)
  const a = -0.059 + 0.02483 * b
  const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4)
  const vr = 0.9277 - 3.6224 / (b - 2.0)
  while (true) {
    const u = random_uniform(state) - 0.5
    const v = 1.0 - random_uniform(state)
    const us = 0.5 - Math.abs(u)
    const k = Math.floor((2.0 * a / us + b) * u + mean + 0.43)
    if (us >= 0.07 && v <= vr) return k
    if (k < 0.0 || (us < 0.013 && v > us)) continue
    const accept = NativeMath.log(v) + NativeMath.log(inverseAlpha) - NativeMath.log(a / (us * us) + b)
    if (accept <= k * logMean - mean - logGamma(k + 1.0)) return k
  }
}

function poissonByProducts(state: usize, mean: f64): f64 {
  const limit = NativeMath.exp(-mean)
  let product = random_uniform(state)
  let k = 0.0
  while (product > limit) {
    product *= random_uniform(state)
    k += 1.0
  }
  return k
}

/** out[i] standard normal, n values, f32. */
export function random_fill_normal(state: usize, out: usize, n: i32): void {
  for (let i: usize = 0; i < <usize>n; i++) store<f32>(out + (i << 2), <f32>random_normal(state))
}

/** out[i] uniform in [low, high), n values, f32. */
export function random_fill_uniform(state: usize, out: usize, n: i32, low: f64, high: f64): void {
  for (let i: usize = 0; i < <usize>n; i++) store<f32>(out + (i << 2), <f32>(low + (high - low) * random_uniform(state)))
}
