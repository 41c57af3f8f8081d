// Inverted dropout (Srivastava et al. 2014): while learning a number is dropped with probability `rate` and the others
// are scaled up by 1 / (1 − rate), so that nothing changes when serving.
import { Real, REAL } from '../math/real'
import { random_uniform } from '../random/xoshiro'

/** mask [n] of 0 and 1 / (1 − rate), one draw each. */
export function drawMask(random: usize, mask: usize, n: i32, rate: f64): void {
  const kept = <Real>(1.0 / (1.0 - rate))
  for (let i: usize = 0; i < <usize>n * REAL; i += REAL) store<Real>(mask + i, random_uniform(random) < rate ? <Real>0.0 : kept)
}

/** x [n] *= mask [n]: outputs on the way forward, slopes on the way back. n: a multiple of 8. */
export function applyMask(x: usize, mask: usize, n: i32): void {
  const end = x + <usize>n * REAL
  if (ASC_FEATURE_SIMD) for (; x < end; x += 16, mask += 16) v128.store(x, f32x4.mul(v128.load(x), v128.load(mask)))
  else for (; x < end; x += REAL, mask += REAL) store<Real>(x, load<Real>(x) * load<Real>(mask))
}
