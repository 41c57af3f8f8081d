// A DDPG agent's block: who lies where. `ddpg.ts` is what it does.
//
// N: batch, S: state, Z: context, A: action, P: rings, G: groups of a batch; fa, fc: flat lengths of actor and critic; every part is
// 16-byte aligned
//   head: Agent | what off-policy.ts places | actor Net | critic Net | actor AdamOptions | critic AdamOptions | sizes i32[2h + 3]
//   body: live [fa + fc] | targets [fa + fc] | average [fa] | actor moments m, v [2 fa] | critic moments m, v [2 fc]
//         last good copy of all these | gradients [fa + fc] | undo [3 fc] | actor workspace | critic workspace
//         input [S + Z + A] | here [N, S + Z + A] | there [N, S + Z + A] | rule [N, A] | hasRule [N] | pi [N, padded(A)]
//         what off-policy.ts places
import { padded, REAL } from '../math/real'
import { LINEAR, RELU } from '../nn/activation'
import { beginPlan, place, placeRows, planned } from '../memory/plan'
import { adam_configure, AdamOptions } from '../nn/adam'
import { mlp_initialise, mlp_plan, Net, netBytes } from '../nn/mlp'
import { random_seed } from '../random/xoshiro'
import { guardBlock, keepGood } from '../nn/last-good'
import { emptyRings, OffPolicy, OFF_POLICY_HEAD_BYTES, placeBatch, placeHead } from './off-policy'

// @ts-ignore: decorator
@unmanaged export class Agent extends OffPolicy {
  actor: usize = 0
  critic: usize = 0
  actorAdam: usize = 0
  criticAdam: usize = 0
  live: usize = 0
  targets: usize = 0
  average: usize = 0
  /** The last good copy of everything from `live` up to here. */
  good: usize = 0
  gradients: usize = 0
  undo: usize = 0
  actorMoments: usize = 0
  criticMoments: usize = 0
  actorSpace: usize = 0
  criticSpace: usize = 0
  /** One row of critic inputs, for acting. */
  input: usize = 0
  /** Critic inputs of the batch, at the stored transition and at what followed it. */
  here: usize = 0
  there: usize = 0
  rule: usize = 0
  hasRule: usize = 0
  pi: usize = 0
  discount: f64 = 0
  targetRate: f64 = 0
  averageRate: f64 = 0
  outputPenalty: f64 = 0
  saturationPenalty: f64 = 0
  saturationLimit: f64 = 0
  cloningWeight: f64 = 0
  criticLoss: f64 = 0
  actorLoss: f64 = 0
  meanQ: f64 = 0
}

// shape i32: S, A, N, capacity, Z, P, G, h, then the h hidden sizes
// @ts-ignore: decorator
@inline const SHAPE_WORDS: usize = 8

// @ts-ignore: decorator
@inline function hiddenOf(shape: usize): i32 {
  return load<i32>(shape, 28)
}

/** Fills the head and returns where the body ends. */
function layOut(head: usize, body: usize, shape: usize): f64 {
  const hidden = hiddenOf(shape)
  const n = load<i32>(shape, 8)
  beginPlan(head)
  const agent = changetype<Agent>(place(offsetof<Agent>()))
  agent.stateSize = load<i32>(shape)
  agent.actionSize = load<i32>(shape, 4)
  agent.batch = n
  agent.capacity = load<i32>(shape, 12)
  agent.contextSize = load<i32>(shape, 16)
  agent.partitions = load<i32>(shape, 20)
  agent.maxGroups = load<i32>(shape, 24)
  placeHead(agent)
  agent.actor = place(netBytes(hidden + 1))
  agent.critic = place(netBytes(hidden + 1))
  agent.actorAdam = place(offsetof<AdamOptions>())
  agent.criticAdam = place(offsetof<AdamOptions>())
  const sizes = placeRows(2 * hidden + 3, 4)
  planNet(agent.actor, sizes, shape, agent.stateSize + agent.contextSize, agent.actionSize)
  planNet(agent.critic, sizes, shape, agent.stateSize + agent.contextSize + agent.actionSize, 1)

  const actor = changetype<Net>(agent.actor), critic = changetype<Net>(agent.critic)
  const fa = actor.flatBytes, fc = critic.flatBytes
  const row = <usize>(agent.stateSize + agent.contextSize + agent.actionSize) * REAL
  beginPlan(body)
  agent.live = place(fa + fc)
  agent.targets = place(fa + fc)
  agent.average = place(fa)
  agent.actorMoments = place(2.0 * fa)
  agent.criticMoments = place(2.0 * fc)
  agent.good = place(planned() - body)
  agent.gradients = place(fa + fc)
  agent.undo = place(3.0 * fc)
  agent.actorSpace = place(actor.workspaceBytes)
  agent.criticSpace = place(critic.workspaceBytes)
  agent.input = place(row)
  agent.here = placeRows(n, row)
  agent.there = placeRows(n, row)
  agent.rule = placeRows(n, <usize>agent.actionSize * REAL)
  agent.hasRule = placeRows(n, REAL)
  agent.pi = placeRows(n, <usize>padded(agent.actionSize) * REAL)
  placeBatch(agent)
  return planned()
}

