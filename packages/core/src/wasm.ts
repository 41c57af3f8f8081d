// What a host can run, and what a program may ask for.
import type { WasmSource } from './wasm-types.js'

// Smallest modules that use the feature: `i32x4.splat`-class for SIMD, `f32x4.relaxed_madd`-class for relaxed SIMD.
const SIMD_PROBE = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]
const RELAXED_PROBE = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15,
  253, 128, 2, 11,
]

/** Whether this host runs 128-bit SIMD. */
export const hasSimd = (): boolean => WebAssembly.validate(new Uint8Array(SIMD_PROBE))

/** Whether this host runs relaxed SIMD (whose results differ between engines). */
export const hasRelaxedSimd = (): boolean => WebAssembly.validate(new Uint8Array(RELAXED_PROBE))

/** Which of the three builds of the core runs. */
export type CoreBuild = 'simd' | 'scalar' | 'relaxed'

/** Where the core comes from. */
export interface CoreOptions {
  /**
   * Which build to run. Default: `simd` where the host has it, else `scalar`; both give the same bits.
   * `relaxed` is faster on some hosts and not reproducible between them.
   */
  readonly build?: CoreBuild
  /** Your own copy of the module (`@trimtab/core/learn.wasm`, `trace.wasm`, `serve.wasm`), for hosts with a loader or policy of their own. */
  readonly module?: WasmSource
}
