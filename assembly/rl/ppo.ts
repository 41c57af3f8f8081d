// Proximal policy optimisation: acting, remembering, and a whole epoch of mini-batches as one call. Schulman et al. 2017.
// ppo-plan.ts holds the memory map, ppo-loss.ts the loss. N: mini-batch, S: state, Z: context, G: global, W = S + Z + G: a row, which
// the value net sees whole and the policy up to S + Z; A: outputs, P: partitions.
import { EMPTY, FULL, NOT_FINITE, OK } from '../abi'
import { padded, Real, REAL } from '../math/real'
import { adam, AdamOptions, LARGEST_SQUARED_NORM, squaredNorm } from '../nn/adam'
import { encode, encoderGradients, skipEncoder, stepEncoder } from '../nn/context-encoder'
import { Encoder } from '../nn/context-encoder-plan'
import { backward, copyReals, forward, outputs } from '../nn/mlp'
import { random_integer } from '../random/xoshiro'
import { sumContextSlopes } from './context'
import { failGuard, LastGood, passGuard } from '../nn/last-good'
import { choiceLogProbability, choiceProbabilities, choose } from './choices'
import { drawNormals, normalLogDensity } from './policy-head'
import { policyLoss, valueLoss } from './ppo-loss'
import {
  choicesOf, deskRow, deviationsIn, FIGURES, inputRow, ioAction, ioDistribution, ioNext, policyBytes, policyLength, policyOf, Ppo,
  valueBytes, valueOf,
} from './ppo-plan'
import {
  appendStep, chosenAt, choosePartitions, clearRollout, dealRows, endEpisode, estimateReturns, fillContexts, normaliseAdvantages,
  takeAdvantages,
} from './rollout'

/** Outputs of the policy for n <= N rows of inputs. */
function policyOutputs(ppo: Ppo, inputs: usize, row: usize, n: i32): usize {
  forward(policyOf(ppo), ppo.live, inputs, row, n, ppo.policySpace)
  return outputs(policyOf(ppo), ppo.policySpace)
}

/** An action for a row of outputs x: drawn where `sample`, else the likeliest; NaN where x gives none. What it was drawn from stays in io. */
function take(ppo: Ppo, x: usize, action: usize, sample: bool): void {
  const found = ioDistribution(ppo)
  if (!ppo.gaussian) {
    choiceProbabilities(choicesOf(ppo), x, found)
    choose(choicesOf(ppo), found, action, sample, ppo.random)
    return
  }
  copyReals(found, x, ppo.outputs)
  if (sample) drawNormals(found, deviationsIn(ppo, ppo.live), action, ppo.outputs, ppo.random)
  else copyReals(action, found, ppo.outputs)
}

/** log π of an action for a row of outputs x; not finite where x gives it none. */
function logProbabilityOf(ppo: Ppo, x: usize, action: usize): f64 {
  if (ppo.gaussian) return normalLogDensity(x, deviationsIn(ppo, ppo.live), action, ppo.outputs)
  choiceProbabilities(choicesOf(ppo), x, ioDistribution(ppo))
  return choiceLogProbability(choicesOf(ppo), x, action)
}

/** The io record's action for its state: drawn from the policy where `sample`, else the likeliest; NaN where the state gives no distribution. */
export function ppo_act(pointer: usize, sample: i32): void {
  const ppo = changetype<Ppo>(pointer)
  take(ppo, policyOutputs(ppo, ppo.io, inputRow(ppo), 1), ioAction(ppo), sample != 0)
}

/** The desk's first n actions [n, K] for its inputs [n, S + Z], as `ppo_act` gives them one after the other. */
export function ppo_act_many(pointer: usize, n: i32, sample: i32): void {
  const ppo = changetype<Ppo>(pointer)
  const width = <usize>padded(ppo.outputs) * REAL, actionRow = <usize>ppo.actionWidth * REAL
  let action = ppo.deskActions
  for (let start = 0; start < n; start += ppo.batch) {
    const rows = min(ppo.batch, n - start)
    let x = policyOutputs(ppo, ppo.deskInputs + <usize>start * deskRow(ppo), deskRow(ppo), rows)
    for (let i = 0; i < rows; i++, x += width, action += actionRow) take(ppo, x, action, sample != 0)
  }
}