/** in → the hidden layers (ReLU) → out (linear; the actor's tanh is taken apart, its inputs are penalised). */
function planNet(net: usize, sizes: usize, shape: usize, inputs: i32, out: i32): void {
  const hidden = hiddenOf(shape)
  const activations = sizes + (<usize>(hidden + 2) << 2)
  store<i32>(sizes, inputs)
  for (let i: usize = 0; i < <usize>hidden; i++) {
    store<i32>(sizes + (i << 2), load<i32>(shape + (i << 2), SHAPE_WORDS << 2), 4)
    store<i32>(activations + (i << 2), RELU)
  }
  store<i32>(activations - 4, out)
  store<i32>(activations + (<usize>hidden << 2), LINEAR)
  mlp_plan(net, hidden + 1, sizes, activations, load<i32>(shape, 8))
}

// @ts-ignore: decorator
@inline function rounded(bytes: usize): usize {
  return (bytes + 15) & ~15
}

function headBytes(hidden: i32): usize {
  return (
    rounded(offsetof<Agent>()) + OFF_POLICY_HEAD_BYTES + 2 * rounded(netBytes(hidden + 1)) + 2 * rounded(offsetof<AdamOptions>()) +
    rounded(<usize>(2 * hidden + 3) << 2)
  )
}

function shapeBytes(hidden: i32): usize {
  return rounded((SHAPE_WORDS + <usize>hidden) << 2)
}

/** Bytes of a shape block: the shape's own words, then room in which an agent can be planned before it exists. */
export function ddpg_shape_bytes(hidden: i32): f64 {
  return shapeBytes(hidden) + headBytes(hidden)
}

/** Bytes of an agent. */
export function ddpg_bytes(shape: usize): f64 {
  const hidden = hiddenOf(shape)
  return layOut(shape + shapeBytes(hidden), headBytes(hidden), shape)
}

/**
 * Makes an agent in `base`, `ddpg_bytes` long: random nets, targets and average as copies, nothing stored, the null context
 * [Z].
 */
export function ddpg_create(base: usize, shape: usize, seedLow: i32, seedHigh: i32): void {
  layOut(base, base + headBytes(hiddenOf(shape)), shape)
  const agent = changetype<Agent>(base)
  const actorBytes = <usize>changetype<Net>(agent.actor).flat * REAL
  random_seed(agent.random, seedLow, seedHigh, 1)
  mlp_initialise(agent.actor, agent.live, agent.random)
  mlp_initialise(agent.critic, agent.live + actorBytes, agent.random)
  random_seed(agent.random, seedLow, seedHigh, 2)
  memory.copy(agent.targets, agent.live, actorBytes + <usize>changetype<Net>(agent.critic).flat * REAL)
  memory.copy(agent.average, agent.live, actorBytes)
  emptyRings(agent)
  guardBlock(agent.guard, agent.live, agent.good - agent.live, agent.good)
}

/** Everything that stays as it is while the agent learns. */
export function ddpg_configure(
  pointer: usize, actorRate: f64, criticRate: f64, weightDecay: f64, maxNorm: f64, discount: f64, targetRate: f64, averageRate: f64,
  outputPenalty: f64, cloningWeight: f64, saturationPenalty: f64, saturationLimit: f64,
): void {
  const agent = changetype<Agent>(pointer)
  adam_configure(agent.actorAdam, actorRate, 0.9, 0.999, 1e-8, weightDecay, maxNorm, 0)
  adam_configure(agent.criticAdam, criticRate, 0.9, 0.999, 1e-8, weightDecay, maxNorm, 0)
  agent.discount = discount
  agent.targetRate = targetRate
  agent.averageRate = averageRate
  agent.outputPenalty = outputPenalty
  agent.cloningWeight = cloningWeight
  agent.saturationPenalty = saturationPenalty
  agent.saturationLimit = saturationLimit
  if (averageRate == 0.0) memory.fill(agent.average, 0, <usize>changetype<Net>(agent.actor).flat * REAL) // nobody reads it
  keepGood(agent.guard)
}
