import type { SharedExports } from '../exports/shared.js'

/** Elementary functions in f64 from the core: engines disagree in the last bits of `Math.*`, the core does not. */
export class CoreMath {
  /** e^x. */
  readonly exp: (x: number) => number
  /** ln x; NaN below 0, −∞ at 0. */
  readonly log: (x: number) => number
  /** x^y. */
  readonly pow: (x: number, y: number) => number
  /** tanh x. */
  readonly tanh: (x: number) => number
  /** 1 / (1 + e^−x), without overflow on either side. */
  readonly sigmoid: (x: number) => number
  /** cos x, x in radians. */
  readonly cos: (x: number) => number
  /** sin x, x in radians. */
  readonly sin: (x: number) => number
  /** ln Γ(x), x > 0. */
  readonly logGamma: (x: number) => number

  constructor(exports: SharedExports) {
    this.exp = (x) => exports.math_exp(x)
    this.log = (x) => exports.math_log(x)
    this.pow = (x, y) => exports.math_pow(x, y)
    this.tanh = (x) => exports.math_tanh(x)
    this.sigmoid = (x) => exports.math_sigmoid(x)
    this.cos = (x) => exports.math_cos(x)
    this.sin = (x) => exports.math_sin(x)
    this.logGamma = (x) => exports.math_log_gamma(x)
  }
}