/** V of the io record's state. */
export function ppo_value(pointer: usize): f64 {
  const ppo = changetype<Ppo>(pointer)
  forward(valueOf(ppo), ppo.live + policyBytes(ppo), ppo.io, inputRow(ppo), 1, ppo.valueSpace)
  return <f64>load<Real>(outputs(valueOf(ppo), ppo.valueSpace))
}

/** Stores the io record with the probability that the policy now gives its action: 0, or FULL or NOT_FINITE and nothing changed. */
export function ppo_insert(pointer: usize, reward: f64, terminated: i32, partition: i32): i32 {
  const ppo = changetype<Ppo>(pointer)
  if (ppo.count == ppo.capacity) return FULL
  const action = ioAction(ppo)
  if (!allFinite(ppo.io, 2 * ppo.width + ppo.actionWidth)) return NOT_FINITE
  const logProbability = logProbabilityOf(ppo, policyOutputs(ppo, ppo.io, inputRow(ppo), 1), action)
  if (!isFinite(reward) || !isFinite(logProbability)) return NOT_FINITE
  appendStep(ppo, ppo.io, action, ioNext(ppo), reward, logProbability, terminated, partition)
  return OK
}

// @ts-ignore: decorator
@inline function allFinite(at: usize, count: i32): bool {
  for (let j: usize = 0; j < <usize>count * REAL; j += REAL) if (!isFinite<Real>(load<Real>(at + j))) return false
  return true
}

/**
 * Takes n rows into the rollout that its caller has written behind its last one (states, nexts [n, W], actions [n, K], rewards and
 * partitions [n]; there is room), each with the probability that the policy now gives its action. A row that is not finite is left
 * out and ends its partition's episode. Returns how many came in.
 */
export function ppo_append(pointer: usize, n: i32): i32 {
  const ppo = changetype<Ppo>(pointer)
  const row = inputRow(ppo), width = <usize>padded(ppo.outputs) * REAL
  const first = ppo.count
  for (let start = 0; start < n; start += ppo.batch) {
    const rows = min(ppo.batch, n - start)
    let x = policyOutputs(ppo, ppo.states + <usize>(first + start) * row, row, rows)
    for (let i = first + start, end = i + rows; i < end; i++, x += width) {
      const state = ppo.states + <usize>i * row, next = ppo.nexts + <usize>i * row
      const action = ppo.actions + <usize>(i * ppo.actionWidth) * REAL
      const reward = load<f64>(ppo.rewards + (<usize>i << 3))
      const partition = load<i32>(ppo.partitionOf + (<usize>i << 2))
      const usable = allFinite(state, ppo.width) && allFinite(next, ppo.width) && isFinite(reward)
      const logProbability = usable ? logProbabilityOf(ppo, x, action) : NaN
      if (isFinite(logProbability)) appendStep(ppo, state, action, next, reward, logProbability, 0, partition)
      else endEpisode(ppo, partition)
    }
  }
  return ppo.count - first
}

/** The episode of a partition is over: its newest step counts as truncated unless it was terminal. */
export function ppo_end_episode(pointer: usize, partition: i32): void {
  endEpisode(changetype<Ppo>(pointer), partition)
}

/** Forgets the rollout; weights and moments stay. */
export function ppo_clear(pointer: usize): void {
  clearRollout(changetype<Ppo>(pointer))
}

/** Puts the contexts behind the states of the rollout. */
export function ppo_fill_contexts(pointer: usize): void {
  fillContexts(changetype<Ppo>(pointer))
}

/** From now on updates are about the first `count` partitions named by `chosen`. */
export function ppo_choose(pointer: usize, count: i32): void {
  choosePartitions(changetype<Ppo>(pointer), count)
}

/**
 * Values, advantages and returns [C] of the rollout: 0, or EMPTY. With an encoder the chosen partitions' staged contexts
 * come behind the states.
 */
export function ppo_prepare(pointer: usize, encoderPointer: usize): i32 {
  const ppo = changetype<Ppo>(pointer)
  const dealt = dealRows(ppo, ppo.order)
  if (dealt == 0) return EMPTY
  if (encoderPointer != 0) encodeContexts(ppo, changetype<Encoder>(encoderPointer), false)
  fillContexts(ppo)
  evaluate(ppo, ppo.states, ppo.values)
  evaluate(ppo, ppo.nexts, ppo.nextValues)
  estimateReturns(ppo, ppo.monteCarlo != 0, ppo.discount, ppo.lambda)
  if (ppo.normalise == 2) normaliseAdvantages(ppo, ppo.order, dealt)
  return OK
}

