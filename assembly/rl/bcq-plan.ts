// A BCQ agent's block: who lies where. `bcq.ts` is what it does, `bcq-vae.ts` its generative model.
//
// N: batch, S: state, A: action, Z: latent, K: candidates of a target, C: candidates when acting, R: max(N K, C) rows
// five nets, one flat block after the other: encoder (S+A)-h-2Z | decoder (S+Z)-h-A | perturbation (S+A)-h-A | two critics (S+A)-h-1
//   head: Bcq | four Nets (the critics share one) | AdamOptions | LastGood | random state | sizes i32[2h + 3]
//   body: live [f] | moments m, v [2 f] | targets [perturbation and critics] | the last good of these | gradients [f]
//         four workspaces | io record | here [N, S + A] | next [N, S] | reward, terminated, goal, value [N]
//         noise [N, Z] | deviations [N, Z] | policy latents [N, Z] | target latents [N K, Z] | acting latents [C, Z]
//         codes [R, S + Z] | inputs [R, S + A] | moved [R, S + A] | first values [R] | indices i32[N] | replay records
import { BCQ_ENCODER, BCQ_PERTURBATION, BCQ_SECOND_CRITIC } from '../abi'
import { Real, REAL } from '../math/real'
import { beginPlan, countOf, place, placeRows, planned } from '../memory/plan'
import { LINEAR, RELU, TANH } from '../nn/activation'
import { adam_configure, AdamOptions } from '../nn/adam'
import { mlp_initialise, mlp_plan, Net, netBytes } from '../nn/mlp'
import { RANDOM_BYTES, random_normal, random_seed } from '../random/xoshiro'
import { guardBlock, LastGood } from '../nn/last-good'
import { recordStride, Replay } from './pair-replay'

// @ts-ignore: decorator
@unmanaged export class Bcq extends Replay {
  latentSize: i32 = 0
  batch: i32 = 0
  targetCandidates: i32 = 0
  actingCandidates: i32 = 0
  updates: i32 = 0
  /** Numbers of the live block. */
  flat: i32 = 0
  encoder: usize = 0
  decoder: usize = 0
  perturbation: usize = 0
  critic: usize = 0
  adam: usize = 0
  guard: usize = 0
  random: usize = 0
  live: usize = 0
  moments: usize = 0
  targets: usize = 0
  /** Bytes of these three, and where their last good copy lies. */
  guarded: usize = 0
  good: usize = 0
  gradients: usize = 0
  encoderSpace: usize = 0
  decoderSpace: usize = 0
  perturbationSpace: usize = 0
  criticSpace: usize = 0
  /** The record that TypeScript fills and reads. */
  io: usize = 0
  here: usize = 0
  next: usize = 0
  rewards: usize = 0
  terminated: usize = 0
  /** What the critics should have said, and what the first one said. */
  goals: usize = 0
  values: usize = 0
  noise: usize = 0
  deviations: usize = 0
  policyLatents: usize = 0
  targetLatents: usize = 0
  actingLatents: usize = 0
  /** Inputs of the decoder; of the perturbation; of the critics. */
  codes: usize = 0
  inputs: usize = 0
  moved: usize = 0
  firstValues: usize = 0
  indices: usize = 0
  discount: f64 = 0
  targetRate: f64 = 0
  /** φ: how far the perturbation may move an action. */
  reach: f64 = 0
  /** λ of λ min(Q1, Q2) + (1 − λ) max(Q1, Q2). */
  pessimism: f64 = 0
  divergenceWeight: f64 = 0
  latentBound: f64 = 0
  reconstructionLoss: f64 = 0
  divergence: f64 = 0
  criticLoss: f64 = 0
  actorLoss: f64 = 0
  meanQ: f64 = 0
}

// Words of a shape: S, A, N, capacity, Z, K, C, h, then the h hidden sizes.
// @ts-ignore: decorator
@inline const SHAPE_HIDDEN: usize = 28

