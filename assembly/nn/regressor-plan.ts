// A regressor's block: who lies where, and what TypeScript may read and write of it. `regressor.ts` is what it does.
//
// N: rows of a batch, F: features, Z: context, O: outputs, G: groups; f: flat length of the net; every part is 16-byte aligned
//   head: Regressor | Net | AdamOptions | LastGood | random state | sizes i32[2h + 3]
//   body: parameters [f], first moments [f], second moments [f] | their last good copy [3 f] | gradients [f] | workspace | masks
//         inputs [N, F + Z] | goals [N, O] | predictions [N, O] | groupOf i32[N] | context [Z] | contexts [G, Z] | slopes [G, Z]
import * as abi from '../abi'
import { REAL } from '../math/real'
import { beginPlan, place, placeRows, planned } from '../memory/plan'
import { RANDOM_BYTES, random_seed } from '../random/xoshiro'
import { guardBlock, keepGood, LastGood } from './last-good'
import { adam_configure, AdamOptions } from './adam'
import { mlp_convert, mlp_initialise, Net, netBytes, planRelu } from './mlp'

// @ts-ignore: decorator
@unmanaged export class Regressor {
  featureSize: i32 = 0
  contextSize: i32 = 0
  outputSize: i32 = 0
  /** Most rows of a batch. */
  batch: i32 = 0
  loss: i32 = 0
  updates: i32 = 0
  net: usize = 0
  adam: usize = 0
  guard: usize = 0
  random: usize = 0
  parameters: usize = 0
  gradients: usize = 0
  workspace: usize = 0
  masks: usize = 0
  inputs: usize = 0
  goals: usize = 0
  predictions: usize = 0
  groupOf: usize = 0
  context: usize = 0
  contexts: usize = 0
  slopes: usize = 0
  dropout: f64 = 0
  /** Of the rows now differentiated, and of the last step done. */
  batchLoss: f64 = 0
  lastLoss: f64 = 0
}

// @ts-ignore: decorator
@inline export function netOf(regressor: Regressor): Net {
  return changetype<Net>(regressor.net)
}
/** Bytes of an input row: features, then context. */
// @ts-ignore: decorator
@inline export function inputRow(regressor: Regressor): usize {
  return <usize>(regressor.featureSize + regressor.contextSize) * REAL
}
/** Bytes of a block as long as the parameters. */
// @ts-ignore: decorator
@inline export function flatBytes(regressor: Regressor): usize {
  return <usize>netOf(regressor).flat * REAL
}

/** Bytes of a row of x. */
// @ts-ignore: decorator
@inline export function featureBytes(regressor: Regressor): usize {
  return <usize>regressor.featureSize * REAL
}

/** Plans everything from `head` on and returns where it ends. shape i32: F, Z, O, N, G, h, then the h hidden sizes. */
function layOut(head: usize, shape: usize): f64 {
  const hidden = load<i32>(shape, 20)
  const n = load<i32>(shape, 12), groups = load<i32>(shape, 16)
  beginPlan(head)
  const regressor = changetype<Regressor>(place(offsetof<Regressor>()))
  regressor.featureSize = load<i32>(shape)
  regressor.contextSize = load<i32>(shape, 4)
  regressor.outputSize = load<i32>(shape, 8)
  regressor.batch = n
  regressor.net = place(netBytes(hidden + 1))
  regressor.adam = place(offsetof<AdamOptions>())
  regressor.guard = place(offsetof<LastGood>())
  regressor.random = place(RANDOM_BYTES)
  const sizes = place(<usize>(2 * hidden + 3) << 2)
  planRelu(regressor.net, regressor.featureSize + regressor.contextSize, hidden, shape + 24, regressor.outputSize, n, sizes)

  const net = netOf(regressor)
  const outputBytes = <usize>regressor.outputSize * REAL, contextBytes = <usize>regressor.contextSize * REAL
  regressor.parameters = place(3.0 * net.flatBytes)
  changetype<LastGood>(regressor.guard).copy = place(3.0 * net.flatBytes)
  regressor.gradients = place(net.flatBytes)
  regressor.workspace = place(net.workspaceBytes)
  regressor.masks = place(net.maskBytes)
  regressor.inputs = placeRows(n, inputRow(regressor))
  regressor.goals = placeRows(n, outputBytes)
  regressor.predictions = placeRows(n, outputBytes)
  regressor.groupOf = placeRows(n, 4)
  regressor.context = place(contextBytes)
  regressor.contexts = placeRows(groups, contextBytes)
  regressor.slopes = placeRows(groups, contextBytes)
  return planned()
}

