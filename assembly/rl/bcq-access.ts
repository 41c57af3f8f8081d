// What TypeScript may read and write of a BCQ agent, by the names of abi.ts; no offset leaves the core.
import * as abi from '../abi'
import { REAL } from '../math/real'
import { AdamOptions } from '../nn/adam'
import { mlp_convert, Net, outputs } from '../nn/mlp'
import { Bcq, netOf, offsetOf, targetOf } from './bcq-plan'
import { keepGood, LastGood } from '../nn/last-good'

/**
 * Where a part lies, `which` of BCQ_…; shapes as at the top of `bcq-plan.ts`. What ends in a net's outputs has rows of
 * padded(width) numbers.
 */
export function bcq_pointer(pointer: usize, which: i32): usize {
  const bcq = changetype<Bcq>(pointer)
  switch (which) {
    case abi.BCQ_IO: return bcq.io
    case abi.BCQ_INDICES: return bcq.indices
    case abi.BCQ_RECORDS: return bcq.records
    case abi.BCQ_RANDOM: return bcq.random
    case abi.BCQ_GOALS: return bcq.goals
    case abi.BCQ_VALUES: return bcq.values
    case abi.BCQ_LAST_GOOD: return bcq.guard
    case abi.BCQ_NOISE: return bcq.noise
    case abi.BCQ_TARGET_LATENTS: return bcq.targetLatents
    case abi.BCQ_ACTING_LATENTS: return bcq.actingLatents
    case abi.BCQ_HEADS: return outputs(changetype<Net>(bcq.encoder), bcq.encoderSpace)
    case abi.BCQ_DEVIATIONS: return bcq.deviations
    case abi.BCQ_CODES: return bcq.codes
    default: return outputs(changetype<Net>(bcq.decoder), bcq.decoderSpace)
  }
}

/** A figure or setting, `which` of BCQ_LEARNING_RATE … BCQ_CURSOR; losses are those of the last update. */
export function bcq_get(pointer: usize, which: i32): f64 {
  const bcq = changetype<Bcq>(pointer)
  switch (which) {
    case abi.BCQ_LEARNING_RATE: return changetype<AdamOptions>(bcq.adam).learningRate
    case abi.BCQ_RECONSTRUCTION_LOSS: return bcq.reconstructionLoss
    case abi.BCQ_DIVERGENCE: return bcq.divergence
    case abi.BCQ_CRITIC_LOSS: return bcq.criticLoss
    case abi.BCQ_ACTOR_LOSS: return bcq.actorLoss
    case abi.BCQ_MEAN_Q: return bcq.meanQ
    case abi.BCQ_UPDATES: return <f64>bcq.updates
    case abi.BCQ_COUNT: return <f64>bcq.count
    default: return <f64>bcq.cursor
  }
}

/** Sets what `bcq_get` reads. */
export function bcq_set(pointer: usize, which: i32, value: f64): void {
  const bcq = changetype<Bcq>(pointer)
  switch (which) {
    case abi.BCQ_LEARNING_RATE: changetype<AdamOptions>(bcq.adam).learningRate = value; break
    case abi.BCQ_RECONSTRUCTION_LOSS: bcq.reconstructionLoss = value; break
    case abi.BCQ_DIVERGENCE: bcq.divergence = value; break
    case abi.BCQ_CRITIC_LOSS: bcq.criticLoss = value; break
    case abi.BCQ_ACTOR_LOSS: bcq.actorLoss = value; break
    case abi.BCQ_MEAN_Q: bcq.meanQ = value; break
    case abi.BCQ_UPDATES: bcq.updates = <i32>value; break
    case abi.BCQ_COUNT: bcq.count = <i32>value; break
    case abi.BCQ_CURSOR: bcq.cursor = <i32>value; break
  }
}

/** Copies one net's part of a block to (`toFlat`) or from the canonical layout [bcq_canonical], which makes
 * what is there the last good. The target block holds perturbation and critics. */
export function bcq_convert(pointer: usize, block: i32, net: i32, canonical: usize, toFlat: i32): void {
  const bcq = changetype<Bcq>(pointer)
  mlp_convert(changetype<usize>(netOf(bcq, net)), partOf(bcq, block, net), canonical, toFlat)
  if (toFlat) keepGood(changetype<LastGood>(bcq.guard))
}

/** Numbers in the canonical layout of a net. */
export function bcq_canonical(pointer: usize, net: i32): f64 {
  return netOf(changetype<Bcq>(pointer), net).canonical
}

function partOf(bcq: Bcq, block: i32, net: i32): usize {
  const at = offsetOf(bcq, net)
  switch (block) {
    case abi.BCQ_LIVE: return bcq.live + at
    case abi.BCQ_TARGET: return targetOf(bcq, net)
    case abi.BCQ_GRADIENT: return bcq.gradients + at
    case abi.BCQ_FIRST_MOMENT: return bcq.moments + at
    default: return bcq.moments + <usize>bcq.flat * REAL + at
  }
}
