import type { LearnExports } from '../exports/learn.js'

/** Elementary functions in f64 from the core: engines disagree in the last bits of `Math.*`, the core does not. */
export class CoreMath {
  readonly exp: (x: number) => number
  readonly log: (x: number) => number
  readonly pow: (x: number, y: number) => number
  readonly tanh: (x: number) => number
  readonly sigmoid: (x: number) => number
  readonly cos: (x: number) => number
  readonly sin: (x: number) => number
  /** ln Γ(x), x > 0. */
  readonly logGamma: (x: number) => number

  constructor(exports: LearnExports) {
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