/** Fills the head and returns where the body ends. */
function layOut(head: usize, body: usize, shape: usize): f64 {
  const hidden = load<i32>(shape, SHAPE_HIDDEN)
  beginPlan(head)
  const bcq = changetype<Bcq>(place(offsetof<Bcq>()))
  bcq.stateSize = load<i32>(shape)
  bcq.actionSize = load<i32>(shape, 4)
  bcq.batch = load<i32>(shape, 8)
  bcq.capacity = load<i32>(shape, 12)
  bcq.latentSize = load<i32>(shape, 16)
  bcq.targetCandidates = load<i32>(shape, 20)
  bcq.actingCandidates = load<i32>(shape, 24)
  bcq.stride = recordStride(bcq.stateSize, bcq.actionSize)
  const candidates = <f64>bcq.batch * bcq.targetCandidates
  const rows = countOf(max<f64>(candidates, bcq.actingCandidates))
  bcq.encoder = place(netBytes(hidden + 1))
  bcq.decoder = place(netBytes(hidden + 1))
  bcq.perturbation = place(netBytes(hidden + 1))
  bcq.critic = place(netBytes(hidden + 1))
  bcq.adam = place(offsetof<AdamOptions>())
  bcq.guard = place(offsetof<LastGood>())
  bcq.random = place(RANDOM_BYTES)
  const sizes = placeRows(2 * hidden + 3, 4)
  const both = bcq.stateSize + bcq.actionSize
  planNet(bcq.encoder, sizes, shape, both, 2 * bcq.latentSize, LINEAR, bcq.batch)
  planNet(bcq.decoder, sizes, shape, bcq.stateSize + bcq.latentSize, bcq.actionSize, TANH, rows)
  planNet(bcq.perturbation, sizes, shape, both, bcq.actionSize, TANH, rows)
  planNet(bcq.critic, sizes, shape, both, 1, LINEAR, rows)

  const encoder = changetype<Net>(bcq.encoder), decoder = changetype<Net>(bcq.decoder)
  const perturbation = changetype<Net>(bcq.perturbation), critic = changetype<Net>(bcq.critic)
  const generative = encoder.flatBytes + decoder.flatBytes
  const bytes = generative + perturbation.flatBytes + 2.0 * critic.flatBytes
  bcq.flat = countOf(bytes / REAL)
  const n = bcq.batch, record = <usize>bcq.stride * REAL
  const latent = <usize>bcq.latentSize * REAL, state = <usize>bcq.stateSize * REAL, input = <usize>both * REAL
  beginPlan(body)
  bcq.live = place(bytes)
  bcq.moments = place(2.0 * bytes)
  bcq.targets = place(bytes - generative)
  bcq.good = place(planned() - body)
  bcq.guarded = bcq.good - bcq.live
  bcq.gradients = place(bytes)
  bcq.encoderSpace = place(encoder.workspaceBytes)
  bcq.decoderSpace = place(decoder.workspaceBytes)
  bcq.perturbationSpace = place(perturbation.workspaceBytes)
  bcq.criticSpace = place(critic.workspaceBytes)
  bcq.io = place(record)
  bcq.here = placeRows(n, input)
  bcq.next = placeRows(n, state)
  bcq.rewards = placeRows(n, REAL)
  bcq.terminated = placeRows(n, REAL)
  bcq.goals = placeRows(n, REAL)
  bcq.values = placeRows(n, REAL)
  bcq.noise = placeRows(n, latent)
  bcq.deviations = placeRows(n, latent)
  bcq.policyLatents = placeRows(n, latent)
  bcq.targetLatents = placeRows(candidates, latent)
  bcq.actingLatents = placeRows(bcq.actingCandidates, latent)
  bcq.codes = placeRows(rows, state + latent)
  bcq.inputs = placeRows(rows, input)
  bcq.moved = placeRows(rows, input)
  bcq.firstValues = placeRows(rows, REAL)
  bcq.indices = placeRows(n, 4)
  bcq.records = placeRows(bcq.capacity, record)
  return planned()
}

/** in → the hidden layers (ReLU) → out. */
function planNet(net: usize, sizes: usize, shape: usize, inputs: i32, out: i32, last: i32, maxBatch: i32): void {
  const hidden = load<i32>(shape, SHAPE_HIDDEN)
  const activations = sizes + (<usize>(hidden + 2) << 2)
  store<i32>(sizes, inputs)
  for (let i: usize = 0; i < <usize>hidden; i++) {
    store<i32>(sizes + (i << 2), load<i32>(shape + (i << 2), SHAPE_HIDDEN + 4), 4)
    store<i32>(activations + (i << 2), RELU)
  }
  store<i32>(activations - 4, out)
  store<i32>(activations + (<usize>hidden << 2), last)
  mlp_plan(net, hidden + 1, sizes, activations, maxBatch)
}

