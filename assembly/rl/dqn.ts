// Deep Q-learning: valuing, remembering, and the whole update as one call.
// Mnih et al. 2015, with Huber loss; double: van Hasselt et al. 2016. A context z may stand behind the state, as every base learner of
// FLASH has it (5.4.3): one for acting, in an update one for each group of rows, and the loss says what of them was wrong.
// dqn-plan.ts holds the memory map. N: batch, S: state, Z: context, A: actions, G: groups.
import { NOT_FINITE, OK } from '../abi'
import { padded, Real, REAL } from '../math/real'
import { adam, AdamOptions, LARGEST_SQUARED_NORM, polyak, squaredNorm } from '../nn/adam'
import { skipEncoder, stepEncoder } from '../nn/context-encoder'
import { Encoder } from '../nn/context-encoder-plan'
import { lossOf, lossSlope } from '../nn/loss'
import { backward, copyReals, deltas, forward, outputs } from '../nn/mlp'
import { sumContextSlopes } from './context'
import { Dqn, flatBytes, inputRow, netOf } from './dqn-plan'
import { failGuard, passGuard } from '../nn/last-good'
import { drawBatch, drawPairs, gatherTransitions, learnEncoder, recordOf, useOwnContext } from './off-policy'

/** q [A] of the io record's state under the context; returns the best action, the first of equals, or NOT_FINITE. */
export function dqn_values(pointer: usize): i32 {
  const dqn = changetype<Dqn>(pointer)
  copyReals(dqn.input, dqn.io, dqn.stateSize)
  copyReals(dqn.input + <usize>dqn.stateSize * REAL, dqn.context, dqn.contextSize)
  forward(netOf(dqn), dqn.online, dqn.input, inputRow(dqn), 1, dqn.workspace)
  copyReals(dqn.q, outputs(netOf(dqn), dqn.workspace), dqn.actions)
  for (let a: usize = 0; a < <usize>dqn.actions; a++) if (!isFinite<Real>(load<Real>(dqn.q + a * REAL))) return NOT_FINITE
  return largest(dqn.q, dqn.actions)
}

/** The index of the largest of n numbers, the first of equals. */
function largest(numbers: usize, n: i32): i32 {
  let best = 0
  for (let i = 1; i < n; i++) {
    if (load<Real>(numbers + <usize>i * REAL) > load<Real>(numbers + <usize>best * REAL)) best = i
  }
  return best
}

/** `steps` updates, each on a fresh batch of ring 0: 0, or EMPTY when nothing is stored. */
export function dqn_update(pointer: usize, steps: i32): i32 {
  const dqn = changetype<Dqn>(pointer)
  for (; steps > 0; steps--) {
    const status = drawBatch(dqn)
    if (status != OK) return status
    learn(dqn, 1, 0)
  }
  return OK
}

/**
 * One update on what `drawPairs` draws, N transitions of G groups with their contexts [G, Z]; the encoder's parameters,
 * where there is one, learn from the loss.
 */
export function dqn_update_pairs(pointer: usize, groups: i32, encoder: usize): i32 {
  const dqn = changetype<Dqn>(pointer)
  const status = drawPairs(dqn, groups, encoder)
  if (status == OK) learn(dqn, groups, encoder)
  return status
}

/** One update on the transitions named by `indices`, all under the context for acting. */
export function dqn_learn(pointer: usize): void {
  const dqn = changetype<Dqn>(pointer)
  useOwnContext(dqn)
  learn(dqn, 1, 0)
}

/** A loss or gradient that is not finite changes nothing but the guards' counters; after three in a row the last good weights come back. */
function learn(dqn: Dqn, groups: i32, encoder: usize): void {
  gather(dqn)
  setGoals(dqn)
  const loss = differentiate(dqn, groups)
  const squared = squaredNorm(dqn.gradients, netOf(dqn).flat)
  const encoderSquared = learnEncoder(dqn, encoder, groups)
  if (!(loss < Infinity && squared < LARGEST_SQUARED_NORM && encoderSquared < LARGEST_SQUARED_NORM)) {
    failGuard(dqn.guard)
    if (encoder != 0) skipEncoder(changetype<Encoder>(encoder))
    return
  }
  dqn.lastLoss = loss
  dqn.meanQ = meanValue(dqn)
  step(dqn, squared)
  if (encoder != 0) stepEncoder(changetype<Encoder>(encoder), encoderSquared)
}

