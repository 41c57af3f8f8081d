import type { CoreMath } from '@trimtab/core'

/** The standard normal's quantile of .99. */
export const Z99 = 2.3263478740408408

/** The standard normal's quantile (Acklam's rational approximation, relative error 1.2e-9). */
export function normalQuantile(math: CoreMath, p: number): number {
  if (p < 0.02425) return tailQuantile(Math.sqrt(-2 * math.log(p)))
  if (p > 0.97575) return -tailQuantile(Math.sqrt(-2 * math.log(1 - p)))
  const q = p - 0.5
  return (q * polynomial(CENTRE_ABOVE, q * q)) / polynomial(CENTRE_BELOW, q * q)
}

/**
 * The standard normal's distribution function (Abramowitz and Stegun 7.1.26, absolute error 8e-8).
 */
export function normalCdf(math: CoreMath, z: number): number {
  const x = Math.abs(z) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const terms = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  const tail = 0.5 * terms * math.exp(-x * x)
  return z > 0 ? 1 - tail : tail
}

const tailQuantile = (q: number): number => polynomial(TAIL_ABOVE, q) / polynomial(TAIL_BELOW, q)

const CENTRE_ABOVE = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
]
const CENTRE_BELOW = [
  -54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1,
]
const TAIL_ABOVE = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
]
const TAIL_BELOW = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1]

/** Horner's rule, highest power first. */
function polynomial(coefficients: readonly number[], x: number): number {
  let sum = 0
  for (const c of coefficients) sum = sum * x + c
  return sum
}
