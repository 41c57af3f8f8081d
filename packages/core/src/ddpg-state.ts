// What an exact resume of a DDPG agent needs, as named tensors, and back.
import * as abi from './abi.js'
import type { Arena } from './arena.js'
import type { Core } from './core.js'
import { FormatError } from './errors.js'
import { byteTensor, doubleTensor, floatTensor, type Tensor, TensorReader, wordTensor } from './tensor.js'

interface Shape {
  readonly stateSize: number
  readonly actionSize: number
  readonly capacity: number
}

const BLOCKS: readonly (readonly [name: string, which: number])[] = [
  ['actor', abi.DDPG_ACTOR],
  ['critic', abi.DDPG_CRITIC],
  ['targetActor', abi.DDPG_TARGET_ACTOR],
  ['targetCritic', abi.DDPG_TARGET_CRITIC],
  ['averagedActor', abi.DDPG_AVERAGED_ACTOR],
  ['adam.actor.m', abi.DDPG_ACTOR_FIRST_MOMENT],
  ['adam.actor.v', abi.DDPG_ACTOR_SECOND_MOMENT],
  ['adam.critic.m', abi.DDPG_CRITIC_FIRST_MOMENT],
  ['adam.critic.v', abi.DDPG_CRITIC_SECOND_MOMENT],
]

/** In this order: hyperparameters that may change in mid-run, then the last losses. */
const VALUES: readonly number[] = [
  abi.DDPG_ACTOR_LEARNING_RATE,
  abi.DDPG_CRITIC_LEARNING_RATE,
  abi.DDPG_OUTPUT_PENALTY,
  abi.DDPG_CLONING_WEIGHT,
  abi.DDPG_CRITIC_LOSS,
  abi.DDPG_ACTOR_LOSS,
  abi.DDPG_MEAN_Q,
]

const COUNTERS: readonly number[] = [abi.DDPG_UPDATES, abi.DDPG_SKIPPED, abi.DDPG_COUNT, abi.DDPG_CURSOR]

const RANDOM_BYTES = 32

/** The columns of a replay record, in order; `width` 0 is a scalar. */
const columns = ({ stateSize, actionSize }: Shape): readonly (readonly [name: string, width: number])[] => [
  ['replay.state', stateSize],
  ['replay.action', actionSize],
  ['replay.nextState', stateSize],
  ['replay.ruleAction', actionSize],
  ['replay.reward', 0],
  ['replay.terminated', 0],
  ['replay.hasRule', 0],
]

const stride = ({ stateSize, actionSize }: Shape): number => 2 * (stateSize + actionSize) + 3

const columnShape = (count: number, width: number): number[] => (width === 0 ? [count] : [count, width])

export function saveDdpg(core: Core, arena: Arena, shape: Shape, read: (which: number) => Float32Array): Tensor[] {
  const { pointer } = arena
  const get = (which: number): number => core.exports.ddpg_get!(pointer, which)
  const blocks = BLOCKS.map(([name, which]) => {
    const values = read(which)
    return floatTensor(name, [values.length], values)
  })
  const random = core.exports.ddpg_pointer!(pointer, abi.DDPG_RANDOM) - pointer
  return [
    ...blocks,
    ...saveReplay(core, arena, shape, get(abi.DDPG_COUNT)),
    byteTensor('random', arena.bytes.subarray(random, random + RANDOM_BYTES)),
    wordTensor('counters', COUNTERS.map(get)),
    doubleTensor('values', VALUES.map(get)),
  ]
}

function saveReplay(core: Core, arena: Arena, shape: Shape, count: number): Tensor[] {
  const records = (core.exports.ddpg_pointer!(arena.pointer, abi.DDPG_RECORDS) - arena.pointer) >>> 2
  const { floats } = arena
  let column = records
  return columns(shape).map(([name, width]) => {
    const numbers = Math.max(1, width)
    const values = new Float32Array(count * numbers)
    for (let i = 0; i < count; i++) {
      const from = column + i * stride(shape)
      for (let j = 0; j < numbers; j++) values[i * numbers + j] = floats[from + j]!
    }
    column += numbers
    return floatTensor(name, columnShape(count, width), values)
  })
}

export function loadDdpg(
  core: Core,
  arena: Arena,
  shape: Shape,
  tensors: readonly Tensor[],
  write: (which: number, values: Float32Array) => void,
): void {
  const { pointer } = arena
  const reader = new TensorReader(tensors)
  const counters = reader.words('counters', COUNTERS.length)
  const values = reader.doubles('values', VALUES.length)
  const random = reader.bytes('random', RANDOM_BYTES)
  const [, , count, cursor] = counters as unknown as [number, number, number, number]
  checkRing(count, cursor, shape.capacity)
  const blocks = BLOCKS.map(([name, which]) => {
    const length = core.exports.ddpg_canonical!(pointer, which)
    return [which, reader.floats(name, [length])] as const
  })
  const replay = columns(shape).map(([name, width]) => reader.floats(name, columnShape(count, width)))

  for (const [which, block] of blocks) write(which, block)
  loadReplay(core, arena, shape, count, replay)
  arena.bytes.set(random, core.exports.ddpg_pointer!(pointer, abi.DDPG_RANDOM) - pointer)
  for (const [i, which] of COUNTERS.entries()) core.exports.ddpg_set!(pointer, which, counters[i]!)
  for (const [i, which] of VALUES.entries()) core.exports.ddpg_set!(pointer, which, values[i]!)
}

function checkRing(count: number, cursor: number, capacity: number): void {
  if (count > capacity || cursor >= capacity || (count < capacity && cursor !== count)) {
    throw new FormatError(
      'replay_invalid',
      `the saved replay holds ${count} transitions with the next at ${cursor}, which does not fit a capacity of ${capacity}`,
    )
  }
}

function loadReplay(core: Core, arena: Arena, shape: Shape, count: number, replay: readonly Float32Array[]): void {
  let column = (core.exports.ddpg_pointer!(arena.pointer, abi.DDPG_RECORDS) - arena.pointer) >>> 2
  const { floats } = arena
  columns(shape).forEach(([, width], index) => {
    const numbers = Math.max(1, width)
    const values = replay[index]!
    for (let i = 0; i < count; i++) {
      const to = column + i * stride(shape)
      for (let j = 0; j < numbers; j++) floats[to + j] = values[i * numbers + j]!
    }
    column += numbers
  })
}
