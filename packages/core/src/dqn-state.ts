// What an exact resume of a DQN agent needs, as named tensors, and back.
import * as abi from './abi.js'
import type { Arena } from './arena.js'
import type { Core } from './core.js'
import { loadGuard, saveGuard } from './last-good.js'
import { loadReplay, saveReplay } from './replay-state.js'
import { byteTensor, doubleTensor, floatTensor, type Tensor, TensorReader, wordTensor } from './tensor.js'

interface Shape {
  readonly stateSize: number
  readonly contextSize: number
  readonly capacity: number
  readonly partitions: number
}

const BLOCKS: readonly (readonly [name: string, which: number])[] = [
  ['online', abi.DQN_ONLINE],
  ['target', abi.DQN_TARGET],
  ['adam.m', abi.DQN_FIRST_MOMENT],
  ['adam.v', abi.DQN_SECOND_MOMENT],
]
const VALUES: readonly number[] = [abi.DQN_LEARNING_RATE, abi.DQN_LOSS, abi.DQN_MEAN_Q]
const RANDOM_BYTES = 32
/** Where the ring's number goes in the names of its tensors; the first ring's have none. */
const prefix = (ring: number): string => (ring === 0 ? '' : `${ring}.`)

/** Each ring as `replay-state.ts` sees one. */
function rings(core: Core, arena: Arena, { stateSize, capacity, partitions }: Shape) {
  const records = core.exports.dqn_pointer!(arena.pointer, abi.DQN_RECORDS)
  const ringBytes = 4 * capacity * (2 * stateSize + 5)
  return Array.from({ length: partitions }, (_, ring) => ({
    ring,
    records: records + ring * ringBytes,
    shape: { stateSize, actionSize: 1, capacity },
  }))
}

/** Networks, Adam moments and the count of updates. */
export function learnedDqn(core: Core, arena: Arena, read: (which: number) => Float32Array): Tensor[] {
  const blocks = BLOCKS.map(([name, which]) => {
    const values = read(which)
    return floatTensor(name, [values.length], values)
  })
  return [...blocks, wordTensor('updates', [core.exports.dqn_get!(arena.pointer, abi.DQN_UPDATES)])]
}

/** The returned function applies what `learnedDqn` gave and cannot fail. @throws {FormatError} as `TensorReader` */
export function loadLearnedDqn(
  core: Core,
  arena: Arena,
  reader: TensorReader,
  write: (which: number, values: Float32Array) => void,
): () => void {
  const length = core.exports.dqn_canonical!(arena.pointer)
  const blocks = BLOCKS.map(([name, which]) => [which, reader.floats(name, [length])] as const)
  const [updates] = reader.words('updates', 1)
  return () => {
    for (const [which, block] of blocks) write(which, block)
    core.exports.dqn_set!(arena.pointer, abi.DQN_UPDATES, updates!)
  }
}

function contextOf(core: Core, { pointer }: Arena, { contextSize }: Shape): Float32Array {
  return new Float32Array(core.memory.buffer, core.exports.dqn_pointer!(pointer, abi.DQN_CONTEXT), contextSize)
}

export function saveDqn(core: Core, arena: Arena, shape: Shape, read: (which: number) => Float32Array): Tensor[] {
  const { pointer } = arena
  const { exports } = core
  const random = exports.dqn_pointer!(pointer, abi.DQN_RANDOM) - pointer
  const all = rings(core, arena, shape)
  return [
    ...learnedDqn(core, arena, read),
    ...(shape.contextSize > 0 ? [floatTensor('context', [shape.contextSize], contextOf(core, arena, shape))] : []),
    ...saveGuard(core, exports.dqn_pointer!(pointer, abi.DQN_LAST_GOOD)),
    ...all.flatMap(({ ring, records, shape: of }) =>
      saveReplay(arena, records, of, exports.dqn_ring_count!(pointer, ring)).map((tensor) => ({
        ...tensor,
        name: prefix(ring) + tensor.name,
      })),
    ),
    wordTensor(
      'rings',
      all.flatMap(({ ring }) => [exports.dqn_ring_count!(pointer, ring), exports.dqn_ring_cursor!(pointer, ring)]),
    ),
    byteTensor('random', arena.bytes.subarray(random, random + RANDOM_BYTES)),
    doubleTensor(
      'values',
      VALUES.map((which) => exports.dqn_get!(pointer, which)),
    ),
  ]
}

export function loadDqn(
  core: Core,
  arena: Arena,
  shape: Shape,
  tensors: readonly Tensor[],
  write: (which: number, values: Float32Array) => void,
): void {
  const { pointer } = arena
  const { exports } = core
  const reader = new TensorReader(tensors)
  const applyLearned = loadLearnedDqn(core, arena, reader, write)
  const applyGuard = loadGuard(core, exports.dqn_pointer!(pointer, abi.DQN_LAST_GOOD), reader)
  const context = shape.contextSize > 0 ? reader.floats('context', [shape.contextSize]) : new Float32Array(0)
  const counts = reader.words('rings', 2 * shape.partitions)
  const applyRings = rings(core, arena, shape).map(({ ring, records, shape: of }) => {
    const [count, cursor] = [counts[2 * ring]!, counts[2 * ring + 1]!]
    const apply = loadReplay(arena, records, of, ringReader(tensors, ring), { count, cursor })
    return () => {
      apply()
      exports.dqn_set_ring!(pointer, ring, count, cursor)
    }
  })
  const random = reader.bytes('random', RANDOM_BYTES)
  const values = reader.doubles('values', VALUES.length)

  applyLearned()
  applyGuard()
  contextOf(core, arena, shape).set(context)
  for (const apply of applyRings) apply()
  arena.bytes.set(random, exports.dqn_pointer!(pointer, abi.DQN_RANDOM) - pointer)
  for (const [i, which] of VALUES.entries()) exports.dqn_set!(pointer, which, values[i]!)
}

/** A ring's tensors under the names of a single one. */
const ringReader = (tensors: readonly Tensor[], ring: number): TensorReader =>
  new TensorReader(
    tensors
      .filter(({ name }) => name.startsWith(`${prefix(ring)}replay.`))
      .map((tensor) => ({ ...tensor, name: tensor.name.slice(prefix(ring).length) })),
  )
