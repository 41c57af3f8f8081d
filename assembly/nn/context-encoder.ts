// Context encoder: what was seen of an application → one embedding z, and back to the encoder's own parameters.
//
//   set:  z = dense(mean over all steps of net(s, a, r))
//   gru:  z = dense(mean over sequences of [h_forward(T) | h_backward(0)])            FLASH, dissertation 5.4.3 and A.1
//
// A context without sequences is the null context: its z is zero and it has no gradient. context-encoder-plan.ts holds the memory map.
// Every sum runs over steps, sequences and contexts in their order: a context has the same bits alone and among others.
import * as abi from '../abi'
import { padded, Real, REAL } from '../math/real'
import { failGuard, passGuard } from './last-good'
import { adam, AdamOptions, LARGEST_SQUARED_NORM, squaredNorm } from './adam'
import { Encoder, STEP_CHUNK } from './context-encoder-plan'
import { applyMask, drawMask } from './dropout'
import { Gru } from './gru-plan'
import { forwardSequences, gru_backward, placeSequence } from './gru'
import { addRows, backward, copyReals, copyRows, deltas, forward, Net, outputs } from './mlp'

// @ts-ignore: decorator
@inline function sequencesOf(encoder: Encoder, context: i32): i32 {
  return load<i32>(encoder.counts + (<usize>context << 2))
}
// @ts-ignore: decorator
@inline function lengthOf(encoder: Encoder, sequence: i32): i32 {
  return load<i32>(encoder.lengths + (<usize>sequence << 2))
}
// @ts-ignore: decorator
@inline function pooledRow(encoder: Encoder): usize {
  return <usize>padded(encoder.width) * REAL
}

/** embeddings [n, Z] of the first n contexts; `learning` draws a new dropout mask. */
export function encode(encoder: Encoder, n: i32, learning: bool): void {
  assert(n > 0 && n <= encoder.contexts, 'encoder: more contexts than planned')
  if (encoder.kind == abi.ENCODER_GRU) runSequences(encoder, n)
  embed(encoder, n, learning)
}

/** `encode`, where the final states of a GRU's sequences are there already. */
function embed(encoder: Encoder, n: i32, learning: bool): void {
  const row = pooledRow(encoder)
  memory.fill(encoder.pooled, 0, <usize>n * row)
  if (encoder.kind == abi.ENCODER_GRU) poolSequences(encoder, n)
  else poolSteps(encoder, n)
  if (learning && encoder.dropout > 0.0) {
    drawMask(encoder.random, encoder.mask, n * padded(encoder.width), encoder.dropout)
    applyMask(encoder.pooled, encoder.mask, n * padded(encoder.width))
  }
  const net = changetype<Net>(encoder.dense)
  forward(net, encoder.live + <usize>encoder.poolFlat * REAL, encoder.pooled, row, n, encoder.denseSpace)
  copyRows(
    encoder.embeddings, <usize>encoder.size * REAL, outputs(net, encoder.denseSpace), <usize>padded(encoder.size) * REAL, encoder.size, n,
  )
  for (let g = 0; g < n; g++) if (sequencesOf(encoder, g) == 0) memory.fill(embeddingOf(encoder, g), 0, <usize>encoder.size * REAL)
}

// @ts-ignore: decorator
@inline function embeddingOf(encoder: Encoder, context: i32): usize {
  return encoder.embeddings + <usize>(context * encoder.size) * REAL
}

/** After `encode` of the same n contexts and with `slopes` [n, Z] filled: the gradients, and their squared norm. */
export function encoderGradients(encoder: Encoder, n: i32, learning: bool): f64 {
  const net = changetype<Net>(encoder.dense)
  const row = <usize>padded(encoder.size) * REAL
  const delta = deltas(net, encoder.denseSpace)
  memory.fill(encoder.gradients, 0, <usize>encoder.flat * REAL)
  memory.fill(delta, 0, <usize>n * row)
  for (let g = 0; g < n; g++) {
    if (sequencesOf(encoder, g) > 0) {
      copyReals(delta + <usize>g * row, encoder.slopes + <usize>(g * encoder.size) * REAL, encoder.size)
    }
  }
  const poolBytes = <usize>encoder.poolFlat * REAL
  const slopes = backward(
    net, encoder.live + poolBytes, encoder.pooled, pooledRow(encoder), n, encoder.denseSpace, encoder.gradients + poolBytes, true,
  )
  memory.copy(encoder.pooled, slopes, <usize>n * pooledRow(encoder)) // what was pooled has served; its slopes take its place
  if (learning && encoder.dropout > 0.0) applyMask(encoder.pooled, encoder.mask, n * padded(encoder.width))
  if (encoder.kind == abi.ENCODER_GRU) unpoolSequences(encoder, n)
  else unpoolSteps(encoder, n)
  return squaredNorm(encoder.gradients, encoder.flat)
}

