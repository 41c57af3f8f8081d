import { LARGEST_BLOCK } from './abi.js'
import type { BatchGpu } from './batch-gpu.js'
import type { BatchThreads } from './batch-threads.js'
import { CoreError } from './errors.js'
import type { LearnExports } from './exports/learn.js'
import type { ServeExports } from './exports/serve.js'
import type { TraceExports } from './exports/trace.js'
import { CoreMath } from './math/core-math.js'
import type { CoreBuild } from './wasm.js'
import type { WasmMemory } from './wasm-types.js'

/** The functions of each wasm module. */
export interface ExportsOf {
  readonly learn: LearnExports
  readonly trace: TraceExports
  readonly serve: ServeExports
}

/** Which kernels a core has: those that learn, read traces or serve requests. Each is a wasm module of its own. */
export type KernelSet = keyof ExportsOf

/** What `createTraceCore` starts. */
export type TraceCore = Core<'trace'>

/** What `createServeCore` starts. */
export type ServeCore = Core<'serve'>

/** A core with whatever kernels: memory, mathematics and chance are in each. */
export type AnyCore = Core<KernelSet>

/**
 * One instance of the WebAssembly core and the owner of its memory. `Core` alone is one that learns.
 *
 * Everything made from it (`Random`, `Mlp`, …) lives in its memory and is released by its own `dispose()`.
 * After a trap the instance is poisoned: every further call throws `core_trapped`; make a new core and load what you saved.
 */
export class Core<Kernels extends KernelSet = 'learn'> {
  /** Which kernels it loaded. */
  readonly kernels: Kernels
  readonly build: CoreBuild
  /** Elementary functions with the same bits on every engine. */
  readonly math: CoreMath
  /** For sibling packages: the kernels' functions, each guarded, with pointers into `memory`. */
  readonly exports: ExportsOf[Kernels]
  /** Computes batches where `createCore({ gpu })` asked for one: which adapter, from which batch on, or why it is not used. */
  readonly gpu: BatchGpu | undefined
  /** Threads of `createCore({ threads })`. */
  readonly threads: BatchThreads | undefined

  /** Use `createCore()`, `createTraceCore()` or `createServeCore()`. */
  constructor(kernels: Kernels, exports: ExportsOf[Kernels], build: CoreBuild, gpu?: BatchGpu, threads?: BatchThreads) {
    this.kernels = kernels
    this.exports = exports
    this.build = build
    this.gpu = gpu
    this.threads = threads
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
    const fits = bytes >= 0 && bytes <= LARGEST_BLOCK // more would wrap around as an i32
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
