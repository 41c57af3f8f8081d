import type { Core } from './core.js'
import { LearnExports } from './exports/learn.js'
import { type Builds, type Entry, start } from './start.js'
import type { CoreOptions } from './wasm.js'

/** The kernels that learn. */
export const LEARN: Entry<'learn'> = { kernels: 'learn', exports: LearnExports }

const BUILDS: Builds = {
  simd: () => import('#wasm-file/learn-simd'),
  scalar: () => import('#wasm-file/learn-scalar'),
  relaxed: () => import('#wasm-file/learn-relaxed'),
}

/**
 * Starts the core that learns: about 5 ms, no imports, no network, no threads. A second one is not compiled again.
 * @throws {ConfigError} `config_invalid` (an unknown build); {CoreError} `core_unavailable` (the host cannot run the build),
 *   `core_abi_mismatch` (a foreign module)
 * @example
 * const core = await createCore()
 * core.math.tanh(1) // the same bits everywhere
 */
export async function createCore(options: CoreOptions = {}): Promise<Core> {
  return start(LEARN, BUILDS, options)
}
