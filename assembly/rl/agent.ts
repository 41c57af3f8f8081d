// A DDPG agent's block: who lies where. `ddpg.ts` is what it does.
//
// N: batch, S: state, A: action; fa, fc: flat lengths of actor and critic; every part is 16-byte aligned
//   head: Agent | actor Net | critic Net | actor AdamOptions | critic AdamOptions | random state | sizes i32[2h + 3]
//   body: live [fa + fc] | targets [fa + fc] | average [fa] | gradients [fa + fc] | undo [3 fc]
//         actor moments m, v [2 fa] | critic moments m, v [2 fc] | actor workspace | critic workspace
//         io record | here [N, S + A] | there [N, S + A] | rule [N, A] | reward, terminated, hasRule, goal, value [N]
//         pi [N, padded(A)] | indices i32[N] | replay records
import { padded, REAL } from '../math/real'
import { LINEAR, RELU } from '../nn/activation'
import { adam_configure, AdamOptions } from '../nn/adam'
import { mlp_initialise, mlp_plan, Net, netBytes } from '../nn/mlp'
import { RANDOM_BYTES, random_seed } from '../random/xoshiro'
import { recordStride, Replay } from './replay'

// @ts-ignore: decorator
@unmanaged export class Agent extends Replay {
  batch: i32 = 0
  updates: i32 = 0
  /** Updates given up because a loss or gradient was not finite. */
  skipped: i32 = 0
  actor: usize = 0
  critic: usize = 0
  actorAdam: usize = 0
  criticAdam: usize = 0
  random: usize = 0
  live: usize = 0
  targets: usize = 0
  average: usize = 0
  gradients: usize = 0
  undo: usize = 0
  actorMoments: usize = 0
  criticMoments: usize = 0
  actorSpace: usize = 0
  criticSpace: usize = 0
  /** The record that TypeScript fills and reads. */
  io: usize = 0
  /** Critic inputs of the batch, at the stored transition and at what followed it. */
  here: usize = 0
  there: usize = 0
  rule: usize = 0
  rewards: usize = 0
  terminated: usize = 0
  hasRule: usize = 0
  /** What the critic should have said, and what it said. */
  goals: usize = 0
  values: usize = 0
  pi: usize = 0
  indices: usize = 0
  discount: f64 = 0
  targetRate: f64 = 0
  averageRate: f64 = 0
  outputPenalty: f64 = 0
  cloningWeight: f64 = 0
  criticLoss: f64 = 0
  actorLoss: f64 = 0
  meanQ: f64 = 0
}

let cursor: usize = 0

function place(bytes: usize): usize {
  const at = cursor
  cursor += (bytes + 15) & ~15
  return at
}

/** Fills the head and returns where the body ends. shape i32: S, A, N, capacity, h, then the h hidden sizes. */
function layOut(head: usize, body: usize, shape: usize): usize {
  const hidden = load<i32>(shape, 16)
  const n = <usize>load<i32>(shape, 8)
  cursor = head
  const agent = changetype<Agent>(place(offsetof<Agent>()))
  agent.stateSize = load<i32>(shape)
  agent.actionSize = load<i32>(shape, 4)
  agent.batch = <i32>n
  agent.capacity = load<i32>(shape, 12)
  agent.stride = recordStride(agent.stateSize, agent.actionSize)
  agent.actor = place(netBytes(hidden + 1))
  agent.critic = place(netBytes(hidden + 1))
  agent.actorAdam = place(offsetof<AdamOptions>())
  agent.criticAdam = place(offsetof<AdamOptions>())
  agent.random = place(RANDOM_BYTES)
  const sizes = place(<usize>(2 * hidden + 3) << 2)
  planNet(agent.actor, sizes, shape, agent.stateSize, agent.actionSize)
  planNet(agent.critic, sizes, shape, agent.stateSize + agent.actionSize, 1)

  const actor = changetype<Net>(agent.actor), critic = changetype<Net>(agent.critic)
  const fa = <usize>actor.flat * REAL, fc = <usize>critic.flat * REAL
  const inputs = n * <usize>(agent.stateSize + agent.actionSize) * REAL
  cursor = body
  agent.live = place(fa + fc)
  agent.targets = place(fa + fc)
  agent.average = place(fa)
  agent.gradients = place(fa + fc)
  agent.undo = place(3 * fc)
  agent.actorMoments = place(2 * fa)
  agent.criticMoments = place(2 * fc)
  agent.actorSpace = place(<usize>actor.workspace * REAL)
  agent.criticSpace = place(<usize>critic.workspace * REAL)
  agent.io = place(<usize>agent.stride * REAL)
  agent.here = place(inputs)
  agent.there = place(inputs)
  agent.rule = place(n * <usize>agent.actionSize * REAL)
  agent.rewards = place(n * REAL)
  agent.terminated = place(n * REAL)
  agent.hasRule = place(n * REAL)
  agent.goals = place(n * REAL)
  agent.values = place(n * REAL)
  agent.pi = place(n * <usize>padded(agent.actionSize) * REAL)
  agent.indices = place(n << 2)
  agent.records = place(<usize>agent.capacity * <usize>agent.stride * REAL)
  return cursor
}

