// The clipped loss of proximal policy optimisation and its slopes at both networks' outputs.
// Schulman et al. 2017. N: rows of a mini-batch, A: outputs of the policy.
//
//   loss = mean max(−adv · ratio, −adv · clip(ratio)) − entropyWeight · mean entropy + valueWeight · mean (V − return)²
//   ratio = e^(log π − log π_old), its exponent kept within ±20: beyond, it is a constant and has no slope
// Where the policy imitates, the first two terms are −mean log π instead, and deviations of normals stay as they are.
import * as abi from '../abi'
import { padded, Real, REAL } from '../math/real'
import { deltas, outputs } from '../nn/mlp'
import { choiceEntropy, choiceLogProbability, choiceProbabilities, choiceSlopes } from './choices'
import { normalEntropy, normalLogDensity } from './policy-head'
import { choicesOf, deviationsIn, policyOf, Ppo, valueOf } from './ppo-plan'

// @ts-ignore: decorator
@inline const LARGEST_EXPONENT: f64 = 20.0

// @ts-ignore: decorator
@inline function note(ppo: Ppo, figure: i32, value: f64): void {
  store<f64>(ppo.batchFigures + (<usize>figure << 3), value)
}

/** After a forward pass of the policy: fills its deltas, adds the slopes of log deviations; returns its part of the loss. */
export function policyLoss(ppo: Ppo, rows: usize, n: i32, imitates: bool): f64 {
  const net = policyOf(ppo), choices = choicesOf(ppo)
  const width = <usize>padded(ppo.outputs) * REAL
  const actionRow = <usize>ppo.actionWidth * REAL
  const deviations = deviationsIn(ppo, ppo.live)
  const entropyWeight = imitates ? 0.0 : ppo.entropyWeight
  const entropyShare = entropyWeight / <f64>n
  const low = 1.0 - ppo.clip, high = 1.0 + ppo.clip
  let x = outputs(net, ppo.policySpace)
  let delta = deltas(net, ppo.policySpace)
  memory.fill(delta, 0, <usize>n * width)
  let surrogate = 0.0, entropySum = 0.0, divergence = 0.0, clipped = 0
  for (let i: usize = 0; i < <usize>n; i++, x += width, delta += width) {
    const row = <usize>load<i32>(rows + (i << 2))
    const action = ppo.actions + row * actionRow
    let logProbability: f64, entropy: f64
    if (ppo.gaussian) {
      logProbability = normalLogDensity(x, deviations, action, ppo.outputs)
      entropy = normalEntropy(deviations, ppo.outputs)
    } else {
      choiceProbabilities(choices, x, delta)
      logProbability = choiceLogProbability(choices, x, action)
      entropy = choiceEntropy(choices, x, delta)
    }
    const gap = logProbability - load<f64>(ppo.logProbabilities + (row << 3))
    const exponent = max(-LARGEST_EXPONENT, min(LARGEST_EXPONENT, gap))
    const ratio = NativeMath.exp(exponent)
    const advantage = load<f64>(ppo.used + (i << 3))
    const plain = -advantage * ratio
    const held = -advantage * max(low, min(high, ratio))
    const slope = imitates ? -1.0 / <f64>n : plain >= held && exponent == gap ? plain / <f64>n : 0.0
    if (ppo.gaussian) normalSlopes(ppo, x, action, delta, slope, !imitates)
    else choiceSlopes(choices, x, delta, action, slope, entropyShare)
    surrogate += imitates ? -logProbability : max(plain, held)
    entropySum += entropy
    divergence += ratio - 1.0 - exponent
    if (abs(ratio - 1.0) > ppo.clip) clipped++
    store<f64>(ppo.batchLogProbabilities + (i << 3), logProbability)
    store<f64>(ppo.entropies + (i << 3), entropy)
    store<f64>(ppo.ratios + (i << 3), ratio)
  }
  if (ppo.gaussian && !imitates) entropySlopes(ppo)
  note(ppo, abi.PPO_POLICY_LOSS, surrogate / <f64>n)
  note(ppo, abi.PPO_ENTROPY, entropySum / <f64>n)
  note(ppo, abi.PPO_DIVERGENCE, divergence / <f64>n)
  note(ppo, abi.PPO_CLIPPED, <f64>clipped / <f64>n)
  return (surrogate - entropyWeight * entropySum) / <f64>n
}

/** d log N/d mean = z / deviation, and where they learn d log N/d log deviation = z² − 1. */
function normalSlopes(ppo: Ppo, x: usize, action: usize, delta: usize, slope: f64, deviationsLearn: bool): void {
  const deviations = deviationsIn(ppo, ppo.live)
  const sums = deviationsIn(ppo, ppo.gradients)
  for (let j: usize = 0; j < <usize>ppo.outputs * REAL; j += REAL) {
    const inverse = NativeMath.exp(-<f64>load<Real>(deviations + j))
    const z = (<f64>load<Real>(action + j) - <f64>load<Real>(x + j)) * inverse
    store<Real>(delta + j, <Real>(slope * z * inverse))
    if (deviationsLearn) store<Real>(sums + j, <Real>(<f64>load<Real>(sums + j) + slope * (z * z - 1.0)))
  }
}

/** A normal's entropy grows by 1 with each log deviation. */
function entropySlopes(ppo: Ppo): void {
  const sums = deviationsIn(ppo, ppo.gradients)
  for (let j: usize = 0; j < <usize>ppo.outputs * REAL; j += REAL) {
    store<Real>(sums + j, <Real>(<f64>load<Real>(sums + j) - ppo.entropyWeight))
  }
}

/**
 * After a forward pass of the value net: fills its deltas, returns valueWeight times its loss. Where values are clipped the
 * worse of two counts: V, and V held within ±valueClip of what it was when the rollout ended.
 */
export function valueLoss(ppo: Ppo, rows: usize, n: i32): f64 {
  const net = valueOf(ppo)
  const width = <usize>padded(1) * REAL
  let v = outputs(net, ppo.valueSpace)
  let delta = deltas(net, ppo.valueSpace)
  memory.fill(delta, 0, <usize>n * width)
  const share = ppo.valueWeight / <f64>n
  let loss = 0.0, sum = 0.0
  for (let i: usize = 0; i < <usize>n; i++, v += width, delta += width) {
    const row = <usize>load<i32>(rows + (i << 2)) << 3
    const value = <f64>load<Real>(v)
    const goal = load<f64>(ppo.returns + row)
    let error = value - goal
    let slope = 2.0 * error
    if (ppo.valueClip > 0.0) {
      const before = load<f64>(ppo.values + row)
      const move = value - before
      const held = before + max(-ppo.valueClip, min(ppo.valueClip, move)) - goal
      if (held * held > error * error) {
        error = held
        slope = abs(move) < ppo.valueClip ? 2.0 * held : 0.0
      }
    }
    loss += error * error
    sum += value
    store<Real>(delta, <Real>(share * slope))
  }
  note(ppo, abi.PPO_VALUE_LOSS, loss / <f64>n)
  note(ppo, abi.PPO_MEAN_VALUE, sum / <f64>n)
  return share * loss
}
