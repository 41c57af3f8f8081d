// What an exact resume of a DDPG agent needs, as named tensors, and back.
import * as abi from './abi.js'
import type { Arena } from './arena.js'
import type { Core } from './core.js'
import { loadGuard, saveGuard } from './last-good.js'
import { loadReplay, type ReplayShape, recordStride, saveReplay } from './replay-state.js'
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

const RANDOM_BYTES = 32

interface Shape extends ReplayShape {
  readonly partitions: number
}

/** Reads or writes a block in the canonical layout. */
export interface BlockAccess {
  read(which: number): Float32Array
  write(which: number, values: Float32Array): void
}

/** Networks, Adam moments and the count of updates: what training in several places averages. */
export function saveLearned(core: Core, arena: Arena, access: BlockAccess): Tensor[] {
  const blocks = BLOCKS.map(([name, which]) => {
    const values = access.read(which)
    return floatTensor(name, [values.length], values)
  })
  return [...blocks, wordTensor('updates', [core.exports.ddpg_get!(arena.pointer, abi.DDPG_UPDATES)])]
}

/** The returned function applies what was read and cannot fail. @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite` */
export function loadLearned(core: Core, arena: Arena, access: BlockAccess, reader: TensorReader): () => void {
  const { pointer } = arena
  const blocks = BLOCKS.map(([name, which]) => {
    const length = core.exports.ddpg_canonical!(pointer, which)
    return [which, reader.floats(name, [length])] as const
  })
  const [updates] = reader.words('updates', 1)
  return () => {
    for (const [which, block] of blocks) access.write(which, block)
    core.exports.ddpg_set!(pointer, abi.DDPG_UPDATES, updates!)
  }
}

export function saveDdpg(core: Core, arena: Arena, shape: Shape, access: BlockAccess): Tensor[] {
  const { pointer } = arena
  const { exports } = core
  const random = exports.ddpg_pointer!(pointer, abi.DDPG_RANDOM) - pointer
  const rings = ringsOf(core, arena, shape).map((ring, i) => ({
    ...ring,
    count: exports.ddpg_ring_count!(pointer, i),
    cursor: exports.ddpg_ring_cursor!(pointer, i),
  }))
  return [
    ...saveLearned(core, arena, access),
    ...saveGuard(core, exports.ddpg_pointer!(pointer, abi.DDPG_LAST_GOOD)),
    wordTensor(
      'rings',
      rings.flatMap(({ count, cursor }) => [count, cursor]),
    ),
    ...rings.flatMap(({ records, prefix, count }) => saveReplay(arena, records, shape, count, prefix)),
    byteTensor('random', arena.bytes.subarray(random, random + RANDOM_BYTES)),
    doubleTensor(
      'values',
      VALUES.map((which) => exports.ddpg_get!(pointer, which)),
    ),
  ]
}

export function loadDdpg(
  core: Core,
  arena: Arena,
  shape: Shape,
  tensors: readonly Tensor[],
  access: BlockAccess,
): void {
  const { pointer } = arena
  const { exports } = core
  const first = firstLayout(tensors)
  const reader = new TensorReader(first?.tensors ?? tensors)
  const heads = reader.words('rings', 2 * shape.partitions)
  const values = reader.doubles('values', VALUES.length)
  const random = reader.bytes('random', RANDOM_BYTES)
  const applyLearned = loadLearned(core, arena, access, reader)
  const guard = exports.ddpg_pointer!(pointer, abi.DDPG_LAST_GOOD)
  const applyGuard = first ? () => startGuard(core, pointer, guard, first.skipped) : loadGuard(core, guard, reader)
  const restoreRings = ringsOf(core, arena, shape).map(({ records, prefix }, i) => {
    const [count, cursor] = [heads[2 * i]!, heads[2 * i + 1]!]
    const restore = loadReplay(arena, records, shape, reader, { count, cursor }, prefix)
    return () => {
      restore()
      exports.ddpg_set_ring!(pointer, i, count, cursor)
    }
  })

  applyLearned()
  applyGuard()
  for (const restore of restoreRings) restore()
  arena.bytes.set(random, exports.ddpg_pointer!(pointer, abi.DDPG_RANDOM) - pointer)
  for (const [i, which] of VALUES.entries()) exports.ddpg_set!(pointer, which, values[i]!)
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
  core.exports.ddpg_keep!(agent)
  core.exports.last_good_set!(guard, abi.LAST_GOOD_SKIPPED, skipped)
}

/** Where each ring's records lie, and what its tensors' names begin with. */
function ringsOf(core: Core, arena: Arena, shape: Shape): { readonly records: number; readonly prefix: string }[] {
  const first = core.exports.ddpg_pointer!(arena.pointer, abi.DDPG_RECORDS)
  const bytes = 4 * shape.capacity * recordStride(shape)
  return Array.from({ length: shape.partitions }, (_, i) => ({
    records: first + i * bytes,
    prefix: shape.partitions === 1 ? 'replay.' : `replay.${i}.`,
  }))
}