/** in → the hidden layers (ReLU) → out (linear; the actor's tanh is taken apart, its inputs are penalised). */
function planNet(net: usize, sizes: usize, shape: usize, inputs: i32, out: i32): void {
  const hidden = load<i32>(shape, 16)
  const activations = sizes + (<usize>(hidden + 2) << 2)
  store<i32>(sizes, inputs)
  for (let i: usize = 0; i < <usize>hidden; i++) {
    store<i32>(sizes + (i << 2), load<i32>(shape + (i << 2), 20), 4)
    store<i32>(activations + (i << 2), RELU)
  }
  store<i32>(activations - 4, out)
  store<i32>(activations + (<usize>hidden << 2), LINEAR)
  mlp_plan(net, hidden + 1, sizes, activations, load<i32>(shape, 8))
}

function headBytes(hidden: i32): usize {
  return (
    ((offsetof<Agent>() + 15) & ~15) + 2 * ((netBytes(hidden + 1) + 15) & ~15) + 2 * ((offsetof<AdamOptions>() + 15) & ~15) +
    RANDOM_BYTES + (((<usize>(2 * hidden + 3) << 2) + 15) & ~15)
  )
}

/** Bytes of a shape block: the shape's own words, then room in which an agent can be planned before it exists. */
export function ddpg_shape_bytes(hidden: i32): usize {
  return shapeWords(hidden) + headBytes(hidden)
}

function shapeWords(hidden: i32): usize {
  return ((<usize>(5 + hidden) << 2) + 15) & ~15
}

/** Bytes of an agent. */
export function ddpg_bytes(shape: usize): usize {
  const hidden = load<i32>(shape, 16)
  return layOut(shape + shapeWords(hidden), headBytes(hidden), shape)
}

/** Makes an agent in `base`, `ddpg_bytes` long: random nets, targets and average as copies, nothing stored. */
export function ddpg_create(base: usize, shape: usize, seedLow: i32, seedHigh: i32): void {
  layOut(base, base + headBytes(load<i32>(shape, 16)), shape)
  const agent = changetype<Agent>(base)
  const actorBytes = <usize>changetype<Net>(agent.actor).flat * REAL
  random_seed(agent.random, seedLow, seedHigh, 1)
  mlp_initialise(agent.actor, agent.live, agent.random)
  mlp_initialise(agent.critic, agent.live + actorBytes, agent.random)
  random_seed(agent.random, seedLow, seedHigh, 2)
  memory.copy(agent.targets, agent.live, actorBytes + <usize>changetype<Net>(agent.critic).flat * REAL)
  memory.copy(agent.average, agent.live, actorBytes)
}

/** Everything that stays as it is while the agent learns. */
export function ddpg_configure(
  pointer: usize, actorRate: f64, criticRate: f64, weightDecay: f64, maxNorm: f64, discount: f64, targetRate: f64, averageRate: f64,
  outputPenalty: f64, cloningWeight: f64,
): void {
  const agent = changetype<Agent>(pointer)
  adam_configure(agent.actorAdam, actorRate, 0.9, 0.999, 1e-8, weightDecay, maxNorm, 0)
  adam_configure(agent.criticAdam, criticRate, 0.9, 0.999, 1e-8, weightDecay, maxNorm, 0)
  agent.discount = discount
  agent.targetRate = targetRate
  agent.averageRate = averageRate
  agent.outputPenalty = outputPenalty
  agent.cloningWeight = cloningWeight
}