/** values [C] = V(rows [C, W]) */
function evaluate(ppo: Ppo, rows: usize, values: usize): void {
  const net = valueOf(ppo)
  const width = <usize>padded(1) * REAL
  for (let start = 0; start < ppo.count; start += ppo.batch) {
    const n = min(ppo.batch, ppo.count - start)
    forward(net, ppo.live + policyBytes(ppo), rows + <usize>start * inputRow(ppo), inputRow(ppo), n, ppo.valueSpace)
    const v = outputs(net, ppo.valueSpace)
    for (let i: usize = 0; i < <usize>n; i++) store<f64>(values + ((<usize>start + i) << 3), <f64>load<Real>(v + i * width))
  }
}

function shuffle(order: usize, count: i32, random: usize): void {
  for (let i = count - 1; i > 0; i--) {
    const here = order + (<usize>i << 2), there = order + (<usize>random_integer(random, i + 1) << 2)
    const row = load<i32>(here)
    store<i32>(here, load<i32>(there))
    store<i32>(there, row)
  }
}

/**
 * One pass over the chosen partitions' prepared steps in mini-batches: every step once in random order, the last mini-batch as
 * small as it comes; or as many drawn with replacement. `slopes` [P, Z] becomes their mean dLoss/dcontexts. With an encoder
 * its staged
 * contexts are encoded anew before the pass, and it steps along these slopes after it. 0, or EMPTY.
 */
export function ppo_epoch(pointer: usize, encoderPointer: usize): i32 {
  return pass(changetype<Ppo>(pointer), encoderPointer, false)
}

/** `ppo_epoch` whose policy learns to do what was done, likely or not, worth it or not. */
export function ppo_imitate(pointer: usize): i32 {
  return pass(changetype<Ppo>(pointer), 0, true)
}

function pass(ppo: Ppo, encoderPointer: usize, imitates: bool): i32 {
  const dealt = dealRows(ppo, ppo.order)
  if (dealt == 0) return EMPTY
  if (encoderPointer != 0) {
    encodeContexts(ppo, changetype<Encoder>(encoderPointer), true)
    fillContexts(ppo)
  }
  startReport(ppo)
  shuffle(ppo.order, dealt, ppo.random)
  for (let start = 0; start < dealt; start += ppo.batch) {
    const n = min(ppo.batch, dealt - start)
    if (ppo.replacement) learn(ppo, draw(ppo, dealt, n), n, imitates)
    else learn(ppo, ppo.order + (<usize>start << 2), n, imitates)
  }
  finishReport(ppo)
  if (encoderPointer != 0) learnContexts(ppo, changetype<Encoder>(encoderPointer))
  return OK
}

/** n of the dealt rows, with replacement. */
function draw(ppo: Ppo, dealt: i32, n: i32): usize {
  for (let i: usize = 0; i < <usize>n; i++) {
    const row = load<i32>(ppo.order + (<usize>random_integer(ppo.random, dealt) << 2))
    store<i32>(ppo.drawn + (i << 2), row)
  }
  return ppo.drawn
}

function encodeContexts(ppo: Ppo, encoder: Encoder, learning: bool): void {
  encode(encoder, ppo.chosenCount, learning)
  const bytes = <usize>ppo.contextSize * REAL
  for (let g = 0; g < ppo.chosenCount; g++) {
    copyReals(ppo.contexts + <usize>chosenAt(ppo, g) * bytes, encoder.embeddings + <usize>g * bytes, ppo.contextSize)
  }
}

/** One step of the encoder along the slopes of an epoch; given up where no mini-batch was taken or its gradient is not finite. */
function learnContexts(ppo: Ppo, encoder: Encoder): void {
  const bytes = <usize>ppo.contextSize * REAL
  for (let g = 0; g < ppo.chosenCount; g++) {
    copyReals(encoder.slopes + <usize>g * bytes, ppo.slopes + <usize>chosenAt(ppo, g) * bytes, ppo.contextSize)
  }
  const squared = encoderGradients(encoder, ppo.chosenCount, true)
  if (ppo.taken > 0 && squared < LARGEST_SQUARED_NORM) stepEncoder(encoder, squared)
  else skipEncoder(encoder)
}

function startReport(ppo: Ppo): void {
  ppo.taken = 0
  memory.fill(ppo.sums, 0, FIGURES << 3)
  memory.fill(ppo.slopes, 0, <usize>(ppo.partitions * ppo.contextSize) * REAL)
}

