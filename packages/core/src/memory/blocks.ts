// Blocks of numbers that the core keeps in layouts of its own, read, written and saved in the canonical one.
import type { Core } from '../core.js'
import { floatTensor, type Tensor, type TensorReader } from '../files/tensor.js'

/**
 * @param convert  name of the export that copies between layouts: (…which, numbers, 0 to read or 1 to write)
 * @param which    the block: its object, and what the export needs beside it
 */
export function readBlock(core: Core, convert: string, which: readonly number[], length: number): Float32Array {
  const staging = core.allocate(4 * length)
  core.guard(convert, (e) => e[convert]!(...which, staging, 0))
  const values = new Float32Array(core.memory.buffer, staging, length).slice()
  core.release(staging)
  return values
}

/** The reverse of `readBlock`. */
export function writeBlock(core: Core, convert: string, which: readonly number[], values: Float32Array): void {
  const staging = core.allocate(4 * values.length)
  new Float32Array(core.memory.buffer, staging, values.length).set(values)
  core.guard(convert, (e) => e[convert]!(...which, staging, 1))
  core.release(staging)
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