/** One Adam step along the gradients, whose squared norm must be below LARGEST_SQUARED_NORM. */
export function stepEncoder(encoder: Encoder, squared: f64): void {
  const bytes = <usize>encoder.flat * REAL
  passGuard(encoder.guard)
  encoder.updates++
  adam(
    changetype<AdamOptions>(encoder.adam), encoder.live, encoder.gradients, encoder.moments, encoder.moments + bytes, encoder.flat,
    encoder.updates, squared,
  )
}

/** Instead of a step, where anything of the update is not finite. */
export function skipEncoder(encoder: Encoder): void {
  failGuard(encoder.guard)
}

/** Pooled [n, W] += Σ over the context's steps of net(step), divided by their number. */
function poolSteps(encoder: Encoder, n: i32): void {
  const net = changetype<Net>(encoder.pool)
  const row = <usize>encoder.inputs * REAL
  let x = encoder.x, sequence = 0
  for (let g = 0; g < n; g++) {
    const steps = stepsOf(encoder, g, sequence)
    const sum = encoder.pooled + <usize>g * pooledRow(encoder)
    for (let done = 0; done < steps; done += STEP_CHUNK) {
      const count = min(STEP_CHUNK, steps - done)
      forward(net, encoder.live, x, row, count, encoder.poolSpace)
      addRows(sum, outputs(net, encoder.poolSpace), pooledRow(encoder), count)
      x += <usize>count * row
    }
    if (steps > 0) divide(sum, <Real>steps, encoder.width)
    sequence += sequencesOf(encoder, g)
  }
}

/** Back from pooled slopes to the step net, whose outputs are computed again: no activations are kept, however long a context is. */
function unpoolSteps(encoder: Encoder, n: i32): void {
  const net = changetype<Net>(encoder.pool)
  const row = <usize>encoder.inputs * REAL
  let x = encoder.x, sequence = 0
  for (let g = 0; g < n; g++) {
    const steps = stepsOf(encoder, g, sequence)
    const slope = encoder.pooled + <usize>g * pooledRow(encoder)
    if (steps > 0) divide(slope, <Real>steps, encoder.width)
    for (let done = 0; done < steps; done += STEP_CHUNK) {
      const count = min(STEP_CHUNK, steps - done)
      forward(net, encoder.live, x, row, count, encoder.poolSpace)
      const delta = deltas(net, encoder.poolSpace)
      for (let i: usize = 0; i < <usize>count; i++) memory.copy(delta + i * pooledRow(encoder), slope, pooledRow(encoder))
      backward(net, encoder.live, x, row, count, encoder.poolSpace, encoder.gradients, false)
      x += <usize>count * row
    }
    sequence += sequencesOf(encoder, g)
  }
}

function stepsOf(encoder: Encoder, context: i32, first: i32): i32 {
  let steps = 0
  for (let i = 0; i < sequencesOf(encoder, context); i++) steps += lengthOf(encoder, first + i)
  return steps
}

/** Sequences of the first n contexts. */
function countSequences(encoder: Encoder, n: i32): i32 {
  let count = 0
  for (let g = 0; g < n; g++) count += sequencesOf(encoder, g)
  return count
}

function longest(encoder: Encoder, sequences: i32): i32 {
  let steps = 0
  for (let i = 0; i < sequences; i++) steps = max(steps, lengthOf(encoder, i))
  return steps
}

/** The first unit whose states are pooled. */
// @ts-ignore: decorator
@inline function firstUnit(encoder: Encoder): i32 {
  return encoder.allHidden ? 0 : 2 * (encoder.layers - 1)
}

