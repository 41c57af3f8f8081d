// The tensors of a replay ring (assembly/rl/pair-replay.ts), column by column, and back.
import * as abi from '../abi.js'
import type { Core } from '../core.js'
import { FormatError } from '../errors.js'
import { floatTensor, type Tensor, type TensorReader, wordTensor } from '../files/tensor.js'
import type { Arena } from '../memory/arena.js'

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
export const recordStride = ({ stateSize, actionSize }: Pick<ReplayShape, 'stateSize' | 'actionSize'>): number =>
  2 * (stateSize + actionSize) + 3

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

/** Equal rings one behind the other, one a partition. */
export interface RingsShape extends ReplayShape {
  readonly partitions: number
}

/** Where each ring's records lie, and what its tensors' names begin with. */
const ringsOf = (first: number, shape: RingsShape): { readonly records: number; readonly prefix: string }[] =>
  Array.from({ length: shape.partitions }, (_, ring) => ({
    records: first + ring * 4 * shape.capacity * recordStride(shape),
    prefix: shape.partitions === 1 ? 'replay.' : `replay.${ring}.`,
  }))

/**
 * @param arena  that of an off-policy agent
 */
export function saveRings(core: Core, arena: Arena, shape: RingsShape): Tensor[] {
  const { exports } = core
  const first = exports.off_policy_pointer(arena.pointer, abi.OFF_POLICY_RECORDS)
  const rings = ringsOf(first, shape).map((ring, i) => ({
    ...ring,
    count: exports.off_policy_ring_count(arena.pointer, i),
    cursor: exports.off_policy_ring_cursor(arena.pointer, i),
  }))
  return [
    wordTensor(
      'rings',
      rings.flatMap(({ count, cursor }) => [count, cursor]),
    ),
    ...rings.flatMap(({ records, prefix, count }) => saveReplay(arena, records, shape, count, prefix)),
  ]
}

/**
 * The returned function applies what `saveRings` gave and cannot fail.
 * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`, `replay_invalid`
 */
export function loadRings(core: Core, arena: Arena, shape: RingsShape, reader: TensorReader): () => void {
  const first = core.exports.off_policy_pointer(arena.pointer, abi.OFF_POLICY_RECORDS)
  const heads = reader.words('rings', 2 * shape.partitions)
  const restore = ringsOf(first, shape).map(({ records, prefix }, i) => {
    const [count, cursor] = [heads[2 * i]!, heads[2 * i + 1]!]
    const restoreRecords = loadReplay(arena, records, shape, reader, { count, cursor }, prefix)
    return () => {
      restoreRecords()
      core.exports.off_policy_set_ring(arena.pointer, i, count, cursor)
    }
  })
  return () => {
    for (const one of restore) one()
  }
}
