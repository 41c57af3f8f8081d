// What an exact resume of a DQN agent needs, as named tensors, and back.
import * as abi from '../abi.js'
import type { Core } from '../core.js'
import { byteTensor, doubleTensor, floatTensor, type Tensor, TensorReader, wordTensor } from '../files/tensor.js'
import type { Arena } from '../memory/arena.js'
import { loadBlocks, type NamedBlocks, saveBlocks } from '../memory/blocks.js'
import { loadGuard, saveGuard } from '../nn/last-good.js'
import { loadRings, type RingsShape, saveRings } from './pair-replay-state.js'

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
  return [...saveBlocks(BLOCKS, read), wordTensor('updates', [core.exports.off_policy_updates(arena.pointer)])]
}

/** The returned function applies what `learnedDqn` gave and cannot fail. @throws {FormatError} as `TensorReader` */
export function loadLearnedDqn(
  core: Core,
  arena: Arena,
  reader: TensorReader,
  write: (which: number, values: Float32Array) => void,
): () => void {
  const applyBlocks = loadBlocks(BLOCKS, reader, () => core.exports.dqn_canonical(arena.pointer), write)
  const [updates] = reader.words('updates', 1)
  return () => {
    applyBlocks()
    core.exports.off_policy_set_updates(arena.pointer, updates!)
  }
}

function contextOf(core: Core, { pointer }: Arena, { contextSize }: Shape): Float32Array {
  return new Float32Array(
    core.memory.buffer,
    core.exports.off_policy_pointer(pointer, abi.OFF_POLICY_CONTEXT),
    contextSize,
  )
}

export function saveDqn(core: Core, arena: Arena, shape: Shape, read: (which: number) => Float32Array): Tensor[] {
  const { pointer } = arena
  const { exports } = core
  const random = exports.off_policy_pointer(pointer, abi.OFF_POLICY_RANDOM) - pointer
  return [
    ...learnedDqn(core, arena, read),
    ...(shape.contextSize > 0 ? [floatTensor('context', [shape.contextSize], contextOf(core, arena, shape))] : []),
    ...saveGuard(core, exports.off_policy_pointer(pointer, abi.OFF_POLICY_LAST_GOOD)),
    ...saveRings(core, arena, ringsShape(shape)),
    byteTensor('random', arena.bytes.subarray(random, random + RANDOM_BYTES)),
    doubleTensor(
      'values',
      VALUES.map((which) => exports.dqn_get(pointer, which)),
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
  const applyGuard = loadGuard(core, exports.off_policy_pointer(pointer, abi.OFF_POLICY_LAST_GOOD), reader)
  const context = shape.contextSize > 0 ? reader.floats('context', [shape.contextSize]) : new Float32Array(0)
  const applyRings = loadRings(core, arena, ringsShape(shape), reader)
  const random = reader.bytes('random', RANDOM_BYTES)
  const values = reader.doubles('values', VALUES.length)

  applyLearned()
  applyGuard()
  contextOf(core, arena, shape).set(context)
  applyRings()
  arena.bytes.set(random, exports.off_policy_pointer(pointer, abi.OFF_POLICY_RANDOM) - pointer)
  for (const [i, which] of VALUES.entries()) exports.dqn_set(pointer, which, values[i]!)
}
