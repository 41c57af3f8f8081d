// What an exact resume of a PPO agent needs, as named tensors, and back.
import * as abi from '../abi.js'
import type { Core } from '../core.js'
import { FormatError } from '../errors.js'
import { byteTensor, doubleTensor, floatTensor, type Tensor, TensorReader, wordTensor } from '../files/tensor.js'
import type { Arena } from '../memory/arena.js'
import { loadBlocks, type NamedBlocks, saveBlocks } from '../memory/blocks.js'
import { loadGuard, saveGuard } from '../nn/last-good.js'

interface Shape {
  readonly stateSize: number
  readonly contextSize: number
  readonly globalSize: number
  readonly actionWidth: number
  readonly capacity: number
  readonly partitions: number
}

const BLOCKS: NamedBlocks<number> = [
  ['policy', abi.PPO_POLICY],
  ['value', abi.PPO_VALUE],
  ['adam.policy.m', abi.PPO_POLICY_FIRST_MOMENT],
  ['adam.policy.v', abi.PPO_POLICY_SECOND_MOMENT],
  ['adam.value.m', abi.PPO_VALUE_FIRST_MOMENT],
  ['adam.value.v', abi.PPO_VALUE_SECOND_MOMENT],
]

/** In this order: hyperparameters that may change in mid-run, then the figures of the last epoch. */
const VALUES: readonly number[] = [
  ...[abi.PPO_POLICY_LEARNING_RATE, abi.PPO_VALUE_LEARNING_RATE, abi.PPO_CLIP, abi.PPO_ENTROPY_WEIGHT],
  ...[abi.PPO_POLICY_LOSS, abi.PPO_VALUE_LOSS, abi.PPO_ENTROPY],
  ...[abi.PPO_DIVERGENCE, abi.PPO_CLIPPED, abi.PPO_MEAN_VALUE],
]
const RANDOM_BYTES = 32

/** f64 columns of the rollout. */
const DOUBLES: readonly (readonly [name: string, which: number])[] = [
  ['rollout.reward', abi.PPO_REWARDS],
  ['rollout.logProbability', abi.PPO_LOG_PROBABILITIES],
  ['rollout.value', abi.PPO_VALUES],
  ['rollout.nextValue', abi.PPO_NEXT_VALUES],
  ['rollout.advantage', abi.PPO_ADVANTAGES],
  ['rollout.return', abi.PPO_RETURNS],
]
/** 0, or terminated 1, truncated 2; and whose step it is. */
const WORDS: readonly (readonly [name: string, which: number])[] = [
  ['rollout.end', abi.PPO_ENDS],
  ['rollout.partition', abi.PPO_PARTITIONS],
]

/** Rows of f32 columns: `width` numbers, the first at `from`, of every `stride`. */
interface RowColumn {
  readonly name: string
  readonly which: number
  readonly width: number
  readonly stride: number
  readonly from: number
}

function rows({ stateSize, contextSize, globalSize, actionWidth }: Shape): readonly RowColumn[] {
  const behind = stateSize + contextSize
  const stride = behind + globalSize
  return [
    { name: 'rollout.state', which: abi.PPO_STATES, width: stateSize, stride, from: 0 },
    { name: 'rollout.nextState', which: abi.PPO_NEXTS, width: stateSize, stride, from: 0 },
    { name: 'rollout.action', which: abi.PPO_ACTIONS, width: actionWidth, stride: actionWidth, from: 0 },
    ...(globalSize === 0
      ? []
      : [
          { name: 'rollout.global', which: abi.PPO_STATES, width: globalSize, stride, from: behind },
          { name: 'rollout.nextGlobal', which: abi.PPO_NEXTS, width: globalSize, stride, from: behind },
        ]),
  ]
}

class Columns {
  readonly #core: Core
  readonly #pointer: number

  constructor(core: Core, pointer: number) {
    this.#core = core
    this.#pointer = pointer
  }

