// The WebAssembly core on this host: which build runs, how soon it decides, and the debug build of a source checkout.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Check, reasonOf } from './check.js'

/** Call it before anything else loads the core: the first import is what a user waits for. */
export async function checkCore(now: () => number): Promise<Check[]> {
  const startedAt = now()
  try {
    const { createCore, hasRelaxedSimd, hasSimd, Mlp } = await import('@trimtab/core')
    const core = await createCore()
    const actor = new Mlp(core, { sizes: [12, 40, 40, 3], activations: ['relu', 'relu', 'tanh'] })
    const action = new Float32Array(3)
    actor.forward(new Float32Array(12), action)
    const milliseconds = now() - startedAt
    return [
      {
        name: 'core',
        state: 'ok',
        found: `${core.build} build; SIMD ${hasSimd() ? 'yes' : 'no'}, relaxed SIMD ${hasRelaxedSimd() ? 'available' : 'no'}`,
        meaning: hasSimd()
          ? 'the fast build was chosen; relaxed SIMD runs only on request (createCore({ build: "relaxed" })): its bits differ between engines'
          : 'the scalar build was chosen: the same bits, several times slower',
      },
      {
        name: 'first decision',
        state: 'ok',
        found: `${milliseconds.toFixed(1)} ms after the import began`,
        meaning: 'loading, compiling and one decision of a 12-40-40-3 policy; later decisions take microseconds',
      },
    ]
  } catch (error) {
    return [
      {
        name: 'core',
        state: 'bad',
        found: reasonOf(error),
        meaning:
          'nothing works without the core: use a runtime with WebAssembly, and a policy (CSP) that allows wasm-unsafe-eval',
      },
    ]
  }
}

/** By variable: a source checkout has it, a published package neither has nor bundles it. */
const LOADER: string = '@assemblyscript/loader'

interface Loader {
  instantiate(bytes: Uint8Array): Promise<{ readonly exports: { abi_version(): number } }>
}

/** The build with assertions is made in a source checkout and never published: its loader names the failing line. */
export async function checkDebugBuild(): Promise<Check> {
  const name = 'debug build'
  const require = createRequire(import.meta.url)
  try {
    const path = join(dirname(require.resolve('@trimtab/core/package.json')), 'wasm/learn-debug.wasm')
    if (!existsSync(path)) {
      return {
        name,
        state: 'absent',
        found: 'not here',
        meaning: 'normal: published packages hold the release builds only; a source checkout makes it (npm run build)',
      }
    }
    const loader: Loader = await import(LOADER)
    const { exports } = await loader.instantiate(await readFile(path))
    const { ABI_VERSION } = await import('@trimtab/core')
    const version = exports.abi_version()
    return {
      name,
      state: version === ABI_VERSION ? 'ok' : 'bad',
      found: `ABI ${version} through @assemblyscript/loader`,
      meaning:
        version === ABI_VERSION
          ? 'assertions on; failures name file and line'
          : `stale, the packages speak ABI ${ABI_VERSION}: npm run build`,
    }
  } catch (error) {
    return {
      name,
      state: 'absent',
      found: reasonOf(error),
      meaning: 'only developers of Trimtab need it: npm ci && npm run build',
    }
  }
}
