// A predictor's tensors made small enough to ship: the table in 8 bits, and without the rates that its rows had.
import { floatTensor, type StoredTensor, type Tensor, TensorReader } from '@trimtab/core'

const WIDTH = 8 // numbers of a row
const LARGEST = 127

/** `table` [V, 8] as whole multiples of a step per column; `table.squares` [V] as their mean. The rest stays. */
export function packTensors(tensors: readonly Tensor[], bits: number): StoredTensor[] {
  const reader = new TensorReader(tensors)
  const rows = 2 ** bits
  const table = reader.floats('table', [rows, WIDTH])
  const squares = reader.floats('table.squares', [rows])
  const steps = new Float32Array(WIDTH)
  for (let i = 0; i < table.length; i++) steps[i % WIDTH] = Math.max(steps[i % WIDTH]!, Math.abs(table[i]!) / LARGEST)
  const packed = new Int8Array(table.length)
  for (let i = 0; i < table.length; i++) packed[i] = Math.round(table[i]! / (steps[i % WIDTH]! || 1))
  const mean = squares.reduce((sum, square) => sum + square, 0) / rows
  return [
    ...tensors.filter(({ name }) => name !== 'table' && name !== 'table.squares'),
    { name: 'table.packed', dtype: 'I8', shape: [rows, WIDTH], bytes: new Uint8Array(packed.buffer) },
    floatTensor('table.steps', [WIDTH], steps),
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
  const steps = reader.floats('table.steps', [WIDTH])
  const [square] = reader.floats('table.mean-square', [1])
  const packed = new Int8Array(reader.bytes('table.packed', WIDTH * 2 ** fileBits))
  const rows = 2 ** bits
  const table = Float32Array.from({ length: WIDTH * rows }, (_, i) => packed[i % packed.length]! * steps[i % WIDTH]!)
  return [
    ...list,
    floatTensor('table', [rows, WIDTH], table),
    floatTensor('table.squares', [rows], new Float32Array(rows).fill(square!)),
  ]
}

/** 8-bit numbers as the bytes they are, for a reader that knows bytes. */
const asBytes = (tensor: StoredTensor): Tensor =>
  tensor.dtype === 'I8' ? { ...tensor, dtype: 'U8', shape: [tensor.bytes.length] } : (tensor as Tensor)
