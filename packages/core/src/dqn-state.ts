// What an exact resume of a DQN agent needs, as named tensors, and back.
import * as abi from './abi.js'
import type { Arena } from './arena.js'
import { loadBlocks, type NamedBlocks, saveBlocks } from './blocks.js'
import type { Core } from './core.js'
import { loadGuard, saveGuard } from './last-good.js'
import { loadRings, type RingsShape, saveRings } from './replay-state.js'
import { byteTensor, doubleTensor, floatTensor, type Tensor, TensorReader, wordTensor } from './tensor.js'

interface Shape {
  readonly stateSize: number
  readonly contextSize: number
  readonly capacity: number
  readonly partitions: number
}

/** What its replay stores: an action is one number, its index. */
const ringsShape = ({ stateSize, capacity, partitions }: Shape): RingsShape => ({
  ...{ stateSize, actionSize: 1, capacity, partitions },
})

const BLOCKS: NamedBlocks<number> = [
  ['online', abi.DQN_ONLINE],
  ['target', abi.DQN_TARGET],
  ['adam.m', abi.DQN_FIRST_MOMENT],
  ['adam.v', abi.DQN_SECOND_MOMENT],
]
const VALUES: readonly number[] = [abi.DQN_LEARNING_RATE, abi.DQN_LOSS, abi.DQN_MEAN_Q]
const RANDOM_BYTES = 32

/** Networks, Adam moments and the count of updates. */
export function learnedDqn(core: Core, arena: Arena, read: (which: number) => Float32Array): Tensor[] {
  return [...saveBlocks(BLOCKS, read), wordTensor('updates', [core.exports.dqn_get!(arena.pointer, abi.DQN_UPDATES)])]
}

/** The returned function applies what `learnedDqn` gave and cannot fail. @throws {FormatError} as `TensorReader` */
export function loadLearnedDqn(
  core: Core,
  arena: Arena,
  reader: TensorReader,
  write: (which: number, values: Float32Array) => void,
): () => void {
  const applyBlocks = loadBlocks(BLOCKS, reader, () => core.exports.dqn_canonical!(arena.pointer), write)
  const [updates] = reader.words('updates', 1)
  return () => {
    applyBlocks()
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
  return [
    ...learnedDqn(core, arena, read),
    ...(shape.contextSize > 0 ? [floatTensor('context', [shape.contextSize], contextOf(core, arena, shape))] : []),
    ...saveGuard(core, exports.dqn_pointer!(pointer, abi.DQN_LAST_GOOD)),
    ...saveRings(core, arena, 'dqn', exports.dqn_pointer!(pointer, abi.DQN_RECORDS), ringsShape(shape)),
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
  const records = exports.dqn_pointer!(pointer, abi.DQN_RECORDS)
  const applyRings = loadRings(core, arena, 'dqn', records, ringsShape(shape), reader)
  const random = reader.bytes('random', RANDOM_BYTES)
  const values = reader.doubles('values', VALUES.length)

  applyLearned()
  applyGuard()
  contextOf(core, arena, shape).set(context)
  applyRings()
  arena.bytes.set(random, exports.dqn_pointer!(pointer, abi.DQN_RANDOM) - pointer)
  for (const [i, which] of VALUES.entries()) exports.dqn_set!(pointer, which, values[i]!)
}
