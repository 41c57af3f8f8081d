// Batch-constrained Q-learning: learns from what others did, choosing only among actions like theirs.
// Fujimoto et al. 2019 and the authors' code: actions of the data (bcq-vae.ts), moved a little, judged by twin critics.
// One update is one Adam step on all five nets, every gradient taken at the same parameters: a step that cannot be taken is
// simply not taken. (The authors' code steps one net after the other.)
// bcq-plan.ts holds the memory map. N: batch, S: state, A: action, Z: latent.
import { BCQ_DECODER, BCQ_FIRST_CRITIC, BCQ_PERTURBATION, BCQ_SECOND_CRITIC, EMPTY, NOT_FINITE, OK } from '../abi'
import { padded, Real, REAL } from '../math/real'
import { adam, AdamOptions, LARGEST_SQUARED_NORM, polyak, squaredNorm } from '../nn/adam'
import { backward, copyReals, copyRows, deltas, forward, Net, outputs } from '../nn/mlp'
import { random_integer, random_normal } from '../random/xoshiro'
import { Bcq, drawLatents, offsetOf, targetOf } from './bcq-plan'
import { learnVae } from './bcq-vae'
import { failGuard, LastGood, passGuard } from '../nn/last-good'
import { insertRecord, recordAt, scalarsOffset } from './pair-replay'

/** Bytes of a critic input (s, a). */
// @ts-ignore: decorator
@inline function inputRow(bcq: Bcq): usize {
  return <usize>(bcq.stateSize + bcq.actionSize) * REAL
}

/**
 * Fills `moved` [rows, S + A] with states and candidate actions: decoded from `latents` [rows, Z], then moved by at most φ.
 * Each of the `states`, `stateRow` bytes apart, serves `repeat` rows. `inputs` keeps the actions as they were decoded.
 */
function propose(bcq: Bcq, perturbation: usize, states: usize, stateRow: usize, repeat: i32, latents: usize, rows: i32): void {
  const decoder = changetype<Net>(bcq.decoder), mover = changetype<Net>(bcq.perturbation)
  const stateSize = bcq.stateSize, actions = bcq.actionSize
  const row = inputRow(bcq)
  const codeRow = <usize>(stateSize + bcq.latentSize) * REAL
  const width = <usize>padded(actions) * REAL
  const actionAt = <usize>stateSize * REAL
  for (let i = 0; i < rows; i++) {
    const state = states + <usize>(i / repeat) * stateRow
    copyReals(bcq.codes + <usize>i * codeRow, state, stateSize)
    copyReals(bcq.inputs + <usize>i * row, state, stateSize)
    copyReals(bcq.moved + <usize>i * row, state, stateSize)
  }
  copyRows(bcq.codes + actionAt, codeRow, latents, <usize>bcq.latentSize * REAL, bcq.latentSize, rows)
  forward(decoder, bcq.live + offsetOf(bcq, BCQ_DECODER), bcq.codes, codeRow, rows, bcq.decoderSpace)
  copyRows(bcq.inputs + actionAt, row, outputs(decoder, bcq.decoderSpace), width, actions, rows)
  forward(mover, perturbation, bcq.inputs, row, rows, bcq.perturbationSpace)
  const shifts = outputs(mover, bcq.perturbationSpace)
  for (let i: usize = 0; i < <usize>rows; i++) {
    move(bcq.moved + i * row + actionAt, bcq.inputs + i * row + actionAt, shifts + i * width, <Real>bcq.reach, actions)
  }
}

/** out [n] = actions + φ · shifts, cut to [−1, 1] */
// @ts-ignore: decorator
@inline function move(out: usize, actions: usize, shifts: usize, reach: Real, n: i32): void {
  for (let j: usize = 0; j < <usize>n * REAL; j += REAL) {
    const wanted = load<Real>(actions + j) + reach * load<Real>(shifts + j)
    store<Real>(out + j, max(<Real>-1.0, min(<Real>1.0, wanted)))
  }
}

