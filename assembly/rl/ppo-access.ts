// What TypeScript may read and write of a PPO agent, by the names of abi.ts; no offset leaves the core.
import * as abi from '../abi'
import { REAL } from '../math/real'
import { AdamOptions } from '../nn/adam'
import { copyReals, mlp_convert, Net } from '../nn/mlp'
import { keepGood, LastGood } from '../nn/last-good'
import { policyBytes, policyOf, Ppo, valueBytes } from './ppo-plan'

/** Where a part lies, `which` of PPO_…, else the last good copy; shapes as at the top of `ppo-plan.ts` and `rollout.ts`. */
export function ppo_pointer(pointer: usize, which: i32): usize {
  const ppo = changetype<Ppo>(pointer)
  switch (which) {
    case abi.PPO_IO: return ppo.io
    case abi.PPO_STATES: return ppo.states
    case abi.PPO_NEXTS: return ppo.nexts
    case abi.PPO_ACTIONS: return ppo.actions
    case abi.PPO_REWARDS: return ppo.rewards
    case abi.PPO_LOG_PROBABILITIES: return ppo.logProbabilities
    case abi.PPO_VALUES: return ppo.values
    case abi.PPO_NEXT_VALUES: return ppo.nextValues
    case abi.PPO_ADVANTAGES: return ppo.advantages
    case abi.PPO_RETURNS: return ppo.returns
    case abi.PPO_ENDS: return ppo.ends
    case abi.PPO_PARTITIONS: return ppo.partitionOf
    case abi.PPO_LAST_ROWS: return ppo.lastRows
    case abi.PPO_CONTEXTS: return ppo.contexts
    case abi.PPO_SLOPES: return ppo.slopes
    case abi.PPO_ORDER: return ppo.order
    case abi.PPO_BATCH: return ppo.used
    case abi.PPO_RANDOM: return ppo.random
    case abi.PPO_CHOSEN: return ppo.chosen
    case abi.PPO_DESK_INPUTS: return ppo.deskInputs
    case abi.PPO_DESK_ACTIONS: return ppo.deskActions
    default: return ppo.guard
  }
}

/** A setting, `which` of PPO_UPDATES … PPO_ENTROPY_WEIGHT, or a figure of the last update. */
export function ppo_get(pointer: usize, which: i32): f64 {
  const ppo = changetype<Ppo>(pointer)
  switch (which) {
    case abi.PPO_UPDATES: return <f64>ppo.updates
    case abi.PPO_COUNT: return <f64>ppo.count
    case abi.PPO_POLICY_LEARNING_RATE: return changetype<AdamOptions>(ppo.policyAdam).learningRate
    case abi.PPO_VALUE_LEARNING_RATE: return changetype<AdamOptions>(ppo.valueAdam).learningRate
    case abi.PPO_CLIP: return ppo.clip
    case abi.PPO_ENTROPY_WEIGHT: return ppo.entropyWeight
    default: return load<f64>(ppo.figures + (<usize>which << 3))
  }
}

/** Sets what `ppo_get` reads. */
export function ppo_set(pointer: usize, which: i32, value: f64): void {
  const ppo = changetype<Ppo>(pointer)
  switch (which) {
    case abi.PPO_UPDATES: ppo.updates = <i32>value; break
    case abi.PPO_COUNT: ppo.count = <i32>value; break
    case abi.PPO_POLICY_LEARNING_RATE: changetype<AdamOptions>(ppo.policyAdam).learningRate = value; break
    case abi.PPO_VALUE_LEARNING_RATE: changetype<AdamOptions>(ppo.valueAdam).learningRate = value; break
    case abi.PPO_CLIP: ppo.clip = value; break
    case abi.PPO_ENTROPY_WEIGHT: ppo.entropyWeight = value; break
    default: store<f64>(ppo.figures + (<usize>which << 3), value)
  }
}

/** Weights were set from outside: they are what comes back after failed updates. */
export function ppo_keep_good(pointer: usize): void {
  keepGood(changetype<LastGood>(changetype<Ppo>(pointer).guard))
}

/** Copies a flat block to (`toFlat`) or from the canonical layout: the net's, then a Gaussian policy's log deviations [A]. */
export function ppo_convert(pointer: usize, which: i32, canonical: usize, toFlat: i32): void {
  const ppo = changetype<Ppo>(pointer)
  const flat = flatBlock(ppo, which)
  const net = isPolicyShaped(which) ? ppo.policy : ppo.value
  mlp_convert(net, flat, canonical, toFlat)
  if (!ppo.gaussian || !isPolicyShaped(which)) return
  const rest = canonical + <usize>changetype<Net>(net).canonical * REAL
  const deviations = flat + <usize>policyOf(ppo).flat * REAL
  if (toFlat) copyReals(deviations, rest, ppo.outputs)
  else copyReals(rest, deviations, ppo.outputs)
}

/** Numbers in the canonical layout of a block. */
export function ppo_canonical(pointer: usize, which: i32): f64 {
  const ppo = changetype<Ppo>(pointer)
  if (!isPolicyShaped(which)) return changetype<Net>(ppo.value).canonical
  return changetype<Net>(ppo.policy).canonical + (ppo.gaussian ? ppo.outputs : 0)
}

function isPolicyShaped(which: i32): bool {
  switch (which) {
    case abi.PPO_POLICY:
    case abi.PPO_POLICY_GRADIENT:
    case abi.PPO_POLICY_FIRST_MOMENT:
    case abi.PPO_POLICY_SECOND_MOMENT: return true
    default: return false
  }
}

function flatBlock(ppo: Ppo, which: i32): usize {
  const fp = policyBytes(ppo)
  switch (which) {
    case abi.PPO_POLICY: return ppo.live
    case abi.PPO_VALUE: return ppo.live + fp
    case abi.PPO_POLICY_GRADIENT: return ppo.gradients
    case abi.PPO_VALUE_GRADIENT: return ppo.gradients + fp
    case abi.PPO_POLICY_FIRST_MOMENT: return ppo.policyMoments
    case abi.PPO_POLICY_SECOND_MOMENT: return ppo.policyMoments + fp
    case abi.PPO_VALUE_FIRST_MOMENT: return ppo.valueMoments
    default: return ppo.valueMoments + valueBytes(ppo)
  }
}
