// The builds of the core that tests compare with each other.
import { readFileSync } from 'node:fs'
import { LearnExports } from '../src/exports/learn.js'
import { ServeExports } from '../src/exports/serve.js'
import type { SharedExports } from '../src/exports/shared.js'
import type { RawExports } from '../src/gate.js'

export const wasmBytes = (variant: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(new URL(`../wasm/${variant}.wasm`, import.meta.url)))

/** The build whose networks are f64: the same source, so its gradients can be checked by central differences. */
export async function startReal64(): Promise<Real64> {
  return new Real64(new LearnExports(await real64Of('learn')))
}

/** The same of the kernels that serve requests. */
export async function startServeReal64(): Promise<Real64<ServeExports>> {
  return new Real64(new ServeExports(await real64Of('serve')))
}

async function real64Of(entry: string): Promise<RawExports> {
  const { instance } = await WebAssembly.instantiate(wasmBytes(`${entry}-real64`), {})
  return instance.exports as unknown as RawExports
}

export class Real64<Exports extends SharedExports = LearnExports> {
  readonly exports: Exports

  constructor(exports: Exports) {
    this.exports = exports
  }

  allocate(bytes: number): number {
    return this.exports.memory_allocate(bytes)
  }

  /** A block that holds the numbers. */
  put(values: ArrayLike<number>): number {
    const pointer = this.allocate(8 * values.length)
    this.f64(pointer, values.length).set(values)
    return pointer
  }

  words(values: readonly number[]): number {
    const pointer = this.allocate(4 * values.length)
    new Int32Array(this.exports.memory.buffer, pointer, values.length).set(values)
    return pointer
  }

  f64(pointer: number, length: number): Float64Array {
    return new Float64Array(this.exports.memory.buffer, pointer, length)
  }
}

/** Numbers in ±1 that need no generator: the same everywhere. */
export const wave = (length: number, phase = 0): Float64Array =>
  Float64Array.from({ length }, (_, i) => ((((i + 1) * 7919 + phase * 104729) % 2003) / 2003) * 2 - 1)

/** dLoss/dparameter for each parameter, by central differences. */
export function centralDifferences(parameters: Float64Array, loss: (parameters: Float64Array) => number): Float64Array {
  const step = 1e-6
  return parameters.map((value, i) => {
    const moved = parameters.slice()
    moved[i] = value + step
    const above = loss(moved)
    moved[i] = value - step
    return (above - loss(moved)) / (2 * step)
  })
}

/** The largest |a − b| relative to the size of the whole vector b. */
export function relativeGap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let gap = a.length === b.length ? 0 : Number.POSITIVE_INFINITY
  let size = 0
  for (let i = 0; i < b.length; i++) {
    gap = Math.max(gap, Math.abs(a[i]! - b[i]!))
    size = Math.max(size, Math.abs(b[i]!))
  }
  return gap / size
}
