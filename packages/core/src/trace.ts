// The core that reads traces, 17 kB gzipped: critical paths and the classifier of components.
import { wasm } from '#wasm/trace-scalar'
import type { TraceCore } from './core.js'
import { TraceExports } from './exports/trace.js'
import { type Entry, start, startSync } from './start.js'
import type { CoreOptions } from './wasm.js'

export type { TraceCore } from './core.js'

const TRACE: Entry<'trace'> = { kernels: 'trace', exports: TraceExports }

/**
 * Starts a core for `@trimtab/trace`. Its kernels have no use for SIMD: there is one build, for every host.
 * @throws {CoreError} `core_unavailable` (the host cannot run the build), `core_abi_mismatch` (a foreign module)
 * @example
 * const finder = new PathFinder(await createTraceCore())
 */
export async function createTraceCore(options: Pick<CoreOptions, 'module'> = {}): Promise<TraceCore> {
  return start(TRACE, { scalar: async () => ({ wasm }) }, options)
}

/**
 * Starts it at once, on the calling thread.
 * @throws {CoreError} `core_unavailable` (the host allows no synchronous WebAssembly), `core_abi_mismatch`
 */
export function createTraceCoreSync(): TraceCore {
  return startSync(TRACE, wasm, 'scalar')
}
