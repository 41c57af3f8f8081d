// A PPO agent's block: who lies where. `ppo.ts` is what it does.
//
// N: mini-batch, S: state, Z: context, G: global, W = S + Z + G: what the value net sees, the policy its first S + Z,
// A: outputs of the policy (categories of all H heads, or coordinates of a Gaussian), K: numbers of an action,
// C: capacity of the rollout, P: partitions; fp: flat length of the policy net and, for a Gaussian, its padded(A) log deviations;
// fv: flat length of the value net; every part is 16-byte aligned
//   head: Ppo | policy Net | value Net | policy AdamOptions | value AdamOptions | LastGood | random state | sizes
//         Choices | sizes of heads i32 [H] | normalisers, entropies f64 [H each]
//   body: live [fp + fv], policy moments m, v [2 fp], value moments m, v [2 fv] | their last good copy | gradients [fp + fv]
//         policy workspace | value workspace | io: state, next [W each], action, distribution [A each]
//         inputs [N, W] | advantages, log-probabilities, entropies, ratios f64 [4, N] | partitions of a mini-batch, drawn rows i32 [N each] | figures | order i32 [C]
//         desk: inputs [P, S + Z], actions [P, K] | contexts, slopes, slopes of a mini-batch [P, Z each] | rollout columns (rollout.ts)
import { padded, REAL } from '../math/real'
import { beginPlan, place, placeRows, planned } from '../memory/plan'
import { LINEAR } from '../nn/activation'
import { adam_configure, AdamOptions } from '../nn/adam'
import { mlp_initialise, mlp_plan, Net, netBytes } from '../nn/mlp'
import { initialiseOrthogonal } from '../nn/orthogonal'
import { RANDOM_BYTES, random_seed } from '../random/xoshiro'
import { guardBlock, LastGood } from '../nn/last-good'
import { Choices } from './choices'
import { choosePartitions, clearRollout, Rollout } from './rollout'

// @ts-ignore: decorator
@inline export const FIGURES: usize = 6

// @ts-ignore: decorator
@unmanaged export class Ppo extends Rollout {
  batch: i32 = 0
  /** A */
  outputs: i32 = 0
  /** 1: actions are real numbers around the policy's outputs; 0: an index a head of `choices`. */
  gaussian: i32 = 0
  choices: usize = 0
  /** 1: advantages are normalised in each mini-batch, 2: once in the whole rollout, 0: never. */
  normalise: i32 = 0
  /** Mini-batches are drawn with replacement instead of dealt out. */
  replacement: i32 = 0
  /** Returns without λ and without V(next). */
  monteCarlo: i32 = 0
  /** Gradients are clipped by the norm over both nets. */
  sharedNorm: i32 = 0
  updates: i32 = 0
  policy: usize = 0
  value: usize = 0
  policyAdam: usize = 0
  valueAdam: usize = 0
  guard: usize = 0
  random: usize = 0
  live: usize = 0
  policyMoments: usize = 0
  valueMoments: usize = 0
  gradients: usize = 0
  policySpace: usize = 0
  valueSpace: usize = 0
  io: usize = 0
  deskInputs: usize = 0
  deskActions: usize = 0
  inputs: usize = 0
  used: usize = 0
  batchLogProbabilities: usize = 0
  entropies: usize = 0
  ratios: usize = 0
  order: usize = 0
  drawn: usize = 0
  slopes: usize = 0
  batchSlopes: usize = 0
  batchPartitions: usize = 0
  discount: f64 = 0
  lambda: f64 = 0
  clip: f64 = 0
  /** 0: values are not clipped. */
  valueClip: f64 = 0
  valueWeight: f64 = 0
  entropyWeight: f64 = 0
  /** Mini-batches of this epoch that led to a step. */
  taken: i32 = 0
  /** f64 [FIGURES] each, by the names of abi.ts: the last mini-batch, the sums of an epoch, the means of the last one that took steps. */
  batchFigures: usize = 0
  sums: usize = 0
  figures: usize = 0
}

