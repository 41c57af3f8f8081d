// Generated from assembly/ by scripts/build-abi.mjs.
import { Gate } from '../gate.js'

/** What assembly/shared.ts exports: memory, mathematics and chance, in every module. Pointers are byte offsets in `memory`. */
export class SharedExports extends Gate {
  /** Bytes of a network's number: 4; 8 in the build for finite differences. */
  abi_real_bytes(): number {
    try {
      return this.raw.abi_real_bytes!()
    } catch (cause) {
      throw this.failed('abi_real_bytes', cause)
    }
  }

  /** Saved states and callers compare this before anything else. */
  abi_version(): number {
    try {
      return this.raw.abi_version!()
    } catch (cause) {
      throw this.failed('abi_version', cause)
    }
  }

  /** cos x, x in radians. */
  math_cos(x: number): number {
    try {
      return this.raw.math_cos!(x)
    } catch (cause) {
      throw this.failed('math_cos', cause)
    }
  }

  /** e^x; the same bits on every engine, as all that follow. */
  math_exp(x: number): number {
    try {
      return this.raw.math_exp!(x)
    } catch (cause) {
      throw this.failed('math_exp', cause)
    }
  }

  /** ln x; NaN below 0, −∞ at 0. */
  math_log(x: number): number {
    try {
      return this.raw.math_log!(x)
    } catch (cause) {
      throw this.failed('math_log', cause)
    }
  }

  /** ln Γ(x) for x > 0. */
  math_log_gamma(x: number): number {
    try {
      return this.raw.math_log_gamma!(x)
    } catch (cause) {
      throw this.failed('math_log_gamma', cause)
    }
  }

  /** x^y. */
  math_pow(x: number, y: number): number {
    try {
      return this.raw.math_pow!(x, y)
    } catch (cause) {
      throw this.failed('math_pow', cause)
    }
  }

  /** 1 / (1 + e^−x), without overflow on either side. */
  math_sigmoid(x: number): number {
    try {
      return this.raw.math_sigmoid!(x)
    } catch (cause) {
      throw this.failed('math_sigmoid', cause)
    }
  }

  /** sin x, x in radians. */
  math_sin(x: number): number {
    try {
      return this.raw.math_sin!(x)
    } catch (cause) {
      throw this.failed('math_sin', cause)
    }
  }

  /** tanh x. */
  math_tanh(x: number): number {
    try {
      return this.raw.math_tanh!(x)
    } catch (cause) {
      throw this.failed('math_tanh', cause)
    }
  }

  /** 16-byte aligned, zeroed; 0 when the memory cannot grow that far. */
  memory_allocate(bytes: number): number {
    try {
      return this.raw.memory_allocate!(bytes) >>> 0
    } catch (cause) {
      throw this.failed('memory_allocate', cause)
    }
  }

  /** Gives a block back. Returns 0, or -1 when `pointer` is not an allocated block (nothing changes then). */
  memory_release(pointer: number): number {
    try {
      return this.raw.memory_release!(pointer)
    } catch (cause) {
      throw this.failed('memory_release', cause)
    }
  }

  /** Payload bytes now allocated. */
  memory_used(): number {
    try {
      return this.raw.memory_used!() >>> 0
    } catch (cause) {
      throw this.failed('memory_used', cause)
    }
  }

  /** Beta(a, b) in (0, 1). */
  random_beta(state: number, a: number, b: number): number {
    try {
      return this.raw.random_beta!(state, a, b)
    } catch (cause) {
      throw this.failed('random_beta', cause)
    }
  }

  /** Exponential with mean 1. */
  random_exponential(state: number): number {
    try {
      return this.raw.random_exponential!(state)
    } catch (cause) {
      throw this.failed('random_exponential', cause)
    }
  }

  /** out[i] standard normal, n values, f32. */
  random_fill_normal(state: number, out: number, n: number): void {
    try {
      this.raw.random_fill_normal!(state, out, n)
    } catch (cause) {
      throw this.failed('random_fill_normal', cause)
    }
  }

  /** out[i] uniform in [low, high), n values, f32. */
  random_fill_uniform(state: number, out: number, n: number, low: number, high: number): void {
    try {
      this.raw.random_fill_uniform!(state, out, n, low, high)
    } catch (cause) {
      throw this.failed('random_fill_uniform', cause)
    }
  }

  /** Gamma with the given shape > 0 and scale 1 (Marsaglia and Tsang 2000). */
  random_gamma(state: number, shape: number): number {
    try {
      return this.raw.random_gamma!(state, shape)
    } catch (cause) {
      throw this.failed('random_gamma', cause)
    }
  }

  /** Uniform in 0 … n − 1 (multiply-shift; the bias is below n / 2^32). */
  random_integer(state: number, n: number): number {
    try {
      return this.raw.random_integer!(state, n)
    } catch (cause) {
      throw this.failed('random_integer', cause)
    }
  }

  /** Standard normal (Box–Muller, the pair's second half is kept). */
  random_normal(state: number): number {
    try {
      return this.raw.random_normal!(state)
    } catch (cause) {
      throw this.failed('random_normal', cause)
    }
  }

  /** Poisson with the given mean >= 0, exact: by products below 10, else Hörmann's PTRS (1993). */
  random_poisson(state: number, mean: number): number {
    try {
      return this.raw.random_poisson!(state, mean)
    } catch (cause) {
      throw this.failed('random_poisson', cause)
    }
  }

  /** Mixes seed and stream into four words (murmur3 finaliser over a Weyl sequence); streams of one seed are independent. */
  random_seed(state: number, seedLow: number, seedHigh: number, stream: number): void {
    try {
      this.raw.random_seed!(state, seedLow, seedHigh, stream)
    } catch (cause) {
      throw this.failed('random_seed', cause)
    }
  }

  /** Uniform in [0, 1), 53 bits. */
  random_uniform(state: number): number {
    try {
      return this.raw.random_uniform!(state)
    } catch (cause) {
      throw this.failed('random_uniform', cause)
    }
  }
}