/** states [U, count, H] = the units' states after the last step of each sequence. */
function runSequences(encoder: Encoder, n: i32): void {
  const count = countSequences(encoder, n)
  if (count == 0) return
  const gru = changetype<Gru>(encoder.pool)
  const steps = longest(encoder, count)
  memory.fill(encoder.poolSpace, 0, <usize>(count * steps * padded(encoder.inputs)) * REAL)
  let x = encoder.x
  for (let i = 0; i < count; i++) {
    const length = lengthOf(encoder, i)
    placeSequence(gru, x, i, count, length, encoder.poolSpace)
    x += <usize>(length * encoder.inputs) * REAL
  }
  forwardSequences(gru, encoder.live, count, steps, encoder.lengths, 0, encoder.states, encoder.poolSpace)
}

/** pooled [n, W] = mean over the context's sequences of the pooled units' final states. */
function poolSequences(encoder: Encoder, n: i32): void {
  const count = countSequences(encoder, n)
  const bytes = <usize>encoder.hidden * REAL
  let sequence = 0
  for (let g = 0; g < n; g++) {
    const members = sequencesOf(encoder, g)
    let sum = encoder.pooled + <usize>g * pooledRow(encoder)
    for (let unit = firstUnit(encoder); unit < 2 * encoder.layers; unit++, sum += bytes) {
      for (let i = 0; i < members; i++) addReals(sum, encoder.states + <usize>(unit * count + sequence + i) * bytes, encoder.hidden)
      if (members > 0) divide(sum, <Real>members, encoder.hidden)
    }
    sequence += members
  }
}

function unpoolSequences(encoder: Encoder, n: i32): void {
  const count = countSequences(encoder, n)
  if (count == 0) return
  const bytes = <usize>encoder.hidden * REAL
  memory.fill(encoder.states, 0, <usize>(2 * encoder.layers * count) * bytes)
  let sequence = 0
  for (let g = 0; g < n; g++) {
    const members = sequencesOf(encoder, g)
    let slope = encoder.pooled + <usize>g * pooledRow(encoder)
    for (let unit = firstUnit(encoder); unit < 2 * encoder.layers; unit++, slope += bytes) {
      if (members > 0) divide(slope, <Real>members, encoder.hidden)
      for (let i = 0; i < members; i++) memory.copy(encoder.states + <usize>(unit * count + sequence + i) * bytes, slope, bytes)
    }
    sequence += members
  }
  gru_backward(
    encoder.pool, encoder.live, count, longest(encoder, count), encoder.lengths, 0, encoder.states, encoder.gradients, 0, 0,
    encoder.poolSpace,
  )
}

// @ts-ignore: decorator
@inline function addReals(sum: usize, x: usize, count: i32): void {
  for (let j: usize = 0; j < <usize>count * REAL; j += REAL) store<Real>(sum + j, load<Real>(sum + j) + load<Real>(x + j))
}

// @ts-ignore: decorator
@inline function divide(x: usize, by: Real, count: i32): void {
  for (let j: usize = 0; j < <usize>count * REAL; j += REAL) store<Real>(x + j, load<Real>(x + j) / by)
}

/** embeddings [n, Z] of the staged contexts. */
export function encoder_encode(pointer: usize, n: i32): void {
  encode(changetype<Encoder>(pointer), n, false)
}

/** embeddings [n, Z] of n contexts whose sequences' final states are in place, those of the pooled units of a GRU; `counts` are staged. */
export function encoder_pool(pointer: usize, n: i32): void {
  embed(changetype<Encoder>(pointer), n, false)
}

/** Gradients of the staged slopes [n, Z] at the embeddings without dropout; nothing moves. */
export function encoder_gradients(pointer: usize, n: i32): void {
  const encoder = changetype<Encoder>(pointer)
  encode(encoder, n, false)
  encoderGradients(encoder, n, false)
}

/** One Adam step along the staged slopes [n, Z] of a learner outside the core: 0, or NOT_FINITE and nothing changed. */
export function encoder_learn(pointer: usize, n: i32): i32 {
  const encoder = changetype<Encoder>(pointer)
  encode(encoder, n, true)
  const squared = encoderGradients(encoder, n, true)
  if (squared < LARGEST_SQUARED_NORM) {
    stepEncoder(encoder, squared)
    return abi.OK
  }
  skipEncoder(encoder)
  return abi.NOT_FINITE
}
