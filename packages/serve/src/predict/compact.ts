// A predictor's tensors made small enough to ship: the table in 8 bits, and without the rates that its rows had.
import { floatTensor, type StoredTensor, type Tensor, TensorReader } from '@trimtab/core'

const LARGEST = 127

/** `table` [V] as whole multiples of a step; `table.squares` [V] as their mean. The rest stays. */
export function packTensors(tensors: readonly Tensor[], bits: number): StoredTensor[] {
  const reader = new TensorReader(tensors)
  const rows = 2 ** bits
  const table = reader.floats('table', [rows])
  const squares = reader.floats('table.squares', [rows])
  const step = Math.fround(table.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / LARGEST)
  const packed = Int8Array.from(table, (weight) => Math.round(weight / (step || 1)))
  const mean = squares.reduce((sum, square) => sum + square, 0) / rows
  return [
    ...tensors.filter(({ name }) => name !== 'table' && name !== 'table.squares'),
    { name: 'table.packed', dtype: 'I8', shape: [rows], bytes: new Uint8Array(packed.buffer) },
    floatTensor('table.step', [1], Float32Array.of(step)),
    floatTensor('table.mean-square', [1], Float32Array.of(mean)),
  ]
}

export const isPacked = (tensors: ReadonlyMap<string, StoredTensor>): boolean => tensors.has('table.packed')

/**
 * Tensors of a table of 2^bits rows, no smaller than the file's: hashes agree in their lower bits, so each row of the file
 * stands for all rows that end like it.
 */
export function unpackTensors(tensors: ReadonlyMap<string, StoredTensor>, fileBits: number, bits: number): Tensor[] {
  const list = [...tensors.values()].filter(({ name }) => !name.startsWith('table.')) as Tensor[]
  const reader = new TensorReader([...tensors.values()].map(asBytes))
  const [step] = reader.floats('table.step', [1])
  const [square] = reader.floats('table.mean-square', [1])
  const packed = new Int8Array(reader.bytes('table.packed', 2 ** fileBits))
  const rows = 2 ** bits
  const table = Float32Array.from({ length: rows }, (_, i) => packed[i % packed.length]! * step!)
  return [
    ...list,
    floatTensor('table', [rows], table),
    floatTensor('table.squares', [rows], new Float32Array(rows).fill(square!)),
  ]
}

/** 8-bit numbers as the bytes they are, for a reader that knows bytes. */
const asBytes = (tensor: StoredTensor): Tensor =>
  tensor.dtype === 'I8' ? { ...tensor, dtype: 'U8', shape: [tensor.bytes.length] } : (tensor as Tensor)
