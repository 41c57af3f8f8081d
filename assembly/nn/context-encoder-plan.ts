// A context encoder's block: who lies where. context-encoder.ts is what it does.
//
// G: contexts, M: sequences of a context, T: steps of a sequence, I: inputs of a step, W: pooled features, Z: embedding
// fp, fd: flat lengths of the pooled net (step net or GRU) and of the dense net; every part is 16-byte aligned
//   head: Encoder | LastGood | pool (Net or Gru) | dense Net | AdamOptions | random state | sizes of both nets
//   body: live [fp + fd], moments m, v [2 (fp + fd)] | their last good copy | gradients [fp + fd] | pool workspace | dense workspace
//         steps [G·M·T, I], the sequences one after another | lengths i32[G·M] | counts i32[G]: sequences of each context
//         states [U, G·M, H] of U recurrent units | pooled [G, padded(W)] | mask [G, padded(W)] | embeddings [G, Z] | slopes [G, Z]
import * as abi from '../abi'
import { padded, REAL } from '../math/real'
import { beginPlan, countOf, place, placeRows, planned } from '../memory/plan'
import { RANDOM_BYTES, random_seed } from '../random/xoshiro'
import { guardBlock, keepGood, LastGood } from './last-good'
import { RELU } from './activation'
import { adam_configure, AdamOptions } from './adam'
import { Gru, gru_convert, gru_initialise, gru_plan, gru_plan_bytes } from './gru-plan'
import { mlp_convert, mlp_initialise, mlp_plan, Net, netBytes } from './mlp'

/** Steps that pass the step net at once: what it computes for them stays in the second-level cache. */
// @ts-ignore: decorator
@inline export const STEP_CHUNK: i32 = 256

// @ts-ignore: decorator
@unmanaged export class Encoder {
  kind: i32 = 0
  inputs: i32 = 0
  hidden: i32 = 0
  layers: i32 = 0
  /** 1: the final states of all layers are pooled, not only the top layer's. */
  allHidden: i32 = 0
  /** Most contexts of a batch, sequences of a context, steps of a sequence. */
  contexts: i32 = 0
  sequences: i32 = 0
  steps: i32 = 0
  /** W */
  width: i32 = 0
  /** Z */
  size: i32 = 0
  poolFlat: i32 = 0
  flat: i32 = 0
  updates: i32 = 0
  guard: LastGood = changetype<LastGood>(0)
  pool: usize = 0
  dense: usize = 0
  adam: usize = 0
  random: usize = 0
  sizes: usize = 0
  live: usize = 0
  moments: usize = 0
  good: usize = 0
  gradients: usize = 0
  poolSpace: usize = 0
  denseSpace: usize = 0
  x: usize = 0
  lengths: usize = 0
  counts: usize = 0
  states: usize = 0
  pooled: usize = 0
  mask: usize = 0
  embeddings: usize = 0
  slopes: usize = 0
  dropout: f64 = 0
}

// shape i32: kind, I, H, layers, allHidden, G, M, T, activation, d, then the d widths of the dense net
// @ts-ignore: decorator
@inline const SHAPE_WORDS: i32 = 10

// @ts-ignore: decorator
@inline function layersOf(shape: usize): i32 {
  return load<i32>(shape, 12)
}
// @ts-ignore: decorator
@inline function denseOf(shape: usize): i32 {
  return load<i32>(shape, 36)
}

/** Fills the head and returns where it ends. */
function layOutHead(head: usize, shape: usize): usize {
  const layers = layersOf(shape), dense = denseOf(shape)
  beginPlan(head)
  const encoder = changetype<Encoder>(place(offsetof<Encoder>()))
  encoder.kind = load<i32>(shape)
  encoder.inputs = load<i32>(shape, 4)
  encoder.hidden = load<i32>(shape, 8)
  encoder.layers = layers
  encoder.allHidden = load<i32>(shape, 16)
  encoder.contexts = load<i32>(shape, 20)
  encoder.sequences = load<i32>(shape, 24)
  encoder.steps = load<i32>(shape, 28)
  encoder.guard = changetype<LastGood>(place(offsetof<LastGood>()))
  encoder.pool = place(encoder.kind == abi.ENCODER_GRU ? gru_plan_bytes() : netBytes(layers))
  encoder.dense = place(netBytes(dense))
  encoder.adam = place(offsetof<AdamOptions>())
  encoder.random = place(RANDOM_BYTES)
  encoder.sizes = placeRows(2 * max(layers, dense) + 1, 4)
  return <usize>planned()
}