function finishReport(ppo: Ppo): void {
  if (ppo.taken == 0) return
  const share = 1.0 / <f64>ppo.taken
  for (let i: usize = 0; i < FIGURES << 3; i += 8) store<f64>(ppo.figures + i, load<f64>(ppo.sums + i) * share)
  const end = ppo.slopes + <usize>(ppo.partitions * ppo.contextSize) * REAL
  for (let at = ppo.slopes; at < end; at += REAL) store<Real>(at, load<Real>(at) * <Real>share)
}

/** One mini-batch, the n prepared steps named by `order`, by the loss of `ppo_epoch` or `ppo_imitate`. */
export function ppo_learn(pointer: usize, n: i32, imitates: i32): void {
  const ppo = changetype<Ppo>(pointer)
  startReport(ppo)
  learn(ppo, ppo.order, n, imitates != 0)
  finishReport(ppo)
}

/** One Adam step of both nets. A loss or gradient that is not finite changes nothing but the guard's counters. */
function learn(ppo: Ppo, rows: usize, n: i32, imitates: bool): void {
  const guard = changetype<LastGood>(ppo.guard)
  const fp = policyBytes(ppo), fv = valueBytes(ppo)
  const policy = ppo.live, value = ppo.live + fp
  const row = inputRow(ppo)
  for (let i: usize = 0; i < <usize>n; i++) {
    copyReals(ppo.inputs + i * row, ppo.states + <usize>load<i32>(rows + (i << 2)) * row, ppo.width)
  }
  takeAdvantages(ppo, rows, n, ppo.normalise == 1, ppo.used)
  memory.fill(ppo.gradients, 0, fp + fv)
  forward(policyOf(ppo), policy, ppo.inputs, row, n, ppo.policySpace)
  forward(valueOf(ppo), value, ppo.inputs, row, n, ppo.valueSpace)
  const loss = policyLoss(ppo, rows, n, imitates) + valueLoss(ppo, rows, n)
  backward(policyOf(ppo), policy, ppo.inputs, row, n, ppo.policySpace, ppo.gradients, false)
  const wanted = ppo.contextSize > 0
  const slopes = backward(valueOf(ppo), value, ppo.inputs, row, n, ppo.valueSpace, ppo.gradients + fp, wanted)
  const policySquares = squaredNorm(ppo.gradients, policyLength(ppo))
  const valueSquares = squaredNorm(ppo.gradients + fp, valueOf(ppo).flat)
  const both = policySquares + valueSquares
  if (!(abs(loss) < Infinity && both < LARGEST_SQUARED_NORM)) {
    failGuard(guard)
    return
  }
  passGuard(guard)
  ppo.updates++
  ppo.taken++
  for (let i: usize = 0; i < FIGURES << 3; i += 8) store<f64>(ppo.sums + i, load<f64>(ppo.sums + i) + load<f64>(ppo.batchFigures + i))
  adam(
    changetype<AdamOptions>(ppo.policyAdam), policy, ppo.gradients, ppo.policyMoments, ppo.policyMoments + fp, policyLength(ppo),
    ppo.updates, ppo.sharedNorm ? both : policySquares,
  )
  adam(
    changetype<AdamOptions>(ppo.valueAdam), value, ppo.gradients + fp, ppo.valueMoments, ppo.valueMoments + fv, valueOf(ppo).flat,
    ppo.updates, ppo.sharedNorm ? both : valueSquares,
  )
  if (wanted) addSlopes(ppo, slopes, rows, n)
}

/** slopes += what the value loss of the mini-batch says of each partition's context. rowSlopes [n, padded(W)] */
function addSlopes(ppo: Ppo, rowSlopes: usize, rows: usize, n: i32): void {
  for (let i: usize = 0; i < <usize>n; i++) {
    store<i32>(ppo.batchPartitions + (i << 2), load<i32>(ppo.partitionOf + (<usize>load<i32>(rows + (i << 2)) << 2)))
  }
  const columns = rowSlopes + <usize>ppo.stateSize * REAL
  const row = <usize>padded(ppo.width) * REAL
  sumContextSlopes(ppo.batchSlopes, ppo.partitions, columns, row, ppo.contextSize, ppo.batchPartitions, n)
  const bytes = <usize>(ppo.partitions * ppo.contextSize) * REAL
  for (let i: usize = 0; i < bytes; i += REAL) store<Real>(ppo.slopes + i, load<Real>(ppo.slopes + i) + load<Real>(ppo.batchSlopes + i))
}
