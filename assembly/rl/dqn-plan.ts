// A DQN agent's block: who lies where, and what TypeScript may read and write of it. `dqn.ts` is what it does.
//
// N: batch, S: state, Z: context, A: actions, P: rings, G: groups of a batch; f: flat length of the net; every part is 16-byte aligned
//   head: Dqn | Net | AdamOptions | what off-policy.ts places | sizes i32[2h + 3]
//   body: online [f], target [f], first moments [f], second moments [f] | their last good copy [4 f] | gradients [f] | workspace
//         input [S + Z] | q [A] | here [N, S + Z] | there [N, S + Z] | action, best i32[N] | what off-policy.ts places
// Records have an action of one number, its index, and no rule.
import * as abi from '../abi'
import { REAL } from '../math/real'
import { beginPlan, place, placeRows, planned } from '../memory/plan'
import { adam_configure, AdamOptions } from '../nn/adam'
import { mlp_convert, mlp_initialise, Net, netBytes, planRelu } from '../nn/mlp'
import { random_seed } from '../random/xoshiro'
import { guardBlock, keepGood } from '../nn/last-good'
import { emptyRings, OffPolicy, OFF_POLICY_HEAD_BYTES, placeBatch, placeHead } from './off-policy'

// @ts-ignore: decorator
@unmanaged export class Dqn extends OffPolicy {
  actions: i32 = 0
  loss: i32 = 0
  isDouble: i32 = 0
  /** The target follows after every so many updates. */
  targetInterval: i32 = 0
  net: usize = 0
  adam: usize = 0
  online: usize = 0
  target: usize = 0
  moments: usize = 0
  gradients: usize = 0
  workspace: usize = 0
  /** The io record's state and the context; the values of both. */
  input: usize = 0
  q: usize = 0
  here: usize = 0
  there: usize = 0
  action: usize = 0
  /** Double: the online net's choice at what followed. */
  best: usize = 0
  discount: f64 = 0
  targetRate: f64 = 0
  lastLoss: f64 = 0
  meanQ: f64 = 0
}

// @ts-ignore: decorator
@inline export function netOf(dqn: Dqn): Net {
  return changetype<Net>(dqn.net)
}
/** Bytes of an input row: state, then context. */
// @ts-ignore: decorator
@inline export function inputRow(dqn: Dqn): usize {
  return <usize>(dqn.stateSize + dqn.contextSize) * REAL
}
/** Bytes of a block as long as the parameters. */
// @ts-ignore: decorator
@inline export function flatBytes(dqn: Dqn): usize {
  return <usize>netOf(dqn).flat * REAL
}

// shape i32: S, Z, A, N, capacity, P, G, h, then the h hidden sizes
// @ts-ignore: decorator
@inline const SHAPE_WORDS: usize = 8

// @ts-ignore: decorator
@inline function hiddenOf(shape: usize): i32 {
  return load<i32>(shape, 28)
}

/** Plans everything from `head` on and returns where it ends. */
function layOut(head: usize, shape: usize): f64 {
  const hidden = hiddenOf(shape)
  beginPlan(head)
  const dqn = changetype<Dqn>(place(offsetof<Dqn>()))
  dqn.stateSize = load<i32>(shape)
  dqn.actionSize = 1
  dqn.contextSize = load<i32>(shape, 4)
  dqn.actions = load<i32>(shape, 8)
  dqn.batch = load<i32>(shape, 12)
  dqn.capacity = load<i32>(shape, 16)
  dqn.partitions = load<i32>(shape, 20)
  dqn.maxGroups = load<i32>(shape, 24)
  dqn.net = place(netBytes(hidden + 1))
  dqn.adam = place(offsetof<AdamOptions>())
  placeHead(dqn)
  const sizes = placeRows(2 * hidden + 3, 4)
  planRelu(dqn.net, dqn.stateSize + dqn.contextSize, hidden, shape + (SHAPE_WORDS << 2), dqn.actions, dqn.batch, sizes)

  const n = dqn.batch, bytes = netOf(dqn).flatBytes
  dqn.online = place(bytes)
  dqn.target = place(bytes)
  dqn.moments = place(2.0 * bytes)
  dqn.guard.copy = place(4.0 * bytes)
  dqn.gradients = place(bytes)
  dqn.workspace = place(netOf(dqn).workspaceBytes)
  dqn.input = place(inputRow(dqn))
  dqn.q = placeRows(dqn.actions, REAL)
  dqn.here = placeRows(n, inputRow(dqn))
  dqn.there = placeRows(n, inputRow(dqn))
  dqn.action = placeRows(n, 4)
  dqn.best = placeRows(n, 4)
  placeBatch(dqn)
  return planned()
}

