import type { CoreExports } from '../wasm.js'

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

  constructor(exports: CoreExports) {
    this.exp = exports.math_exp!
    this.log = exports.math_log!
    this.pow = exports.math_pow!
    this.tanh = exports.math_tanh!
    this.sigmoid = exports.math_sigmoid!
    this.cos = exports.math_cos!
    this.sin = exports.math_sin!
    this.logGamma = exports.math_log_gamma!
  }
}
