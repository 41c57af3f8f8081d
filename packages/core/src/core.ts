import { ABI_VERSION } from './abi.js'
import { CoreError } from './errors.js'
import { LearnExports } from './exports/learn.js'
import type { RawExports } from './gate.js'
import { CoreMath } from './math/core-math.js'
import { type CoreBuild, type CoreOptions, instantiate } from './wasm.js'
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
  /** For sibling packages: the kernels' functions, each guarded, with pointers into `memory`. */
  readonly exports: LearnExports

  /** Use `createCore()`. */
  constructor(exports: LearnExports, build: CoreBuild) {
    this.exports = exports
    this.build = build
    this.math = new CoreMath(exports)
  }

  /** The memory as it is now; growth replaces its buffer, so never keep a view. @throws {CoreError} `core_trapped` */
  get memory(): WasmMemory {
    return this.exports.memory
  }

  /** Bytes now held by live objects. @throws {CoreError} `core_trapped` */
  get usedBytes(): number {
    return this.exports.memory_used()
  }

  /**
   * A zeroed, 16-byte aligned block of the core's memory.
   * @throws {CoreError} `core_out_of_memory`, `core_trapped`
   */
  allocate(bytes: number): number {
    const fits = bytes >= 0 && bytes < 2 ** 31 // more would wrap around as an i32
    const pointer = fits ? this.exports.memory_allocate(bytes) : 0
    if (pointer === 0) {
      throw new CoreError(
        'core_out_of_memory',
        `cannot allocate ${bytes} bytes: the core holds ${this.usedBytes} bytes of at most 4 GiB`,
      )
    }
    return pointer
  }

  /** Releases a block of `allocate`. On a poisoned core this does nothing. @throws {CoreError} `core_bad_pointer` */
  release(pointer: number): void {
    if (this.exports.failure) return
    if (this.exports.memory_release(pointer) !== 0) {
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
export function coreOf(exports: RawExports, build: CoreBuild): Core {
  const version = exports.abi_version?.()
  if (version !== ABI_VERSION) {
    throw new CoreError(
      'core_abi_mismatch',
      `this package speaks core ABI ${ABI_VERSION}, the module ${version ?? 'none'}; install one version of both`,
    )
  }
  return new Core(new LearnExports(exports), build)
}
