// The core without a promise, for one-liners and for hosts whose entry points are synchronous.
import { wasm } from '#wasm/learn-scalar'
import type { Core } from './core.js'
import { LEARN } from './learn.js'
import { startSync } from './start.js'

/**
 * Starts the scalar build of the core at once: runs wherever WebAssembly does and gives the same bits as the SIMD build.
 * Takes a few milliseconds of the calling thread; a service that can wait uses `createCore()`.
 * @throws {CoreError} `core_unavailable` (the host allows no synchronous WebAssembly), `core_abi_mismatch`
 * @example
 * const core = createCoreSync()
 */
export function createCoreSync(): Core {
  return startSync(LEARN, wasm, 'scalar')
}