function shapeBytes(hidden: i32): usize {
  return (((SHAPE_WORDS + <usize>hidden) << 2) + 15) & ~15
}

/** Bytes of a shape block: the shape's own words, then room in which a head can be planned before it exists. */
export function dqn_shape_bytes(hidden: i32): f64 {
  return shapeBytes(hidden) + offsetof<Dqn>() + 512 + netBytes(hidden + 1) + (<usize>hidden << 3) + OFF_POLICY_HEAD_BYTES
}

/** Bytes of an agent. */
export function dqn_bytes(shape: usize): f64 {
  const head = shape + shapeBytes(hiddenOf(shape))
  return layOut(head, shape) - <f64>head
}

/** Makes an agent in `base`, `dqn_bytes` long: a random net, its target a copy, nothing stored, the null context [Z]. */
export function dqn_create(base: usize, shape: usize, seedLow: i32, seedHigh: i32): void {
  layOut(base, shape)
  const dqn = changetype<Dqn>(base)
  random_seed(dqn.random, seedLow, seedHigh, 1)
  mlp_initialise(dqn.net, dqn.online, dqn.random)
  random_seed(dqn.random, seedLow, seedHigh, 2)
  memory.copy(dqn.target, dqn.online, flatBytes(dqn))
  emptyRings(dqn)
  guardBlock(dqn.guard, dqn.online, 4 * flatBytes(dqn), dqn.guard.copy)
}

/**
 * Sets the loss (DQN_…), double Q-learning, Adam's options, γ, and how the target follows: by `targetRate` after every
 * `targetInterval` updates.
 */
export function dqn_configure(
  pointer: usize, loss: i32, isDouble: i32, learningRate: f64, weightDecay: f64, maxNorm: f64, discount: f64, targetRate: f64, targetInterval: i32,
): void {
  const dqn = changetype<Dqn>(pointer)
  adam_configure(dqn.adam, learningRate, 0.9, 0.999, 1e-8, weightDecay, maxNorm, 0)
  dqn.loss = loss
  dqn.isDouble = isDouble
  dqn.discount = discount
  dqn.targetRate = targetRate
  dqn.targetInterval = targetInterval
}

/** Where q [A] of the last values lies. */
export function dqn_q(pointer: usize): usize {
  return changetype<Dqn>(pointer).q
}

/** A figure or setting, `which` of DQN_LEARNING_RATE, DQN_LOSS, DQN_MEAN_Q; figures are those of the last update. */
export function dqn_get(pointer: usize, which: i32): f64 {
  const dqn = changetype<Dqn>(pointer)
  switch (which) {
    case abi.DQN_LEARNING_RATE: return changetype<AdamOptions>(dqn.adam).learningRate
    case abi.DQN_LOSS: return dqn.lastLoss
    default: return dqn.meanQ
  }
}

/** Sets what `dqn_get` reads. */
export function dqn_set(pointer: usize, which: i32, value: f64): void {
  const dqn = changetype<Dqn>(pointer)
  switch (which) {
    case abi.DQN_LEARNING_RATE: changetype<AdamOptions>(dqn.adam).learningRate = value; break
    case abi.DQN_LOSS: dqn.lastLoss = value; break
    case abi.DQN_MEAN_Q: dqn.meanQ = value; break
  }
}

/** Copies a flat block to (`toFlat`) or from the canonical layout [mlp_canonical]; what is set counts as good. */
export function dqn_convert(pointer: usize, which: i32, canonical: usize, toFlat: i32): void {
  const dqn = changetype<Dqn>(pointer)
  let block = dqn.gradients
  switch (which) {
    case abi.DQN_ONLINE: block = dqn.online; break
    case abi.DQN_TARGET: block = dqn.target; break
    case abi.DQN_FIRST_MOMENT: block = dqn.moments; break
    case abi.DQN_SECOND_MOMENT: block = dqn.moments + flatBytes(dqn); break
  }
  mlp_convert(dqn.net, block, canonical, toFlat)
  if (toFlat) keepGood(dqn.guard)
}

/** Numbers in the canonical layout. */
export function dqn_canonical(pointer: usize): f64 {
  return netOf(changetype<Dqn>(pointer)).canonical
}