  floats(which: number, length: number): Float32Array {
    return new Float32Array(this.#core.memory.buffer, this.#at(which), length)
  }
  doubles(which: number, length: number): Float64Array {
    return new Float64Array(this.#core.memory.buffer, this.#at(which), length)
  }
  words(which: number, length: number): Uint32Array {
    return new Uint32Array(this.#core.memory.buffer, this.#at(which), length)
  }
  bytes(which: number, length: number): Uint8Array {
    return new Uint8Array(this.#core.memory.buffer, this.#at(which), length)
  }
  #at(which: number): number {
    return this.#core.exports.ppo_pointer(this.#pointer, which)
  }
}

/** Networks, Adam moments and how many steps these have seen. */
export function savePpoNets(core: Core, arena: Arena, read: (which: number) => Float32Array): Tensor[] {
  return [...saveBlocks(BLOCKS, read), wordTensor('updates', [core.exports.ppo_get(arena.pointer, abi.PPO_UPDATES)])]
}

/**
 * Takes over what `savePpoNets` gave; the returned function applies it and cannot fail.
 * @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite`
 */
export function loadPpoNets(
  core: Core,
  arena: Arena,
  reader: TensorReader,
  write: (which: number, values: Float32Array) => void,
): () => void {
  const { pointer } = arena
  const applyBlocks = loadBlocks(BLOCKS, reader, (which) => core.exports.ppo_canonical(pointer, which), write)
  const [updates] = reader.words('updates', 1)
  return () => {
    applyBlocks()
    core.exports.ppo_set(pointer, abi.PPO_UPDATES, updates!)
  }
}

export function savePpo(core: Core, arena: Arena, shape: Shape, read: (which: number) => Float32Array): Tensor[] {
  const { pointer } = arena
  const get = (which: number): number => core.exports.ppo_get(pointer, which)
  const columns = new Columns(core, pointer)
  const count = get(abi.PPO_COUNT)
  const { stateSize, contextSize, partitions } = shape
  return [
    ...savePpoNets(core, arena, read),
    ...rows(shape).map(({ name, which, width, stride, from }) => {
      const column = columns.floats(which, count * stride)
      const values = new Float32Array(count * width)
      for (let i = 0; i < count; i++) {
        const at = i * stride + from
        values.set(column.subarray(at, at + width), i * width)
      }
      return floatTensor(name, [count, width], values)
    }),
    ...DOUBLES.map(([name, which]) => doubleTensor(name, [...columns.doubles(which, count)])),
    ...WORDS.map(([name, which]) => wordTensor(name, [...columns.words(which, count)])),
    floatTensor('context', [contextSize], columns.floats(abi.PPO_IO, stateSize + contextSize).slice(stateSize)),
    floatTensor('contexts', [partitions, contextSize], columns.floats(abi.PPO_CONTEXTS, partitions * contextSize)),
    ...saveGuard(core, core.exports.ppo_pointer(pointer, abi.PPO_LAST_GOOD)),
    byteTensor('random', columns.bytes(abi.PPO_RANDOM, RANDOM_BYTES)),
    wordTensor('steps', [count]),
    doubleTensor('values', VALUES.map(get)),
  ]
}

export function loadPpo(
  core: Core,
  arena: Arena,
  shape: Shape,
  tensors: readonly Tensor[],
  write: (which: number, values: Float32Array) => void,
): void {
  const { pointer } = arena
  const { stateSize, contextSize, capacity, partitions } = shape
  const reader = new TensorReader(tensors)
  const count = reader.words('steps', 1)[0]!
  if (count > capacity) throw invalid(`it holds ${count} steps, this agent has room for ${capacity}`)
  const values = reader.doubles('values', VALUES.length)
  const random = reader.bytes('random', RANDOM_BYTES)
  const context = reader.floats('context', [contextSize])
  const contexts = reader.floats('contexts', [partitions, contextSize])
  const restoreNets = loadPpoNets(core, arena, reader, write)
  const cells = rows(shape).map(({ name, width }) => reader.floats(name, [count, width]))
  const doubles = DOUBLES.map(([name]) => reader.doubles(name, count))
  const words = WORDS.map(([name]) => reader.words(name, count)) as [Uint32Array, Uint32Array]
  if (words[0].some((end) => end > 2)) throw invalid('an end is neither 0, 1 (terminated) nor 2 (truncated)')
  if (words[1].some((partition) => partition >= partitions)) throw invalid(`a partition is not below ${partitions}`)
  const restoreGuard = loadGuard(core, core.exports.ppo_pointer(pointer, abi.PPO_LAST_GOOD), reader)

  restoreNets()
  restoreGuard()
  core.exports.ppo_clear(pointer)
  core.exports.ppo_set(pointer, abi.PPO_COUNT, count)
  for (const [i, which] of VALUES.entries()) core.exports.ppo_set(pointer, which, values[i]!)
  const columns = new Columns(core, pointer)
  rows(shape).forEach(({ which, width, stride, from }, column) => {
    const to = columns.floats(which, count * stride)
    for (let i = 0; i < count; i++) to.set(cells[column]!.subarray(i * width, (i + 1) * width), i * stride + from)
  })
  for (const [i, [, which]] of DOUBLES.entries()) columns.doubles(which, count).set(doubles[i]!)
  for (const [i, [, which]] of WORDS.entries()) columns.words(which, count).set(words[i]!)
  const lastRows = columns.words(abi.PPO_LAST_ROWS, partitions)
  for (const [row, partition] of words[1].entries()) lastRows[partition] = row
  columns.floats(abi.PPO_IO, stateSize + contextSize).set(context, stateSize)
  columns.floats(abi.PPO_CONTEXTS, partitions * contextSize).set(contexts)
  core.exports.ppo_fill_contexts(pointer)
  columns.bytes(abi.PPO_RANDOM, RANDOM_BYTES).set(random)
}

const invalid = (problem: string): FormatError =>
  new FormatError('rollout_invalid', `the saved rollout cannot be used: ${problem}`)