// @ts-ignore: decorator
@inline export function policyOf(ppo: Ppo): Net {
  return changetype<Net>(ppo.policy)
}
// @ts-ignore: decorator
@inline export function valueOf(ppo: Ppo): Net {
  return changetype<Net>(ppo.value)
}
// @ts-ignore: decorator
@inline export function choicesOf(ppo: Ppo): Choices {
  return changetype<Choices>(ppo.choices)
}
/** fp */
// @ts-ignore: decorator
@inline export function policyLength(ppo: Ppo): i32 {
  return policyOf(ppo).flat + (ppo.gaussian ? padded(ppo.outputs) : 0)
}
// @ts-ignore: decorator
@inline export function policyBytes(ppo: Ppo): usize {
  return <usize>policyLength(ppo) * REAL
}
// @ts-ignore: decorator
@inline export function valueBytes(ppo: Ppo): usize {
  return <usize>valueOf(ppo).flat * REAL
}
/** Where a Gaussian's log deviations lie in a block of the policy's shape. */
// @ts-ignore: decorator
@inline export function deviationsIn(ppo: Ppo, block: usize): usize {
  return block + <usize>policyOf(ppo).flat * REAL
}
/** Bytes of an input (state, context, global). */
// @ts-ignore: decorator
@inline export function inputRow(ppo: Ppo): usize {
  return <usize>ppo.width * REAL
}
/** Bytes of what the policy sees of an input (state, context), and of a row of the desk. */
// @ts-ignore: decorator
@inline export function deskRow(ppo: Ppo): usize {
  return <usize>(ppo.stateSize + ppo.contextSize) * REAL
}
// @ts-ignore: decorator
@inline export function ioNext(ppo: Ppo): usize {
  return ppo.io + inputRow(ppo)
}
// @ts-ignore: decorator
@inline export function ioAction(ppo: Ppo): usize {
  return ppo.io + 2 * inputRow(ppo)
}
// @ts-ignore: decorator
@inline export function ioDistribution(ppo: Ppo): usize {
  return ioAction(ppo) + <usize>ppo.outputs * REAL
}

// The shape's words: S, Z, G, A, gaussian, N, C, P, activation, h and h hidden sizes, H and H sizes of heads.
// @ts-ignore: decorator
@inline const HIDDEN: usize = 36

// @ts-ignore: decorator
@inline function hiddenOf(shape: usize): i32 {
  return load<i32>(shape, HIDDEN)
}
/** Where H stands. */
// @ts-ignore: decorator
@inline function headsIn(shape: usize): usize {
  return shape + HIDDEN + 4 + (<usize>hiddenOf(shape) << 2)
}

