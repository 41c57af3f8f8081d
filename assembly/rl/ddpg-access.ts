// What TypeScript may read and write of a DDPG agent, by the names of abi.ts; no offset leaves the core.
import * as abi from '../abi'
import { REAL } from '../math/real'
import { AdamOptions } from '../nn/adam'
import { mlp_convert, Net } from '../nn/mlp'
import { Agent } from './ddpg-plan'
import { keepGood } from '../nn/last-good'

/** A figure or setting, `which` of DDPG_ACTOR_LEARNING_RATE … DDPG_MEAN_Q; losses are those of the last update. */
export function ddpg_get(pointer: usize, which: i32): f64 {
  const agent = changetype<Agent>(pointer)
  switch (which) {
    case abi.DDPG_ACTOR_LEARNING_RATE: return changetype<AdamOptions>(agent.actorAdam).learningRate
    case abi.DDPG_CRITIC_LEARNING_RATE: return changetype<AdamOptions>(agent.criticAdam).learningRate
    case abi.DDPG_OUTPUT_PENALTY: return agent.outputPenalty
    case abi.DDPG_CLONING_WEIGHT: return agent.cloningWeight
    case abi.DDPG_CRITIC_LOSS: return agent.criticLoss
    case abi.DDPG_ACTOR_LOSS: return agent.actorLoss
    default: return agent.meanQ
  }
}

/** Sets what `ddpg_get` reads. */
export function ddpg_set(pointer: usize, which: i32, value: f64): void {
  const agent = changetype<Agent>(pointer)
  switch (which) {
    case abi.DDPG_ACTOR_LEARNING_RATE: changetype<AdamOptions>(agent.actorAdam).learningRate = value; break
    case abi.DDPG_CRITIC_LEARNING_RATE: changetype<AdamOptions>(agent.criticAdam).learningRate = value; break
    case abi.DDPG_OUTPUT_PENALTY: agent.outputPenalty = value; break
    case abi.DDPG_CLONING_WEIGHT: agent.cloningWeight = value; break
    case abi.DDPG_CRITIC_LOSS: agent.criticLoss = value; break
    case abi.DDPG_ACTOR_LOSS: agent.actorLoss = value; break
    case abi.DDPG_MEAN_Q: agent.meanQ = value; break
  }
}

/** Weights were set from outside: what is there now counts as good. */
export function ddpg_keep(pointer: usize): void {
  keepGood(changetype<Agent>(pointer).guard)
}

/** Copies a flat block to (`toFlat`) or from the canonical layout [ddpg_canonical]. */
export function ddpg_convert(pointer: usize, which: i32, canonical: usize, toFlat: i32): void {
  const agent = changetype<Agent>(pointer)
  mlp_convert(isActorShaped(which) ? agent.actor : agent.critic, flatBlock(agent, which), canonical, toFlat)
}

/** Numbers in the canonical layout of a block. */
export function ddpg_canonical(pointer: usize, which: i32): f64 {
  const agent = changetype<Agent>(pointer)
  return changetype<Net>(isActorShaped(which) ? agent.actor : agent.critic).canonical
}

function isActorShaped(which: i32): bool {
  switch (which) {
    case abi.DDPG_CRITIC:
    case abi.DDPG_TARGET_CRITIC:
    case abi.DDPG_CRITIC_GRADIENT:
    case abi.DDPG_CRITIC_FIRST_MOMENT:
    case abi.DDPG_CRITIC_SECOND_MOMENT: return false
    default: return true
  }
}

function flatBlock(agent: Agent, which: i32): usize {
  const fa = <usize>changetype<Net>(agent.actor).flat * REAL
  const fc = <usize>changetype<Net>(agent.critic).flat * REAL
  switch (which) {
    case abi.DDPG_ACTOR: return agent.live
    case abi.DDPG_CRITIC: return agent.live + fa
    case abi.DDPG_TARGET_ACTOR: return agent.targets
    case abi.DDPG_TARGET_CRITIC: return agent.targets + fa
    case abi.DDPG_AVERAGED_ACTOR: return agent.averageRate > 0.0 ? agent.average : agent.live
    case abi.DDPG_ACTOR_GRADIENT: return agent.gradients
    case abi.DDPG_CRITIC_GRADIENT: return agent.gradients + fa
    case abi.DDPG_ACTOR_FIRST_MOMENT: return agent.actorMoments
    case abi.DDPG_ACTOR_SECOND_MOMENT: return agent.actorMoments + fa
    case abi.DDPG_CRITIC_FIRST_MOMENT: return agent.criticMoments
    default: return agent.criticMoments + fc
  }
}
