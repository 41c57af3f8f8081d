// Generated from assembly/ by scripts/build-abi.mjs.
import { SharedExports } from './shared.js'

/** What assembly/trace.ts exports: kernels of what reads traces. Pointers are byte offsets in `memory`. */
export class TraceExports extends SharedExports {
  /** Prepares a laid-out and filled block. options: PATH_TO_TRACE_END | … of abi.ts. tolerance in ns. */
  path_begin(block: number, root: number, options: number, tolerance: number): void {
    try {
      this.raw.path_begin!(block, root, options, tolerance)
    } catch (cause) {
      throw this.failed('path_begin', cause)
    }
  }

  /** Bytes of a block for n spans, as a number: more than an i32 holds is for the caller to refuse. */
  path_bytes(n: number): number {
    try {
      return this.raw.path_bytes!(n)
    } catch (cause) {
      throw this.failed('path_bytes', cause)
    }
  }

  /** The address of a column, by the names of abi.ts. */
  path_column(block: number, which: number): number {
    try {
      return this.raw.path_column!(block, which) >>> 0
    } catch (cause) {
      throw this.failed('path_column', cause)
    }
  }

  /** A result, by the names of abi.ts. */
  path_get(block: number, which: number): number {
    try {
      return this.raw.path_get!(block, which)
    } catch (cause) {
      throw this.failed('path_get', cause)
    }
  }

  /** Lays the block out for a trace of n spans; the caller then fills start, end, parent, kind and flags. */
  path_layout(block: number, n: number): void {
    try {
      this.raw.path_layout!(block, n)
    } catch (cause) {
      throw this.failed('path_layout', cause)
    }
  }

  /** Goes on until the path is found (returns 0) or siblings tie (returns how many of PATH_TIED are to be sorted by id). */
  path_resume(block: number): number {
    try {
      return this.raw.path_resume!(block)
    } catch (cause) {
      throw this.failed('path_resume', cause)
    }
  }

  /** Bytes of a block, exact for any counts. */
  svm_bytes(inputs: number, features: number): number {
    try {
      return this.raw.svm_bytes!(inputs, features)
    } catch (cause) {
      throw this.failed('svm_bytes', cause)
    }
  }

  /** An untrained machine whose kernel is exp(−gamma |x − y|²); `random` draws its features W [F, D] and offsets [D]. */
  svm_create(
    block: number,
    inputs: number,
    features: number,
    gamma: number,
    alpha: number,
    rate: number,
    negative: number,
    positive: number,
    averageFrom: number,
    random: number,
  ): void {
    try {
      this.raw.svm_create!(block, inputs, features, gamma, alpha, rate, negative, positive, averageFrom, random)
    } catch (cause) {
      throw this.failed('svm_create', cause)
    }
  }

  /** The signed distance of x [F] from the border, in units of the margin; by the mean of the steps where there is one. */
  svm_decide(block: number, x: number): number {
    try {
      return this.raw.svm_decide!(block, x)
    } catch (cause) {
      throw this.failed('svm_decide', cause)
    }
  }

  /** One step a row, in order. x [n, F], y [n] = ±1, weight [n] >= 0 */
  svm_fit(block: number, x: number, y: number, weight: number, n: number): void {
    try {
      this.raw.svm_fit!(block, x, y, weight, n)
    } catch (cause) {
      throw this.failed('svm_fit', cause)
    }
  }

  /** phi [D] = sqrt(2 / D) cos(z W + offset), z [F] = (x − mean) / deviation; left in the block. */
  svm_map(block: number, x: number): void {
    try {
      this.raw.svm_map!(block, x)
    } catch (cause) {
      throw this.failed('svm_map', cause)
    }
  }

  /** Merges n >= 1 rows into mean and variance. x [n, F] */
  svm_observe(block: number, x: number, n: number): void {
    try {
      this.raw.svm_observe!(block, x, n)
    } catch (cause) {
      throw this.failed('svm_observe', cause)
    }
  }
}