/** Plans everything from `head` on and returns where it ends. */
function layOut(head: usize, shape: usize): f64 {
  const hidden = hiddenOf(shape)
  beginPlan(head)
  const ppo = changetype<Ppo>(place(offsetof<Ppo>()))
  ppo.stateSize = load<i32>(shape)
  ppo.contextSize = load<i32>(shape, 4)
  ppo.globalSize = load<i32>(shape, 8)
  ppo.width = ppo.stateSize + ppo.contextSize + ppo.globalSize
  ppo.outputs = load<i32>(shape, 12)
  ppo.gaussian = load<i32>(shape, 16)
  ppo.actionWidth = ppo.gaussian ? ppo.outputs : load<i32>(headsIn(shape))
  ppo.batch = load<i32>(shape, 20)
  ppo.capacity = load<i32>(shape, 24)
  ppo.partitions = load<i32>(shape, 28)
  ppo.policy = place(netBytes(hidden + 1))
  ppo.value = place(netBytes(hidden + 1))
  ppo.policyAdam = place(offsetof<AdamOptions>())
  ppo.valueAdam = place(offsetof<AdamOptions>())
  ppo.guard = place(offsetof<LastGood>())
  ppo.random = place(RANDOM_BYTES)
  const sizes = placeRows(2 * hidden + 3, 4)
  planNet(ppo.policy, sizes, shape, ppo.stateSize + ppo.contextSize, ppo.outputs)
  planNet(ppo.value, sizes, shape, ppo.width, 1)
  placeChoices(ppo, headsIn(shape))

  const policy = policyOf(ppo), value = valueOf(ppo), n = <usize>ppo.batch
  const deviations = ppo.gaussian ? <usize>padded(ppo.outputs) * REAL : 0
  const bytes = policy.flatBytes + deviations + value.flatBytes
  ppo.live = place(3.0 * bytes)
  ppo.policyMoments = ppo.live + policyBytes(ppo) + valueBytes(ppo)
  ppo.valueMoments = ppo.policyMoments + 2 * policyBytes(ppo)
  changetype<LastGood>(ppo.guard).copy = place(3.0 * bytes)
  ppo.gradients = place(bytes)
  ppo.policySpace = place(policy.workspaceBytes)
  ppo.valueSpace = place(value.workspaceBytes)
  ppo.io = placeRows(2, inputRow(ppo) + <usize>ppo.outputs * REAL)
  ppo.inputs = placeRows(n, inputRow(ppo))
  ppo.used = placeRows(4, n << 3)
  ppo.batchLogProbabilities = ppo.used + (n << 3)
  ppo.entropies = ppo.used + (2 * n << 3)
  ppo.ratios = ppo.used + (3 * n << 3)
  ppo.batchPartitions = placeRows(n, 4)
  ppo.drawn = placeRows(n, 4)
  ppo.batchFigures = place(FIGURES << 3)
  ppo.sums = place(FIGURES << 3)
  ppo.figures = place(FIGURES << 3)
  placeRollout(ppo)
  return planned()
}

/** shape i32: H, then H sizes. Their sum is A, or the policy is a Gaussian and they say nothing. */
function placeChoices(ppo: Ppo, shape: usize): void {
  const heads = load<i32>(shape)
  ppo.choices = place(offsetof<Choices>())
  const choices = choicesOf(ppo)
  choices.heads = heads
  choices.sizes = placeRows(heads, 4)
  choices.normalisers = placeRows(heads, 8)
  choices.entropies = placeRows(heads, 8)
  memory.copy(choices.sizes, shape + 4, <usize>heads << 2)
}

function placeRollout(ppo: Ppo): void {
  const steps = ppo.capacity, partitions = ppo.partitions
  ppo.deskInputs = placeRows(partitions, deskRow(ppo))
  ppo.deskActions = placeRows(partitions, <usize>ppo.actionWidth * REAL)
  const context = <usize>ppo.contextSize * REAL
  ppo.contexts = placeRows(partitions, context)
  ppo.slopes = placeRows(partitions, context)
  ppo.batchSlopes = placeRows(partitions, context)
  ppo.states = placeRows(steps, inputRow(ppo))
  ppo.nexts = placeRows(steps, inputRow(ppo))
  ppo.actions = placeRows(steps, <usize>ppo.actionWidth * REAL)
  ppo.rewards = placeRows(steps, 8)
  ppo.logProbabilities = placeRows(steps, 8)
  ppo.values = placeRows(steps, 8)
  ppo.nextValues = placeRows(steps, 8)
  ppo.advantages = placeRows(steps, 8)
  ppo.returns = placeRows(steps, 8)
  ppo.ends = placeRows(steps, 4)
  ppo.partitionOf = placeRows(steps, 4)
  ppo.order = placeRows(steps, 4)
  ppo.lastRows = placeRows(partitions, 4)
  ppo.chosen = placeRows(partitions, 4)
  ppo.isChosen = placeRows(partitions, 4)
  ppo.carry = placeRows(partitions, 8)
}

