import { ABI_VERSION } from './abi.js'
import { CoreError } from './errors.js'
import { CoreMath } from './math/core-math.js'
import { type CoreBuild, type CoreExports, type CoreOptions, instantiate } from './wasm.js'
import type { WasmMemory } from './wasm-types.js'

/**
 * One instance of the WebAssembly core and the owner of its memory.
 *
 * Everything made from it (`Random`, `Mlp`, …) lives in its memory and is released by its own `dispose()`.
 * After a trap the instance is poisoned: every further call throws `core_trapped`; make a new core and load what you saved.
 */
export class Core {
  readonly build: CoreBuild
  /** Elementary functions with the same bits on every engine. */
  readonly math: CoreMath
  readonly #exports: CoreExports
  #failure: CoreError | undefined

  /** Use `createCore()`. */
  constructor(exports: CoreExports, build: CoreBuild) {
    this.#exports = exports
    this.build = build
    this.math = new CoreMath(exports)
  }

  /** For sibling packages: the raw exports. A wrapper that calls them runs inside `guard`. */
  get exports(): CoreExports {
    if (this.#failure) throw this.#failure
    return this.#exports
  }

  /** For wrappers that keep functions of `exports`. @throws {CoreError} `core_trapped` */
  assertSound(): void {
    if (this.#failure) throw this.#failure
  }

  /** The memory as it is now; growth replaces its buffer, so never keep a view. */
  get memory(): WasmMemory {
    return this.#exports.memory
  }

  /** Bytes now held by live objects. */
  get usedBytes(): number {
    return this.exports.memory_used!() >>> 0
  }

  /**
   * Runs a call into the core; a trap poisons this instance.
   * @throws {CoreError} `core_trapped`
   */
  guard<T>(what: string, call: (exports: CoreExports) => T): T {
    if (this.#failure) throw this.#failure
    try {
      return call(this.#exports)
    } catch (cause) {
      throw this.failed(what, cause)
    }
  }

  /**
   * What to throw for `cause`, thrown by a call into the core: a trap poisons this instance. For hot paths that
   * cannot afford `guard`'s closure.
   */
  failed(what: string, cause: unknown): unknown {
    if (!(cause instanceof WebAssembly.RuntimeError)) return cause
    this.#failure = new CoreError(
      'core_trapped',
      `the core trapped in ${what} (${cause.message}); this instance is unusable: create a new core and load your last save`,
      { cause },
    )
    return this.#failure
  }

  /**
   * A zeroed, 16-byte aligned block of the core's memory.
   * @throws {CoreError} `core_out_of_memory`
   */
  allocate(bytes: number): number {
    const fits = bytes >= 0 && bytes < 2 ** 31 // more would wrap around as an i32
    const pointer = fits ? this.guard('memory_allocate', (e) => e.memory_allocate!(bytes)) >>> 0 : 0
    if (pointer === 0) {
      throw new CoreError(
        'core_out_of_memory',
        `cannot allocate ${bytes} bytes: the core holds ${this.usedBytes} bytes of at most 4 GiB`,
      )
    }
    return pointer
  }

  /** Releases a block of `allocate`. On a poisoned core this does nothing. */
  release(pointer: number): void {
    if (this.#failure) return
    if (this.guard('memory_release', (e) => e.memory_release!(pointer)) !== 0) {
      throw new CoreError('core_bad_pointer', `release of ${pointer}, which is not an allocated block`)
    }
  }
}

/**
 * Starts the core: about 5 ms, no imports, no network, no threads.
 * @throws {CoreError} `core_unavailable` (the host cannot run the build), `core_abi_mismatch` (a foreign module)
 * @example
 * const core = await createCore()
 * core.math.tanh(1) // the same bits everywhere
 */
export async function createCore(options: CoreOptions = {}): Promise<Core> {
  const { exports, build } = await instantiate(options)
  return coreOf(exports, build)
}

/** @throws {CoreError} `core_abi_mismatch` */
export function coreOf(exports: CoreExports, build: CoreBuild): Core {
  const version = typeof exports.abi_version === 'function' ? exports.abi_version() : undefined
  if (version !== ABI_VERSION) {
    throw new CoreError(
      'core_abi_mismatch',
      `this package speaks core ABI ${ABI_VERSION}, the module ${version ?? 'none'}; install one version of both`,
    )
  }
  return new Core(exports, build)
}
