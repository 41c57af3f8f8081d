// Chooses and instantiates the core's module: SIMD where the host has it, scalar elsewhere, relaxed SIMD only when asked for.
import { ConfigError, CoreError } from './errors.js'
import type { RawExports } from './gate.js'
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
  /** Your own copy of `@trimtab/core/core.wasm`, for hosts with a loader or policy of their own. */
  readonly module?: WasmSource
}

export async function instantiate(options: CoreOptions): Promise<{ exports: RawExports; build: CoreBuild }> {
  const build = options.build ?? (hasSimd() ? 'simd' : 'scalar')
  const source = options.module ?? (await loadBuild(build))
  try {
    const result = await WebAssembly.instantiate(source as BufferSource, {})
    const instance = ('instance' in result ? result.instance : result) as WebAssembly.Instance
    return { exports: instance.exports as unknown as RawExports, build }
  } catch (cause) {
    throw new CoreError(
      'core_unavailable',
      `the ${build} build of the core does not run on this host: ${String(cause)}`,
      {
        cause,
      },
    )
  }
}

async function loadBuild(build: CoreBuild): Promise<WebAssembly.Module | Uint8Array<ArrayBuffer>> {
  switch (build) {
    case 'simd':
      return (await import('#wasm/simd')).wasm
    case 'scalar':
      return (await import('#wasm/scalar')).wasm
    case 'relaxed':
      return (await import('#wasm/relaxed')).wasm
    default:
      throw new ConfigError(
        'config_invalid',
        `build must be simd, scalar or relaxed, got ${String(build satisfies never)}`,
      )
  }
}
