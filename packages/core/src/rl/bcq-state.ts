// What an exact resume of a BCQ agent needs, as named tensors, and back.
import * as abi from '../abi.js'
import type { Core } from '../core.js'
import { byteTensor, doubleTensor, floatTensor, type Tensor, TensorReader, wordTensor } from '../files/tensor.js'
import type { Arena } from '../memory/arena.js'
import { loadBlocks, type NamedBlocks, saveBlocks } from '../memory/blocks.js'
import { loadGuard, saveGuard } from '../nn/last-good.js'
import { loadReplay, type ReplayShape, saveReplay } from './pair-replay-state.js'

export interface BcqShape extends ReplayShape {
  readonly latentSize: number
  readonly actingCandidates: number
}

/** Copies one net's part of a block out of the core, or into it. */
export interface BcqBlocks {
  read(block: number, net: number): Float32Array
  write(block: number, net: number, values: Float32Array): void
}

const NETS = [
  ['encoder', abi.BCQ_ENCODER],
  ['decoder', abi.BCQ_DECODER],
  ['perturbation', abi.BCQ_PERTURBATION],
  ['firstCritic', abi.BCQ_FIRST_CRITIC],
  ['secondCritic', abi.BCQ_SECOND_CRITIC],
] as const

const PARTS: NamedBlocks<readonly [block: number, net: number]> = [
  ...NETS.map(([name, net]) => [name, [abi.BCQ_LIVE, net]] as const),
  ...NETS.slice(2).map(([name, net]) => [`target.${name}`, [abi.BCQ_TARGET, net]] as const),
  ...NETS.map(([name, net]) => [`adam.${name}.m`, [abi.BCQ_FIRST_MOMENT, net]] as const),
  ...NETS.map(([name, net]) => [`adam.${name}.v`, [abi.BCQ_SECOND_MOMENT, net]] as const),
]

/** In this order: the hyperparameter that may change in mid-run, then the last losses. */
const VALUES: readonly number[] = [
  abi.BCQ_LEARNING_RATE,
  abi.BCQ_RECONSTRUCTION_LOSS,
  abi.BCQ_DIVERGENCE,
  abi.BCQ_CRITIC_LOSS,
  abi.BCQ_ACTOR_LOSS,
  abi.BCQ_MEAN_Q,
]

const COUNTERS: readonly number[] = [abi.BCQ_UPDATES, abi.BCQ_COUNT, abi.BCQ_CURSOR]

const RANDOM_BYTES = 32

export function saveBcq(core: Core, arena: Arena, shape: BcqShape, blocks: BcqBlocks): Tensor[] {
  const { pointer } = arena
  const at = (which: number): number => core.exports.bcq_pointer(pointer, which)
  const get = (which: number): number => core.exports.bcq_get(pointer, which)
  const random = at(abi.BCQ_RANDOM) - pointer
  const latents = (at(abi.BCQ_ACTING_LATENTS) - pointer) >>> 2
  const { actingCandidates, latentSize } = shape
  return [
    ...saveBlocks(PARTS, ([block, net]) => blocks.read(block, net)),
    ...saveGuard(core, at(abi.BCQ_LAST_GOOD)),
    ...saveReplay(arena, at(abi.BCQ_RECORDS), shape, get(abi.BCQ_COUNT)),
    floatTensor(
      'actingLatents',
      [actingCandidates, latentSize],
      arena.floats.slice(latents, latents + actingCandidates * latentSize),
    ),
    byteTensor('random', arena.bytes.subarray(random, random + RANDOM_BYTES)),
    wordTensor('counters', COUNTERS.map(get)),
    doubleTensor('values', VALUES.map(get)),
  ]
}

export function loadBcq(
  core: Core,
  arena: Arena,
  shape: BcqShape,
  tensors: readonly Tensor[],
  blocks: BcqBlocks,
): void {
  const { pointer } = arena
  const at = (which: number): number => core.exports.bcq_pointer(pointer, which)
  const reader = new TensorReader(tensors)
  const counters = reader.words('counters', COUNTERS.length)
  const values = reader.doubles('values', VALUES.length)
  const random = reader.bytes('random', RANDOM_BYTES)
  const latents = reader.floats('actingLatents', [shape.actingCandidates, shape.latentSize])
  const [, count, cursor] = counters as unknown as [number, number, number]
  const restoreReplay = loadReplay(arena, at(abi.BCQ_RECORDS), shape, reader, { count, cursor })
  const restoreGuard = loadGuard(core, at(abi.BCQ_LAST_GOOD), reader)
  const applyParts = loadBlocks(
    PARTS,
    reader,
    ([, net]) => core.exports.bcq_canonical(pointer, net),
    ([block, net], values) => blocks.write(block, net, values),
  )

  applyParts()
  restoreGuard()
  restoreReplay()
  arena.floats.set(latents, (at(abi.BCQ_ACTING_LATENTS) - pointer) >>> 2)
  arena.bytes.set(random, at(abi.BCQ_RANDOM) - pointer)
  for (const [i, which] of COUNTERS.entries()) core.exports.bcq_set(pointer, which, counters[i]!)
  for (const [i, which] of VALUES.entries()) core.exports.bcq_set(pointer, which, values[i]!)
}
