import { CoreError } from './errors.js'
import type { WasmMemory } from './wasm-types.js'

/** The exports of a wasm module as WebAssembly gives them: functions of numbers, and the memory. */
export type RawExports = Readonly<Record<string, (...values: number[]) => number>> & {
  readonly memory: WasmMemory
}

/**
 * What stands before the exports of a wasm module: a method for each, generated with the names and parameters that assembly
 * gives it, and the one way in. A trap in any of them poisons the instance: from then on each throws `core_trapped`.
 */
export abstract class Gate {
  /** For the generated methods. */
  protected raw: RawExports
  #failure: CoreError | undefined

  /** @throws {CoreError} `core_abi_mismatch`: the module lacks what the methods call */
  constructor(raw: RawExports) {
    const missing = methodsOf(this).filter((name) => typeof raw[name] !== 'function')
    if (missing.length > 0) {
      throw new CoreError(
        'core_abi_mismatch',
        `the module lacks ${missing.length} of the functions that ${new.target.name} calls, ${missing[0]} first: pass the module of the same name and version`,
      )
    }
    this.raw = raw
  }

  /** The module's memory. */
  get memory(): WasmMemory {
    return this.raw.memory
  }

  /** What the trap left behind, which every call throws; undefined while the instance is sound. */
  get failure(): CoreError | undefined {
    return this.#failure
  }

  /** What a method throws for what its call threw. */
  protected failed(name: string, cause: unknown): unknown {
    if (this.#failure) return this.#failure
    if (cause instanceof TypeError) return cause // an argument that is no number: the module was not entered
    const failure = new CoreError(
      'core_trapped',
      `the core trapped in ${name} (${cause instanceof Error ? cause.message : cause}); this instance is unusable: create a new core and load your last save`,
      { cause },
    )
    this.#failure = failure
    this.raw = new Proxy({} as RawExports, {
      get: () => {
        throw failure
      },
    })
    return failure
  }
}

/** Names of the methods that the subclasses of `Gate` add. */
function methodsOf(gate: Gate): string[] {
  const names: string[] = []
  for (let of = Object.getPrototypeOf(gate); of !== Gate.prototype; of = Object.getPrototypeOf(of))
    names.push(...Object.getOwnPropertyNames(of).filter((name) => name !== 'constructor'))
  return names
}
