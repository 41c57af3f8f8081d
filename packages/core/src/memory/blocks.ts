// Blocks of numbers that the core keeps in layouts of its own, read, written and saved in the canonical one.
import type { AnyCore } from '../core.js'
import { floatTensor, type Tensor, type TensorReader } from '../files/tensor.js'

/** Lends a block of `bytes` to `use` and takes it back, whether that returns or throws. */
export function withBlock<T>(core: AnyCore, bytes: number, use: (pointer: number) => T): T {
  const pointer = core.allocate(bytes)
  try {
    return use(pointer)
  } finally {
    core.release(pointer)
  }
}

/** Copies a block of `length` numbers out of the core: `convert` writes it, in the canonical layout, where it is told. */
export function readBlock(core: AnyCore, length: number, convert: (numbers: number) => void): Float32Array {
  return withBlock(core, 4 * length, (staging) => {
    convert(staging)
    return new Float32Array(core.memory.buffer, staging, length).slice()
  })
}

/** The reverse of `readBlock`: `convert` reads the block. */
export function writeBlock(core: AnyCore, values: Float32Array, convert: (numbers: number) => void): void {
  withBlock(core, 4 * values.length, (staging) => {
    new Float32Array(core.memory.buffer, staging, values.length).set(values)
    convert(staging)
  })
}

/** Blocks under the names that files know them by. */
export type NamedBlocks<Which> = readonly (readonly [name: string, which: Which])[]

export function saveBlocks<Which>(blocks: NamedBlocks<Which>, read: (which: Which) => Float32Array): Tensor[] {
  return blocks.map(([name, which]) => {
    const values = read(which)
    return floatTensor(name, [values.length], values)
  })
}

/**
 * The returned function writes what `saveBlocks` gave and cannot fail.
 * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`
 */
export function loadBlocks<Which>(
  blocks: NamedBlocks<Which>,
  reader: TensorReader,
  lengthOf: (which: Which) => number,
  write: (which: Which, values: Float32Array) => void,
): () => void {
  const all = blocks.map(([name, which]) => [which, reader.floats(name, [lengthOf(which)])] as const)
  return () => {
    for (const [which, values] of all) write(which, values)
  }
}