/** `move` for dense arrays of any origin: out, actions, shifts [n]. */
export function bcq_move(out: usize, actions: usize, shifts: usize, reach: f64, n: i32): void {
  move(out, actions, shifts, <Real>reach, n)
}

/** Runs a critic on `rows` of `x`; returns where its values start, padded(1) numbers apart. */
// @ts-ignore: decorator
@inline function judge(bcq: Bcq, critic: usize, x: usize, rows: i32): usize {
  const net = changetype<Net>(bcq.critic)
  forward(net, critic, x, inputRow(bcq), rows, bcq.criticSpace)
  return outputs(net, bcq.criticSpace)
}

/** The io record's action = the candidate that the first critic likes best. which: 0 the nets that learn, 1 their slow targets. */
export function bcq_act(pointer: usize, which: i32): void {
  const bcq = changetype<Bcq>(pointer)
  const rows = bcq.actingCandidates
  const mover = which ? targetOf(bcq, BCQ_PERTURBATION) : bcq.live + offsetOf(bcq, BCQ_PERTURBATION)
  const critic = which ? targetOf(bcq, BCQ_FIRST_CRITIC) : bcq.live + offsetOf(bcq, BCQ_FIRST_CRITIC)
  propose(bcq, mover, bcq.io, 0, rows, bcq.actingLatents, rows)
  const values = judge(bcq, critic, bcq.moved, rows)
  let best: usize = 0
  for (let i: usize = 1; i < <usize>rows; i++) {
    const value = load<Real>(values + i * (<usize>padded(1) * REAL))
    if (value > load<Real>(values + best * (<usize>padded(1) * REAL))) best = i
  }
  const action = <usize>bcq.stateSize * REAL
  copyReals(bcq.io + action, bcq.moved + best * inputRow(bcq) + action, bcq.actionSize)
}

/** Q1 of the io record's state and action. */
export function bcq_q(pointer: usize): f64 {
  const bcq = changetype<Bcq>(pointer)
  return <f64>load<Real>(judge(bcq, bcq.live + offsetOf(bcq, BCQ_FIRST_CRITIC), bcq.io, 1))
}

/** Stores the io record: 0, or NOT_FINITE and nothing changed. */
export function bcq_insert(pointer: usize): i32 {
  const bcq = changetype<Bcq>(pointer)
  return insertRecord(bcq, bcq.io) ? OK : NOT_FINITE
}

/** `steps` updates, each on a fresh batch: 0, or EMPTY when nothing is stored. */
export function bcq_update(pointer: usize, steps: i32): i32 {
  const bcq = changetype<Bcq>(pointer)
  if (bcq.count == 0) return EMPTY
  for (; steps > 0; steps--) {
    for (let i: usize = 0; i < <usize>bcq.batch; i++) {
      store<i32>(bcq.indices + (i << 2), random_integer(bcq.random, bcq.count))
    }
    bcq_draw(pointer)
    bcq_learn(pointer)
  }
  return OK
}

/** Draws the chance of one update: ε of the encoder, latents of the candidates. */
export function bcq_draw(pointer: usize): void {
  const bcq = changetype<Bcq>(pointer)
  const numbers = bcq.batch * bcq.latentSize
  for (let i: usize = 0; i < <usize>numbers * REAL; i += REAL) store<Real>(bcq.noise + i, <Real>random_normal(bcq.random))
  drawLatents(bcq, bcq.policyLatents, numbers)
  drawLatents(bcq, bcq.targetLatents, numbers * bcq.targetCandidates)
}

/**
 * One update on the transitions named by `indices`, with the chance that `bcq_draw` left. A loss or gradient that is not
 * finite changes nothing, after three in a row the last good weights come back.
 */
