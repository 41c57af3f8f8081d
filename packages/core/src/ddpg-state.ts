// What an exact resume of a DDPG agent needs, as named tensors, and back.
import * as abi from './abi.js'
import type { Arena } from './arena.js'
import type { Core } from './core.js'
import { loadReplay, type ReplayShape, saveReplay } from './replay-state.js'
import { byteTensor, doubleTensor, floatTensor, type Tensor, TensorReader, wordTensor } from './tensor.js'

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

export function saveDdpg(
  core: Core,
  arena: Arena,
  shape: ReplayShape,
  read: (which: number) => Float32Array,
): Tensor[] {
  const { pointer } = arena
  const get = (which: number): number => core.exports.ddpg_get!(pointer, which)
  const blocks = BLOCKS.map(([name, which]) => {
    const values = read(which)
    return floatTensor(name, [values.length], values)
  })
  const random = core.exports.ddpg_pointer!(pointer, abi.DDPG_RANDOM) - pointer
  return [
    ...blocks,
    ...saveReplay(arena, core.exports.ddpg_pointer!(pointer, abi.DDPG_RECORDS), shape, get(abi.DDPG_COUNT)),
    byteTensor('random', arena.bytes.subarray(random, random + RANDOM_BYTES)),
    wordTensor('counters', COUNTERS.map(get)),
    doubleTensor('values', VALUES.map(get)),
  ]
}

export function loadDdpg(
  core: Core,
  arena: Arena,
  shape: ReplayShape,
  tensors: readonly Tensor[],
  write: (which: number, values: Float32Array) => void,
): void {
  const { pointer } = arena
  const reader = new TensorReader(tensors)
  const counters = reader.words('counters', COUNTERS.length)
  const values = reader.doubles('values', VALUES.length)
  const random = reader.bytes('random', RANDOM_BYTES)
  const [, , count, cursor] = counters as unknown as [number, number, number, number]
  const blocks = BLOCKS.map(([name, which]) => {
    const length = core.exports.ddpg_canonical!(pointer, which)
    return [which, reader.floats(name, [length])] as const
  })
  const restoreReplay = loadReplay(arena, core.exports.ddpg_pointer!(pointer, abi.DDPG_RECORDS), shape, reader, {
    count,
    cursor,
  })

  for (const [which, block] of blocks) write(which, block)
  restoreReplay()
  arena.bytes.set(random, core.exports.ddpg_pointer!(pointer, abi.DDPG_RANDOM) - pointer)
  for (const [i, which] of COUNTERS.entries()) core.exports.ddpg_set!(pointer, which, counters[i]!)
  for (const [i, which] of VALUES.entries()) core.exports.ddpg_set!(pointer, which, values[i]!)
}