/** Plans the nets and the body, and returns where it ends. */
function layOutBody(encoder: Encoder, body: usize, shape: usize): f64 {
  const poolSpace = planPool(encoder)
  planDense(encoder, shape)
  const dense = changetype<Net>(encoder.dense)
  const bytes = poolFlatBytes(encoder) + dense.flatBytes
  encoder.flat = countOf(bytes / REAL)
  const contexts = <f64>encoder.contexts, sequences = contexts * encoder.sequences
  const embedding = <usize>encoder.size * REAL, pooled = <usize>padded(encoder.width) * REAL
  beginPlan(body)
  encoder.live = place(bytes)
  encoder.moments = place(2.0 * bytes)
  encoder.good = place(3.0 * bytes)
  encoder.gradients = place(bytes)
  encoder.poolSpace = place(poolSpace)
  encoder.denseSpace = place(dense.workspaceBytes)
  encoder.x = placeRows(sequences * encoder.steps, <usize>encoder.inputs * REAL)
  encoder.lengths = placeRows(sequences, 4)
  encoder.counts = placeRows(contexts, 4)
  encoder.states = placeRows(encoder.kind == abi.ENCODER_GRU ? sequences * (2 * encoder.layers) : 0, <usize>encoder.hidden * REAL)
  encoder.pooled = placeRows(contexts, pooled)
  encoder.mask = placeRows(contexts, pooled)
  encoder.embeddings = placeRows(contexts, embedding)
  encoder.slopes = placeRows(contexts, embedding)
  return planned()
}

// @ts-ignore: decorator
@inline function poolFlatBytes(encoder: Encoder): f64 {
  return encoder.kind == abi.ENCODER_GRU ? changetype<Gru>(encoder.pool).flatBytes : changetype<Net>(encoder.pool).flatBytes
}

/** Plans the net before the mean; returns the bytes of its workspace. */
function planPool(encoder: Encoder): f64 {
  if (encoder.kind == abi.ENCODER_GRU) {
    encoder.width = countOf(2.0 * (encoder.allHidden ? encoder.layers : 1) * encoder.hidden)
    const sequences = countOf(<f64>encoder.contexts * encoder.sequences)
    gru_plan(encoder.pool, encoder.inputs, encoder.hidden, encoder.layers, 2, sequences, encoder.steps)
    const gru = changetype<Gru>(encoder.pool)
    encoder.poolFlat = countOf(gru.flatBytes / REAL)
    return gru.workspaceBytes
  }
  encoder.width = encoder.hidden
  const sizes = encoder.sizes
  const activations = sizes + (<usize>(encoder.layers + 1) << 2)
  store<i32>(sizes, encoder.inputs)
  for (let i: usize = 0; i < <usize>encoder.layers; i++) {
    store<i32>(sizes + (i << 2), encoder.hidden, 4)
    store<i32>(activations + (i << 2), RELU)
  }
  mlp_plan(encoder.pool, encoder.layers, sizes, activations, STEP_CHUNK)
  const net = changetype<Net>(encoder.pool)
  encoder.poolFlat = net.flat
  return net.workspaceBytes
}

/** The net behind the mean, W → widths, one activation. */
function planDense(encoder: Encoder, shape: usize): void {
  const dense = denseOf(shape), sizes = encoder.sizes
  const activations = sizes + (<usize>(dense + 1) << 2)
  store<i32>(sizes, encoder.width)
  for (let i: usize = 0; i < <usize>dense; i++) {
    encoder.size = load<i32>(shape + (i << 2), SHAPE_WORDS << 2)
    store<i32>(sizes + (i << 2), encoder.size, 4)
    store<i32>(activations + (i << 2), load<i32>(shape, 32))
  }
  mlp_plan(encoder.dense, dense, sizes, activations, encoder.contexts)
}

function wordsBytes(shape: usize): usize {
  return ((<usize>(SHAPE_WORDS + denseOf(shape)) << 2) + 15) & ~15
}

/** Bytes of a shape block of that many layers in all: the shape's own words, then room in which a head can be planned before it exists. */
export function encoder_shape_bytes(layers: i32): f64 {
  return offsetof<Encoder>() + offsetof<LastGood>() + offsetof<AdamOptions>() + gru_plan_bytes() + 2 * netBytes(layers) + RANDOM_BYTES +
    (<usize>(3 * layers + SHAPE_WORDS) << 2) + 256 // what rounding to 16 bytes adds
}

/** Bytes of an encoder. */
export function encoder_bytes(shape: usize): f64 {
  const head = shape + wordsBytes(shape)
  const end = layOutHead(head, shape)
  return layOutBody(changetype<Encoder>(head), end - head, shape)
}