export function bcq_learn(pointer: usize): void {
  const bcq = changetype<Bcq>(pointer)
  gather(bcq)
  setGoals(bcq)
  memory.fill(bcq.gradients, 0, <usize>bcq.flat * REAL)
  const critics = learnCritics(bcq)
  const actor = learnPerturbation(bcq)
  const model = learnVae(bcq)
  const squared = squaredNorm(bcq.gradients, bcq.flat)
  if (!(abs(critics + actor + model) < Infinity && squared < LARGEST_SQUARED_NORM)) {
    failGuard(changetype<LastGood>(bcq.guard))
    return
  }
  passGuard(changetype<LastGood>(bcq.guard))
  bcq.updates++
  bcq.criticLoss = critics
  bcq.actorLoss = actor
  const moments = bcq.moments
  const second = moments + <usize>bcq.flat * REAL
  adam(changetype<AdamOptions>(bcq.adam), bcq.live, bcq.gradients, moments, second, bcq.flat, bcq.updates, squared)
  const generative = offsetOf(bcq, BCQ_PERTURBATION)
  polyak(bcq.targets, bcq.live + generative, bcq.flat - <i32>(generative / REAL), bcq.targetRate)
}

/** Records → batch columns. */
function gather(bcq: Bcq): void {
  const row = inputRow(bcq)
  const scalars = scalarsOffset(bcq)
  for (let i: usize = 0; i < <usize>bcq.batch; i++) {
    const record = recordAt(bcq, load<i32>(bcq.indices + (i << 2)))
    copyReals(bcq.here + i * row, record, bcq.stateSize + bcq.actionSize)
    copyReals(bcq.next + i * (<usize>bcq.stateSize * REAL), record + row, bcq.stateSize)
    store<Real>(bcq.rewards + i * REAL, load<Real>(record + scalars))
    store<Real>(bcq.terminated + i * REAL, load<Real>(record + scalars + REAL))
  }
}

/** goal = r + γ (1 − terminated) max over the candidates of λ min(Q1', Q2') + (1 − λ) max(Q1', Q2') */
function setGoals(bcq: Bcq): void {
  const candidates = bcq.targetCandidates
  const rows = bcq.batch * candidates
  const stateRow = <usize>bcq.stateSize * REAL
  const valueRow = <usize>padded(1) * REAL
  propose(bcq, targetOf(bcq, BCQ_PERTURBATION), bcq.next, stateRow, candidates, bcq.targetLatents, rows)
  copyRows(bcq.firstValues, REAL, judge(bcq, targetOf(bcq, BCQ_FIRST_CRITIC), bcq.moved, rows), valueRow, 1, rows)
  const second = judge(bcq, targetOf(bcq, BCQ_SECOND_CRITIC), bcq.moved, rows)
  softClippedGoals(
    bcq.firstValues, REAL, second, valueRow, bcq.rewards, bcq.terminated, bcq.goals, bcq.batch, candidates, <Real>bcq.pessimism,
    <Real>bcq.discount,
  )
}

function softClippedGoals(
  first: usize, firstRow: usize, second: usize, secondRow: usize, rewards: usize, terminated: usize, goals: usize, n: i32,
  candidates: i32, pessimism: Real, discount: Real,
): void {
  for (let i: usize = 0; i < <usize>n * REAL; i += REAL) {
    let best: Real = -Infinity
    for (let k = 0; k < candidates; k++, first += firstRow, second += secondRow) {
      const a = load<Real>(first), b = load<Real>(second)
      best = max(best, pessimism * min(a, b) + (<Real>1.0 - pessimism) * max(a, b))
    }
    const alive: Real = <Real>1.0 - load<Real>(terminated + i)
    store<Real>(goals + i, load<Real>(rewards + i) + discount * (alive * best))
  }
}

/** The goals for dense values [n, candidates] of any origin. */
export function bcq_goals(
  first: usize, second: usize, rewards: usize, terminated: usize, goals: usize, n: i32, candidates: i32, pessimism: f64,
  discount: f64,
): void {
  softClippedGoals(first, REAL, second, REAL, rewards, terminated, goals, n, candidates, <Real>pessimism, <Real>discount)
}