/** Bytes of a shape block: the shape's own words, then room in which a head can be planned before it exists. */
export function regressor_shape_bytes(hidden: i32): f64 {
  return shapeWords(hidden) + 512 + netBytes(hidden + 1) + (<usize>hidden << 3)
}

function shapeWords(hidden: i32): usize {
  return ((<usize>(6 + hidden) << 2) + 15) & ~15
}

/** Bytes of a regressor. */
export function regressor_bytes(shape: usize): f64 {
  const head = shape + shapeWords(load<i32>(shape, 20))
  return layOut(head, shape) - <f64>head
}

/** Makes a regressor in `base`, `regressor_bytes` long: a random net, the null context [Z]. shape: see `regressor_bytes`. */
export function regressor_create(base: usize, shape: usize, seedLow: i32, seedHigh: i32): void {
  layOut(base, shape)
  const regressor = changetype<Regressor>(base)
  random_seed(regressor.random, seedLow, seedHigh, 1)
  mlp_initialise(regressor.net, regressor.parameters, regressor.random)
  random_seed(regressor.random, seedLow, seedHigh, 2)
  const guard = changetype<LastGood>(regressor.guard)
  guardBlock(guard, regressor.parameters, 3 * flatBytes(regressor), guard.copy)
}

/** Sets the loss (REGRESSOR_…), Adam's options and the share of hidden outputs dropped while learning; maxNorm 0: no clipping. */
export function regressor_configure(pointer: usize, loss: i32, learningRate: f64, weightDecay: f64, maxNorm: f64, dropout: f64): void {
  const regressor = changetype<Regressor>(pointer)
  adam_configure(regressor.adam, learningRate, 0.9, 0.999, 1e-8, weightDecay, maxNorm, 0)
  regressor.loss = loss
  regressor.dropout = dropout
}

/**
 * Where a part lies, `which` of REGRESSOR_INPUTS … REGRESSOR_RANDOM, else the last good copy: inputs [N, F + Z], goals and
 * predictions [N, O], groups i32 [N], context [Z], contexts and slopes [G, Z].
 */
export function regressor_pointer(pointer: usize, which: i32): usize {
  const regressor = changetype<Regressor>(pointer)
  switch (which) {
    case abi.REGRESSOR_INPUTS: return regressor.inputs
    case abi.REGRESSOR_GOALS: return regressor.goals
    case abi.REGRESSOR_GROUPS: return regressor.groupOf
    case abi.REGRESSOR_CONTEXT: return regressor.context
    case abi.REGRESSOR_CONTEXTS: return regressor.contexts
    case abi.REGRESSOR_SLOPES: return regressor.slopes
    case abi.REGRESSOR_PREDICTIONS: return regressor.predictions
    case abi.REGRESSOR_RANDOM: return regressor.random
    default: return regressor.guard
  }
}

/** The learning rate, the loss of the last update, or the number of updates. */
export function regressor_get(pointer: usize, which: i32): f64 {
  const regressor = changetype<Regressor>(pointer)
  switch (which) {
    case abi.REGRESSOR_LEARNING_RATE: return changetype<AdamOptions>(regressor.adam).learningRate
    case abi.REGRESSOR_LOSS: return regressor.lastLoss
    default: return <f64>regressor.updates
  }
}

/** Sets what `regressor_get` reads. */
export function regressor_set(pointer: usize, which: i32, value: f64): void {
  const regressor = changetype<Regressor>(pointer)
  switch (which) {
    case abi.REGRESSOR_LEARNING_RATE: changetype<AdamOptions>(regressor.adam).learningRate = value; break
    case abi.REGRESSOR_LOSS: regressor.lastLoss = value; break
    case abi.REGRESSOR_UPDATES: regressor.updates = <i32>value; break
  }
}

/** Copies a flat block to (`toFlat`) or from the canonical layout [regressor_canonical]; what is set counts as good. */
export function regressor_convert(pointer: usize, which: i32, canonical: usize, toFlat: i32): void {
  const regressor = changetype<Regressor>(pointer)
  let block = regressor.gradients
  switch (which) {
    case abi.REGRESSOR_PARAMETERS: block = regressor.parameters; break
    case abi.REGRESSOR_FIRST_MOMENT: block = regressor.parameters + flatBytes(regressor); break
    case abi.REGRESSOR_SECOND_MOMENT: block = regressor.parameters + 2 * flatBytes(regressor); break
  }
  mlp_convert(regressor.net, block, canonical, toFlat)
  if (toFlat) keepGood(changetype<LastGood>(regressor.guard))
}

/** Numbers in the canonical layout. */
export function regressor_canonical(pointer: usize): f64 {
  return netOf(changetype<Regressor>(pointer)).canonical
}
