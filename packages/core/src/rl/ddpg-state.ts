// What an exact resume of a DDPG agent needs, as named tensors, and back.
import * as abi from '../abi.js'
import type { Core } from '../core.js'
import { byteTensor, doubleTensor, type Tensor, TensorReader, wordTensor } from '../files/tensor.js'
import type { Arena } from '../memory/arena.js'
import { loadBlocks, type NamedBlocks, saveBlocks } from '../memory/blocks.js'
import { loadGuard, saveGuard } from '../nn/last-good.js'
import { loadRings, type RingsShape, saveRings } from './pair-replay-state.js'

const BLOCKS: NamedBlocks<number> = [
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

const RANDOM_BYTES = 32

/** Reads or writes a block in the canonical layout. */
export interface BlockAccess {
  read(which: number): Float32Array
  write(which: number, values: Float32Array): void
}

/** Networks, Adam moments and the count of updates: what training in several places averages. */
export function saveLearned(core: Core, arena: Arena, access: BlockAccess): Tensor[] {
  return [...saveBlocks(BLOCKS, access.read), wordTensor('updates', [core.exports.off_policy_updates(arena.pointer)])]
}

/** The returned function applies what was read and cannot fail. @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite` */
export function loadLearned(core: Core, arena: Arena, access: BlockAccess, reader: TensorReader): () => void {
  const { pointer } = arena
  const lengthOf = (which: number): number => core.exports.ddpg_canonical(pointer, which)
  const applyBlocks = loadBlocks(BLOCKS, reader, lengthOf, access.write)
  const [updates] = reader.words('updates', 1)
  return () => {
    applyBlocks()
    core.exports.off_policy_set_updates(pointer, updates!)
  }
}

export function saveDdpg(core: Core, arena: Arena, shape: RingsShape, access: BlockAccess): Tensor[] {
  const { pointer } = arena
  const { exports } = core
  const random = exports.off_policy_pointer(pointer, abi.OFF_POLICY_RANDOM) - pointer
  return [
    ...saveLearned(core, arena, access),
    ...saveGuard(core, exports.off_policy_pointer(pointer, abi.OFF_POLICY_LAST_GOOD)),
    ...saveRings(core, arena, shape),
    byteTensor('random', arena.bytes.subarray(random, random + RANDOM_BYTES)),
    doubleTensor(
      'values',
      VALUES.map((which) => exports.ddpg_get(pointer, which)),
    ),
  ]
}

export function loadDdpg(
  core: Core,
  arena: Arena,
  shape: RingsShape,
  tensors: readonly Tensor[],
  access: BlockAccess,
): void {
  const { pointer } = arena
  const { exports } = core
  const first = firstLayout(tensors)
  const reader = new TensorReader(first?.tensors ?? tensors)
  const values = reader.doubles('values', VALUES.length)
  const random = reader.bytes('random', RANDOM_BYTES)
  const applyLearned = loadLearned(core, arena, access, reader)
  const guard = exports.off_policy_pointer(pointer, abi.OFF_POLICY_LAST_GOOD)
  const applyGuard = first ? () => startGuard(core, pointer, guard, first.skipped) : loadGuard(core, guard, reader)
  const applyRings = loadRings(core, arena, shape, reader)

  applyLearned()
  applyGuard()
  applyRings()
  arena.bytes.set(random, exports.off_policy_pointer(pointer, abi.OFF_POLICY_RANDOM) - pointer)
  for (const [i, which] of VALUES.entries()) exports.ddpg_set(pointer, which, values[i]!)
}

/** A save of version 0.1, which had one ring, one block of counters and no guard, under the names of today. */
function firstLayout(tensors: readonly Tensor[]): { tensors: readonly Tensor[]; skipped: number } | undefined {
  if (!tensors.some(({ name }) => name === 'counters')) return undefined
  const counters = new TensorReader(tensors).words('counters', 4)
  const [updates, skipped, count, cursor] = counters as unknown as [number, number, number, number]
  return { tensors: [...tensors, wordTensor('updates', [updates]), wordTensor('rings', [count, cursor])], skipped }
}

/** What was loaded counts as good. */
function startGuard(core: Core, agent: number, guard: number, skipped: number): void {
  core.exports.ddpg_keep(agent)
  core.exports.last_good_set(guard, abi.LAST_GOOD_SKIPPED, skipped)
}
