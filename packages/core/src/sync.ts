// The core without a promise, for one-liners and for hosts whose entry points are synchronous.
import { wasm } from '#wasm/scalar'
import { type Core, coreOf } from './core.js'
import { CoreError } from './errors.js'
import type { RawExports } from './gate.js'

/**
 * Starts the scalar build of the core at once: runs wherever WebAssembly does and gives the same bits as the SIMD build.
 * Takes a few milliseconds of the calling thread; a service that can wait uses `createCore()`.
 * @throws {CoreError} `core_unavailable` (the host allows no synchronous WebAssembly), `core_abi_mismatch`
 * @example
 * const core = createCoreSync()
 */
export function createCoreSync(): Core {
  let instance: WebAssembly.Instance
  try {
    instance = new WebAssembly.Instance(wasm instanceof WebAssembly.Module ? wasm : new WebAssembly.Module(wasm))
  } catch (cause) {
    throw new CoreError(
      'core_unavailable',
      `this host does not start WebAssembly synchronously (${String(cause)}): use await createCore() and pass the core on`,
      { cause },
    )
  }
  return coreOf(instance.exports as unknown as RawExports, 'scalar')
}
