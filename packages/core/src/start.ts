// Compiles and instantiates the modules: each once a process, however many cores are made of it.
import { ABI_VERSION } from './abi.js'
import { Core, type ExportsOf, type KernelSet } from './core.js'
import { ConfigError, CoreError } from './errors.js'
import type { RawExports } from './gate.js'
import { type CoreBuild, type CoreOptions, hasSimd } from './wasm.js'

/** One of the wasm modules: which kernels it has, and what stands before its exports. */
export interface Entry<Kernels extends KernelSet> {
  readonly kernels: Kernels
  readonly exports: new (raw: RawExports) => ExportsOf[Kernels]
}

/** What a file of packages/core/wasm exports: the bytes, or the module where the host compiles none itself. */
export type ShippedWasm = Uint8Array<ArrayBuffer> | object

/** Imports the shipped builds of an entry, each a chunk of its own. */
export type Builds = Partial<
  Readonly<Record<CoreBuild, () => Promise<{ readonly wasm: ShippedWasm | Promise<ShippedWasm> }>>>
>

/** Compiled modules, or what will be one, by the bytes that they were compiled from. */
const modules = new WeakMap<ShippedWasm, WebAssembly.Module | Promise<WebAssembly.Module>>()

/** Starts a core from the shipped builds, or from the module of the options. @throws {ConfigError} `config_invalid`; {CoreError} */
export async function start<Kernels extends KernelSet>(
  entry: Entry<Kernels>,
  builds: Builds,
  options: CoreOptions,
): Promise<Core<Kernels>> {
  const build = options.build ?? (hasSimd() && builds.simd ? 'simd' : 'scalar')
  const load = Object.hasOwn(builds, build) ? builds[build] : undefined
  if (!load) {
    throw new ConfigError('config_invalid', `build must be one of ${Object.keys(builds).join(', ')}, got ${build}`)
  }
  try {
    const source = options.module ?? (await compileOnce(await (await load()).wasm))
    const result = await WebAssembly.instantiate(source as BufferSource, {})
    return coreOf(entry, ('instance' in result ? result.instance : result) as WebAssembly.Instance, build)
  } catch (cause) {
    if (cause instanceof CoreError) throw cause
    throw new CoreError(
      'core_unavailable',
      `the ${build} build of the ${entry.kernels} core does not run on this host: ${String(cause)}`,
      { cause },
    )
  }
}

/** Starts a core at once. @throws {CoreError} `core_unavailable`, `core_abi_mismatch` */
export function startSync<Kernels extends KernelSet>(
  entry: Entry<Kernels>,
  wasm: ShippedWasm,
  build: CoreBuild,
): Core<Kernels> {
  let instance: WebAssembly.Instance
  try {
    instance = new WebAssembly.Instance(compileOnceSync(wasm))
  } catch (cause) {
    throw new CoreError(
      'core_unavailable',
      `this host does not start WebAssembly synchronously (${String(cause)}): use await createCore() and pass the core on`,
      { cause },
    )
  }
  return coreOf(entry, instance, build)
}

/** What is no bytes is a module: of another realm in Next's edge runtime, so that `instanceof` does not know it. */
async function compileOnce(wasm: ShippedWasm): Promise<WebAssembly.Module> {
  if (!ArrayBuffer.isView(wasm)) return wasm as WebAssembly.Module
  const known = modules.get(wasm)
  if (known) return known
  const compiling = WebAssembly.compile(wasm as BufferSource)
  modules.set(wasm, compiling)
  try {
    const module = await compiling
    modules.set(wasm, module)
    return module
  } catch (cause) {
    modules.delete(wasm) // the next attempt says again what is wrong
    throw cause
  }
}

function compileOnceSync(wasm: ShippedWasm): WebAssembly.Module {
  if (!ArrayBuffer.isView(wasm)) return wasm as WebAssembly.Module
  const known = modules.get(wasm)
  if (known instanceof WebAssembly.Module) return known
  const module = new WebAssembly.Module(wasm as BufferSource)
  modules.set(wasm, module)
  return module
}

function coreOf<Kernels extends KernelSet>(
  { kernels, exports }: Entry<Kernels>,
  instance: WebAssembly.Instance,
  build: CoreBuild,
): Core<Kernels> {
  const raw = instance.exports as unknown as RawExports
  const version = raw.abi_version?.()
  if (version !== ABI_VERSION) {
    throw new CoreError(
      'core_abi_mismatch',
      `this package speaks core ABI ${ABI_VERSION}, the module ${version ?? 'none'}; install one version of both`,
    )
  }
  return new Core(kernels, new exports(raw), build)
}