/** Records → batch columns. */
function gather(dqn: Dqn): void {
  gatherTransitions(dqn, dqn.here, dqn.there, inputRow(dqn))
  for (let i: usize = 0; i < <usize>dqn.batch; i++) {
    store<i32>(dqn.action + (i << 2), <i32>load<Real>(recordOf(dqn, i) + <usize>dqn.stateSize * REAL))
  }
}

/** goal = r + γ (1 − terminated) Q'(s', a'), a' the best action of the target net itself or, double, of the online net. */
function setGoals(dqn: Dqn): void {
  const net = netOf(dqn)
  const n = dqn.batch
  const row = <usize>padded(dqn.actions) * REAL
  if (dqn.isDouble) chooseNext(dqn, dqn.online)
  forward(net, dqn.target, dqn.there, inputRow(dqn), n, dqn.workspace)
  const discount = <Real>dqn.discount
  let q = outputs(net, dqn.workspace)
  for (let i: usize = 0; i < <usize>n; i++, q += row) {
    const best = dqn.isDouble ? load<i32>(dqn.best + (i << 2)) : largest(q, dqn.actions)
    const alive: Real = <Real>1.0 - load<Real>(dqn.terminated + i * REAL)
    const future = alive * load<Real>(q + <usize>best * REAL)
    store<Real>(dqn.goals + i * REAL, load<Real>(dqn.rewards + i * REAL) + discount * future)
  }
}

/** best [N] = the net's choice at what followed. */
function chooseNext(dqn: Dqn, parameters: usize): void {
  forward(netOf(dqn), parameters, dqn.there, inputRow(dqn), dqn.batch, dqn.workspace)
  let q = outputs(netOf(dqn), dqn.workspace)
  for (let i: usize = 0; i < <usize>dqn.batch; i++, q += <usize>padded(dqn.actions) * REAL) {
    store<i32>(dqn.best + (i << 2), largest(q, dqn.actions))
  }
}

/** Gradients and context slopes of the mean loss of Q(s, a) against the goals; returns it. */
function differentiate(dqn: Dqn, groups: i32): f64 {
  const net = netOf(dqn)
  const n = dqn.batch
  const row = <usize>padded(dqn.actions) * REAL
  const share: Real = <Real>1.0 / <Real>n
  forward(net, dqn.online, dqn.here, inputRow(dqn), n, dqn.workspace)
  let q = outputs(net, dqn.workspace)
  let delta = deltas(net, dqn.workspace)
  memory.fill(delta, 0, <usize>n * row)
  let loss = 0.0
  for (let i: usize = 0; i < <usize>n; i++, q += row, delta += row) {
    const column = <usize>load<i32>(dqn.action + (i << 2)) * REAL
    const value = load<Real>(q + column), goal = load<Real>(dqn.goals + i * REAL)
    store<Real>(dqn.values + i * REAL, value)
    store<Real>(delta + column, share * lossSlope(dqn.loss, value, goal))
    loss += <f64>lossOf(dqn.loss, value, goal)
  }
  memory.fill(dqn.gradients, 0, flatBytes(dqn))
  const hasContext = dqn.contextSize > 0
  const slopes = backward(net, dqn.online, dqn.here, inputRow(dqn), n, dqn.workspace, dqn.gradients, hasContext)
  if (hasContext) {
    const columns = slopes + <usize>dqn.stateSize * REAL
    const slopeRow = <usize>padded(dqn.stateSize + dqn.contextSize) * REAL
    sumContextSlopes(dqn.slopes, groups, columns, slopeRow, dqn.contextSize, dqn.groupOf, n)
  }
  return loss / <f64>n
}

function meanValue(dqn: Dqn): f64 {
  let sum = 0.0
  for (let i: usize = 0; i < <usize>dqn.batch * REAL; i += REAL) sum += <f64>load<Real>(dqn.values + i)
  return sum / <f64>dqn.batch
}

/** One Adam step, and the target's where it is due. */
function step(dqn: Dqn, squared: f64): void {
  passGuard(dqn.guard)
  dqn.updates++
  const net = netOf(dqn)
  const m = dqn.moments
  adam(changetype<AdamOptions>(dqn.adam), dqn.online, dqn.gradients, m, m + flatBytes(dqn), net.flat, dqn.updates, squared)
  if (dqn.updates % dqn.targetInterval != 0) return
  if (dqn.targetRate == 1.0) memory.copy(dqn.target, dqn.online, flatBytes(dqn))
  else polyak(dqn.target, dqn.online, net.flat, dqn.targetRate)
}
