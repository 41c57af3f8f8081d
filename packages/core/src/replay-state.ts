// The tensors of a replay ring (assembly/rl/replay.ts), column by column, and back.
import type { Arena } from './arena.js'
import { FormatError } from './errors.js'
import { floatTensor, type Tensor, type TensorReader } from './tensor.js'

export interface ReplayShape {
  readonly stateSize: number
  readonly actionSize: number
  readonly capacity: number
}

/** The columns of a replay record, in order; `width` 0 is a scalar. */
const columns = ({ stateSize, actionSize }: ReplayShape): readonly (readonly [name: string, width: number])[] => [
  ['state', stateSize],
  ['action', actionSize],
  ['nextState', stateSize],
  ['ruleAction', actionSize],
  ['reward', 0],
  ['terminated', 0],
  ['hasRule', 0],
]

/** Numbers of a record. */
export const recordStride = ({ stateSize, actionSize }: ReplayShape): number => 2 * (stateSize + actionSize) + 3

const columnShape = (count: number, width: number): number[] => (width === 0 ? [count] : [count, width])

/**
 * @param records  where in memory the records lie; `count` of them are in use
 * @param prefix   of the tensors' names
 */
export function saveReplay(
  arena: Arena,
  records: number,
  shape: ReplayShape,
  count: number,
  prefix = 'replay.',
): Tensor[] {
  const { floats } = arena
  let column = (records - arena.pointer) >>> 2
  return columns(shape).map(([name, width]) => {
    const numbers = Math.max(1, width)
    const values = new Float32Array(count * numbers)
    for (let i = 0; i < count; i++) {
      const from = column + i * recordStride(shape)
      for (let j = 0; j < numbers; j++) values[i * numbers + j] = floats[from + j]!
    }
    column += numbers
    return floatTensor(prefix + name, columnShape(count, width), values)
  })
}

/**
 * Continues where `saveReplay` was called; the returned function applies the state and cannot fail.
 * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`, `replay_invalid`
 */
export function loadReplay(
  arena: Arena,
  records: number,
  shape: ReplayShape,
  reader: TensorReader,
  { count, cursor }: { readonly count: number; readonly cursor: number },
  prefix = 'replay.',
): () => void {
  checkRing(count, cursor, shape.capacity)
  const replay = columns(shape).map(([name, width]) => reader.floats(prefix + name, columnShape(count, width)))
  return () => {
    const { floats } = arena
    let column = (records - arena.pointer) >>> 2
    columns(shape).forEach(([, width], index) => {
      const numbers = Math.max(1, width)
      const values = replay[index]!
      for (let i = 0; i < count; i++) {
        const to = column + i * recordStride(shape)
        for (let j = 0; j < numbers; j++) floats[to + j] = values[i * numbers + j]!
      }
      column += numbers
    })
  }
}

function checkRing(count: number, cursor: number, capacity: number): void {
  if (count > capacity || cursor >= capacity || (count < capacity && cursor !== count)) {
    throw new FormatError(
      'replay_invalid',
      `the saved replay holds ${count} transitions with the next at ${cursor}, which does not fit a capacity of ${capacity}`,
    )
  }
}
