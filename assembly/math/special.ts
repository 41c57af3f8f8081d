// Elementary functions in f64. AssemblyScript's NativeMath is compiled into the core, so the bits do not depend on
// the engine (Math.exp and its friends differ between V8 and JavaScriptCore).

/** e^x; the same bits on every engine, as all that follow. */
export function math_exp(x: f64): f64 {
  return NativeMath.exp(x)
}

/** ln x; NaN below 0, −∞ at 0. */
export function math_log(x: f64): f64 {
  return NativeMath.log(x)
}

/** x^y. */
export function math_pow(x: f64, y: f64): f64 {
  return NativeMath.pow(x, y)
}

/** tanh x. */
export function math_tanh(x: f64): f64 {
  return NativeMath.tanh(x)
}

/** 1 / (1 + e^−x), without overflow on either side. */
export function math_sigmoid(x: f64): f64 {
  return x >= 0.0 ? 1.0 / (1.0 + NativeMath.exp(-x)) : NativeMath.exp(x) / (1.0 + NativeMath.exp(x))
}

/** cos x, x in radians. */
export function math_cos(x: f64): f64 {
  return NativeMath.cos(x)
}

/** sin x, x in radians. */
export function math_sin(x: f64): f64 {
  return NativeMath.sin(x)
}

/** ln Γ(x) for x > 0. */
export function math_log_gamma(x: f64): f64 {
  return logGamma(x)
}

/** ln Γ(x) for x > 0: recurrence up to 8, then Stirling's series (error below 1e-13). */
export function logGamma(x: f64): f64 {
  let shift = 0.0
  while (x < 8.0) {
    shift -= NativeMath.log(x)
    x += 1.0
  }
  const r = 1.0 / x
  const r2 = r * r
  const series = r * (1.0 / 12.0 - r2 * (1.0 / 360.0 - r2 * (1.0 / 1260.0 - r2 * (1.0 / 1680.0 - r2 * (1.0 / 1188.0)))))
  return shift + (x - 0.5) * NativeMath.log(x) - x + 0.9189385332046727 + series
}
