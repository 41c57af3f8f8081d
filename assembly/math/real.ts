// The number networks are made of. scripts/build-wasm.mjs widens this one file for the `real64` build, so that the same
// kernels can be checked by central differences; every size and stride therefore comes from REAL, never from a literal.
import { expSingle, sigmoidSingle, tanhSingle } from './single'

export type Real = f32

// @ts-ignore: decorator
@inline export const REAL: usize = sizeof<Real>()

// @ts-ignore: decorator
@inline export function expReal(x: Real): Real {
  if (sizeof<Real>() == 8) return <Real>NativeMath.exp(<f64>x)
  else return <Real>expSingle(x)
}

// @ts-ignore: decorator
@inline export function tanhReal(x: Real): Real {
  if (sizeof<Real>() == 8) return <Real>NativeMath.tanh(<f64>x)
  else return <Real>tanhSingle(x)
}

// @ts-ignore: decorator
@inline export function sigmoidReal(x: Real): Real {
  if (sizeof<Real>() == 8) return <Real>(1.0 / (1.0 + NativeMath.exp(-<f64>x)))
  else return <Real>sigmoidSingle(x)
}

/** Length of a row of n numbers in memory: 8 lanes, the width of a register tile. Pads are always zero. */
// @ts-ignore: decorator
@inline export function padded(n: i32): i32 {
  return (n + 7) & ~7
}