/** in → the hidden layers (one activation) → out (linear). */
function planNet(net: usize, sizes: usize, shape: usize, inputs: i32, out: i32): void {
  const hidden = hiddenOf(shape)
  const activations = sizes + (<usize>(hidden + 2) << 2)
  store<i32>(sizes, inputs)
  for (let i: usize = 0; i < <usize>hidden; i++) {
    store<i32>(sizes + (i << 2), load<i32>(shape + (i << 2), HIDDEN + 4), 4)
    store<i32>(activations + (i << 2), load<i32>(shape, 32))
  }
  store<i32>(activations - 4, out)
  store<i32>(activations + (<usize>hidden << 2), LINEAR)
  mlp_plan(net, hidden + 1, sizes, activations, load<i32>(shape, 20))
}

function shapeWords(hidden: i32, heads: i32): usize {
  return ((<usize>(11 + hidden + heads) << 2) + 15) & ~15
}

/** Bytes of a shape block: the shape's own words, then room in which a head can be planned before it exists. */
export function ppo_shape_bytes(hidden: i32, heads: i32): f64 {
  return shapeWords(hidden, heads) + offsetof<Ppo>() + 640 + 2 * netBytes(hidden + 1) + (<usize>hidden << 3) + <usize>heads * 20
}

/** Bytes of an agent. */
export function ppo_bytes(shape: usize): f64 {
  const head = shape + shapeWords(hiddenOf(shape), load<i32>(headsIn(shape)))
  return layOut(head, shape) - <f64>head
}

/**
 * Makes an agent in `base`, `ppo_bytes` long: random nets, an empty rollout, null contexts [P, Z].
 * orthogonal: gains √2, .01 for the policy's outputs and 1 for the value, biases 0 (CleanRL); otherwise uniform in ±1/sqrt(in).
 */
export function ppo_create(base: usize, shape: usize, orthogonal: i32, seedLow: i32, seedHigh: i32): void {
  layOut(base, shape)
  const ppo = changetype<Ppo>(base)
  random_seed(ppo.random, seedLow, seedHigh, 1)
  const value = ppo.live + policyBytes(ppo)
  if (orthogonal) {
    initialiseOrthogonal(policyOf(ppo), ppo.live, ppo.random, Math.sqrt(2.0), 0.01)
    initialiseOrthogonal(valueOf(ppo), value, ppo.random, Math.sqrt(2.0), 1.0)
  } else {
    mlp_initialise(ppo.policy, ppo.live, ppo.random)
    mlp_initialise(ppo.value, value, ppo.random)
  }
  random_seed(ppo.random, seedLow, seedHigh, 2)
  clearRollout(ppo)
  for (let p = 0; p < ppo.partitions; p++) store<i32>(ppo.chosen + (<usize>p << 2), p)
  choosePartitions(ppo, ppo.partitions)
  guardBlock(changetype<LastGood>(ppo.guard), ppo.live, 3 * (policyBytes(ppo) + valueBytes(ppo)), changetype<LastGood>(ppo.guard).copy)
}

/** How the optimisers step. */
export function ppo_configure_adam(
  pointer: usize, policyRate: f64, valueRate: f64, epsilon: f64, maxNorm: f64, sharedNorm: i32,
): void {
  const ppo = changetype<Ppo>(pointer)
  adam_configure(ppo.policyAdam, policyRate, 0.9, 0.999, epsilon, 0.0, maxNorm, 0)
  adam_configure(ppo.valueAdam, valueRate, 0.9, 0.999, epsilon, 0.0, maxNorm, 0)
  ppo.sharedNorm = sharedNorm
}

/** What the loss is and how mini-batches are made. */
export function ppo_configure(
  pointer: usize, discount: f64, lambda: f64, monteCarlo: i32, clip: f64, valueClip: f64, valueWeight: f64, entropyWeight: f64,
  normalise: i32, replacement: i32,
): void {
  const ppo = changetype<Ppo>(pointer)
  ppo.discount = discount
  ppo.lambda = lambda
  ppo.monteCarlo = monteCarlo
  ppo.clip = clip
  ppo.valueClip = valueClip
  ppo.valueWeight = valueWeight
  ppo.entropyWeight = entropyWeight
  ppo.normalise = normalise
  ppo.replacement = replacement
}