export function netOf(bcq: Bcq, which: i32): Net {
  if (which == BCQ_ENCODER) return changetype<Net>(bcq.encoder)
  if (which < BCQ_PERTURBATION) return changetype<Net>(bcq.decoder)
  return changetype<Net>(which == BCQ_PERTURBATION ? bcq.perturbation : bcq.critic)
}

/** Bytes from the start of a block like `live` to a net's part of it. */
export function offsetOf(bcq: Bcq, which: i32): usize {
  let numbers = 0
  for (let i = 0; i < which; i++) numbers += netOf(bcq, i).flat
  return <usize>numbers * REAL
}

/** Parameters of a net that has a target: perturbation or critic. */
export function targetOf(bcq: Bcq, which: i32): usize {
  return bcq.targets + offsetOf(bcq, which) - offsetOf(bcq, BCQ_PERTURBATION)
}

function headBytes(hidden: i32): usize {
  return (
    ((offsetof<Bcq>() + 15) & ~15) + 4 * ((netBytes(hidden + 1) + 15) & ~15) + ((offsetof<AdamOptions>() + 15) & ~15) +
    ((offsetof<LastGood>() + 15) & ~15) + RANDOM_BYTES + (((<usize>(2 * hidden + 3) << 2) + 15) & ~15)
  )
}

/** Bytes of a shape block: the shape's own words, then room in which an agent can be planned before it exists. */
export function bcq_shape_bytes(hidden: i32): f64 {
  return shapeWords(hidden) + headBytes(hidden)
}

function shapeWords(hidden: i32): usize {
  return (SHAPE_HIDDEN + 4 + (<usize>hidden << 2) + 15) & ~15
}

/** Bytes of an agent. */
export function bcq_bytes(shape: usize): f64 {
  const hidden = load<i32>(shape, SHAPE_HIDDEN)
  return layOut(shape + shapeWords(hidden), headBytes(hidden), shape)
}

/**
 * Makes an agent in `base`, `bcq_bytes` long: random nets, targets as copies, nothing stored, acting latents [C, Z]. The
 * latents that it acts with are
 * drawn here, once, so that acting is a function of the state; the first of them is the middle of the prior.
 */
export function bcq_create(base: usize, shape: usize, seedLow: i32, seedHigh: i32, latentBound: f64): void {
  layOut(base, base + headBytes(load<i32>(shape, SHAPE_HIDDEN)), shape)
  const bcq = changetype<Bcq>(base)
  bcq.latentBound = latentBound
  random_seed(bcq.random, seedLow, seedHigh, 1)
  for (let net = BCQ_ENCODER; net <= BCQ_SECOND_CRITIC; net++) {
    mlp_initialise(changetype<usize>(netOf(bcq, net)), bcq.live + offsetOf(bcq, net), bcq.random)
  }
  const generative = offsetOf(bcq, BCQ_PERTURBATION)
  memory.copy(bcq.targets, bcq.live + generative, <usize>bcq.flat * REAL - generative)
  guardBlock(changetype<LastGood>(bcq.guard), bcq.live, bcq.guarded, bcq.good)
  const z = <usize>bcq.latentSize * REAL
  drawLatents(bcq, bcq.actingLatents + z, (bcq.actingCandidates - 1) * bcq.latentSize)
  random_seed(bcq.random, seedLow, seedHigh, 2)
}

/** n normals cut at ± the latent bound. */
export function drawLatents(bcq: Bcq, out: usize, n: i32): void {
  const bound = bcq.latentBound
  for (let i: usize = 0; i < <usize>n * REAL; i += REAL) {
    store<Real>(out + i, <Real>max(-bound, min(bound, random_normal(bcq.random))))
  }
}

/** Everything that stays as it is while the agent learns. */
export function bcq_configure(
  pointer: usize, learningRate: f64, discount: f64, targetRate: f64, reach: f64, pessimism: f64, divergenceWeight: f64,
): void {
  const bcq = changetype<Bcq>(pointer)
  adam_configure(bcq.adam, learningRate, 0.9, 0.999, 1e-8, 0, 0, 0)
  bcq.discount = discount
  bcq.targetRate = targetRate
  bcq.reach = reach
  bcq.pessimism = pessimism
  bcq.divergenceWeight = divergenceWeight
}