/** Gradients of mean((Q1 − goal)²) + mean((Q2 − goal)²) at the stored actions; returns the loss. */
function learnCritics(bcq: Bcq): f64 {
  const net = changetype<Net>(bcq.critic)
  const n = bcq.batch
  const row = <usize>padded(1) * REAL
  const scale: Real = <Real>2.0 / <Real>n
  let loss = 0.0
  for (let which = BCQ_FIRST_CRITIC; which <= BCQ_SECOND_CRITIC; which++) {
    const at = offsetOf(bcq, which)
    let q = judge(bcq, bcq.live + at, bcq.here, n)
    let delta = deltas(net, bcq.criticSpace)
    memory.fill(delta, 0, <usize>n * row)
    if (which == BCQ_FIRST_CRITIC) copyRows(bcq.values, REAL, q, row, 1, n)
    for (let i: usize = 0; i < <usize>n * REAL; i += REAL, q += row, delta += row) {
      const error = load<Real>(q) - load<Real>(bcq.goals + i)
      store<Real>(delta, scale * error)
      loss += <f64>error * <f64>error
    }
    backward(net, bcq.live + at, bcq.here, inputRow(bcq), n, bcq.criticSpace, bcq.gradients + at, false)
  }
  let sum = 0.0
  for (let i: usize = 0; i < <usize>n * REAL; i += REAL) sum += <f64>load<Real>(bcq.values + i)
  bcq.meanQ = sum / <f64>n
  return loss / <f64>n
}

/** Gradients of −mean Q1(s, decoded action moved by the perturbation); returns the loss. */
function learnPerturbation(bcq: Bcq): f64 {
  const mover = changetype<Net>(bcq.perturbation), critic = changetype<Net>(bcq.critic)
  const n = bcq.batch, actions = <usize>bcq.actionSize
  const row = inputRow(bcq)
  const at = offsetOf(bcq, BCQ_PERTURBATION)
  const first = bcq.live + offsetOf(bcq, BCQ_FIRST_CRITIC)
  propose(bcq, bcq.live + at, bcq.here, row, 1, bcq.policyLatents, n)
  const valueRow = <usize>padded(1) * REAL
  let q = judge(bcq, first, bcq.moved, n)
  let delta = deltas(critic, bcq.criticSpace)
  memory.fill(delta, 0, <usize>n * valueRow)
  const share: Real = <Real>-1.0 / <Real>n
  let sum = 0.0
  for (let i = 0; i < n; i++, q += valueRow, delta += valueRow) {
    sum += <f64>load<Real>(q)
    store<Real>(delta, share)
  }
  const slopes = backward(critic, first, bcq.moved, row, n, bcq.criticSpace, 0, true)
  const slopeRow = <usize>padded(bcq.stateSize + bcq.actionSize) * REAL
  const width = <usize>padded(bcq.actionSize) * REAL
  const shifts = outputs(mover, bcq.perturbationSpace)
  const out = deltas(mover, bcq.perturbationSpace)
  const reach = <Real>bcq.reach
  memory.fill(out, 0, <usize>n * width)
  for (let i: usize = 0; i < <usize>n; i++) {
    for (let j: usize = 0; j < actions; j++) {
      const column = (<usize>bcq.stateSize + j) * REAL
      // An action that was cut at its bound does not move with the perturbation.
      const wanted = load<Real>(bcq.inputs + i * row + column) + reach * load<Real>(shifts + i * width + j * REAL)
      const slope = abs(wanted) <= <Real>1.0 ? reach * load<Real>(slopes + i * slopeRow + column) : <Real>0.0
      store<Real>(out + i * width + j * REAL, slope)
    }
  }
  backward(mover, bcq.live + at, bcq.inputs, row, n, bcq.perturbationSpace, bcq.gradients + at, false)
  return -sum / <f64>n
}
