// The core that serves requests: ready queues, replays, predicted lengths, similar prompts.
import type { ServeCore } from './core.js'
import { ServeExports } from './exports/serve.js'
import { type Builds, type Entry, start } from './start.js'
import type { CoreOptions } from './wasm.js'

export type { ServeCore } from './core.js'

const SERVE: Entry<'serve'> = { kernels: 'serve', exports: ServeExports }

const BUILDS: Builds = {
  simd: () => import('#wasm-file/serve-simd'),
  scalar: () => import('#wasm-file/serve-scalar'),
}

/** What `createServeCore` takes: there is no relaxed build of these kernels. */
export type ServeCoreOptions = CoreOptions & { readonly build?: 'simd' | 'scalar' }

/**
 * Starts a core for `@trimtab/serve`.
 * @throws {ConfigError} `config_invalid` (an unknown build); {CoreError} `core_unavailable` (the host cannot run the build),
 *   `core_abi_mismatch` (a foreign module)
 * @example
 * const scheduler = new Scheduler(await createServeCore(), { slots: 4 })
 */
export async function createServeCore(options: ServeCoreOptions = {}): Promise<ServeCore> {
  return start(SERVE, BUILDS, options)
}