/** Makes an encoder in `base`, `encoder_bytes` long, with random nets as PyTorch draws them. shape i32 [10 + d]: see above. */
export function encoder_create(base: usize, shape: usize, seedLow: i32, seedHigh: i32): void {
  const body = layOutHead(base, shape)
  layOutBody(changetype<Encoder>(base), body, shape)
  const encoder = changetype<Encoder>(base)
  random_seed(encoder.random, seedLow, seedHigh, 1)
  if (encoder.kind == abi.ENCODER_GRU) {
    gru_initialise(encoder.pool, encoder.gradients, encoder.random) // the gradients' block is free yet
    gru_convert(encoder.pool, encoder.live, encoder.gradients, 1)
    memory.fill(encoder.gradients, 0, <usize>encoder.flat * REAL)
  } else mlp_initialise(encoder.pool, encoder.live, encoder.random)
  mlp_initialise(encoder.dense, encoder.live + <usize>encoder.poolFlat * REAL, encoder.random)
  random_seed(encoder.random, seedLow, seedHigh, 2)
  guardBlock(encoder.guard, encoder.live, 3 * <usize>encoder.flat * REAL, encoder.good)
}

/**
 * Sets Adam's rate, the largest norm of the gradient (0: any) and the share of pooled features [W] that is dropped while
 * learning.
 */
export function encoder_configure(pointer: usize, learningRate: f64, maxNorm: f64, dropout: f64): void {
  const encoder = changetype<Encoder>(pointer)
  adam_configure(encoder.adam, learningRate, 0.9, 0.999, 1e-8, 0.0, maxNorm, 0)
  encoder.dropout = dropout
}

/** Numbers in the canonical layout: the pooled net's, then the dense net's. */
export function encoder_canonical(pointer: usize): f64 {
  const encoder = changetype<Encoder>(pointer)
  return poolCanonical(encoder) + changetype<Net>(encoder.dense).canonical
}

// @ts-ignore: decorator
@inline function poolCanonical(encoder: Encoder): f64 {
  return encoder.kind == abi.ENCODER_GRU ? changetype<Gru>(encoder.pool).canonical : changetype<Net>(encoder.pool).canonical
}

/**
 * Where a part lies, `which` of ENCODER_STEPS … ENCODER_RANDOM or ENCODER_STATES, else the last good copy: steps [G·M·T, I], lengths i32
 * [G·M], counts i32 [G], embeddings and slopes [G, Z], states [U, S, H] of the S sequences that a batch has.
 */
export function encoder_pointer(pointer: usize, which: i32): usize {
  const encoder = changetype<Encoder>(pointer)
  switch (which) {
    case abi.ENCODER_STEPS: return encoder.x
    case abi.ENCODER_LENGTHS: return encoder.lengths
    case abi.ENCODER_COUNTS: return encoder.counts
    case abi.ENCODER_EMBEDDINGS: return encoder.embeddings
    case abi.ENCODER_SLOPES: return encoder.slopes
    case abi.ENCODER_RANDOM: return encoder.random
    case abi.ENCODER_STATES: return encoder.states
    default: return changetype<usize>(encoder.guard)
  }
}

/** Copies a block to (`toFlat`) or from the canonical layout [encoder_canonical]. */
export function encoder_convert(pointer: usize, which: i32, canonical: usize, toFlat: i32): void {
  const encoder = changetype<Encoder>(pointer)
  const flat = flatBlock(encoder, which)
  if (encoder.kind == abi.ENCODER_GRU) gru_convert(encoder.pool, flat, canonical, toFlat)
  else mlp_convert(encoder.pool, flat, canonical, toFlat)
  mlp_convert(encoder.dense, flat + <usize>encoder.poolFlat * REAL, canonical + <usize>poolCanonical(encoder) * REAL, toFlat)
}

function flatBlock(encoder: Encoder, which: i32): usize {
  switch (which) {
    case abi.ENCODER_PARAMETERS: return encoder.live
    case abi.ENCODER_GRADIENT: return encoder.gradients
    case abi.ENCODER_FIRST_MOMENT: return encoder.moments
    default: return encoder.moments + <usize>encoder.flat * REAL
  }
}

/** Parameters were set from outside: what is there now counts as good. */
export function encoder_keep(pointer: usize): void {
  keepGood(changetype<Encoder>(pointer).guard)
}

/** Updates done. */
export function encoder_updates(pointer: usize): i32 {
  return changetype<Encoder>(pointer).updates
}

/** Sets the number of updates done, on which Adam's correction depends. */
export function encoder_set_updates(pointer: usize, updates: i32): void {
  changetype<Encoder>(pointer).updates = updates
}
