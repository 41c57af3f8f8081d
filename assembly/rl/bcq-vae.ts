// The generative model of BCQ: a variational auto-encoder of the actions in the data, given the state.
// encoder (s, a) → μ, log σ (cut to [−4, 15]);  z = μ + σ ε;  decoder (s, z) → a.   N: batch, S: state, A: action, Z: latent.
import { BCQ_DECODER } from '../abi'
import { expReal, padded, Real, REAL } from '../math/real'
import { backward, copyRows, deltas, forward, Net, outputs } from '../nn/mlp'
import { Bcq, offsetOf } from './bcq-plan'

// @ts-ignore: decorator
@inline const LEAST_LOG_DEVIATION: Real = -4
// @ts-ignore: decorator
@inline const MOST_LOG_DEVIATION: Real = 15

/**
 * Gradients of mean (decoded − a)² + weight · KL, KL = −½ mean(1 + 2 log σ − μ² − σ²), with the ε of `noise`.
 * The weight is on the mean over N Z, as in the authors' code. Returns the loss.
 */
export function learnVae(bcq: Bcq): f64 {
  const encoder = changetype<Net>(bcq.encoder), decoder = changetype<Net>(bcq.decoder)
  const n = bcq.batch
  const inputRow = <usize>(bcq.stateSize + bcq.actionSize) * REAL
  const codeRow = <usize>(bcq.stateSize + bcq.latentSize) * REAL
  const decoderAt = offsetOf(bcq, BCQ_DECODER)
  forward(encoder, bcq.live, bcq.here, inputRow, n, bcq.encoderSpace)
  copyRows(bcq.codes, codeRow, bcq.here, inputRow, bcq.stateSize, n)
  bcq.divergence = encode(bcq)
  forward(decoder, bcq.live + decoderAt, bcq.codes, codeRow, n, bcq.decoderSpace)
  bcq.reconstructionLoss = setDecoderDeltas(bcq)
  const slopes = backward(
    decoder, bcq.live + decoderAt, bcq.codes, codeRow, n, bcq.decoderSpace, bcq.gradients + decoderAt, true,
  )
  setEncoderDeltas(bcq, slopes)
  backward(encoder, bcq.live, bcq.here, inputRow, n, bcq.encoderSpace, bcq.gradients, false)
  return bcq.reconstructionLoss + bcq.divergenceWeight * bcq.divergence
}

/** Fills the latent columns of `codes` and the σ of the batch; returns KL. */
function encode(bcq: Bcq): f64 {
  const z = <usize>bcq.latentSize
  const width = <usize>padded(2 * bcq.latentSize) * REAL
  const heads = outputs(changetype<Net>(bcq.encoder), bcq.encoderSpace)
  let sum = 0.0
  for (let i: usize = 0; i < <usize>bcq.batch; i++) {
    const code = bcq.codes + (i * (<usize>bcq.stateSize + z) + <usize>bcq.stateSize) * REAL
    for (let j: usize = 0; j < z; j++) {
      const mean = load<Real>(heads + i * width + j * REAL)
      const log = min(MOST_LOG_DEVIATION, max(LEAST_LOG_DEVIATION, load<Real>(heads + i * width + (z + j) * REAL)))
      const deviation = expReal(log)
      store<Real>(bcq.deviations + (i * z + j) * REAL, deviation)
      store<Real>(code + j * REAL, mean + deviation * load<Real>(bcq.noise + (i * z + j) * REAL))
      sum += 1.0 + 2.0 * <f64>log - <f64>mean * <f64>mean - <f64>deviation * <f64>deviation
    }
  }
  return (-0.5 * sum) / <f64>(bcq.batch * bcq.latentSize)
}

/** dLoss/d decoded; returns mean (decoded − a)². */
function setDecoderDeltas(bcq: Bcq): f64 {
  const decoder = changetype<Net>(bcq.decoder)
  const actions = <usize>bcq.actionSize
  const width = <usize>padded(bcq.actionSize) * REAL
  const row = (<usize>bcq.stateSize + actions) * REAL
  const count = bcq.batch * bcq.actionSize
  const scale = <Real>2.0 / <Real>count
  const decoded = outputs(decoder, bcq.decoderSpace)
  const delta = deltas(decoder, bcq.decoderSpace)
  memory.fill(delta, 0, <usize>bcq.batch * width)
  let sum = 0.0
  for (let i: usize = 0; i < <usize>bcq.batch; i++) {
    for (let j: usize = 0; j < actions; j++) {
      const at = i * width + j * REAL
      const error = load<Real>(decoded + at) - load<Real>(bcq.here + i * row + (<usize>bcq.stateSize + j) * REAL)
      store<Real>(delta + at, scale * error)
      sum += <f64>error * <f64>error
    }
  }
  return sum / <f64>count
}

/** dLoss/d(μ, log σ) from dLoss/d(s, z) `slopes` [N, padded(S + Z)]; a cut log σ has none. */
function setEncoderDeltas(bcq: Bcq, slopes: usize): void {
  const encoder = changetype<Net>(bcq.encoder)
  const z = <usize>bcq.latentSize
  const width = <usize>padded(2 * bcq.latentSize) * REAL
  const slopeRow = <usize>padded(bcq.stateSize + bcq.latentSize) * REAL
  const weight = <Real>(bcq.divergenceWeight / <f64>(bcq.batch * bcq.latentSize))
  const heads = outputs(encoder, bcq.encoderSpace)
  const delta = deltas(encoder, bcq.encoderSpace)
  memory.fill(delta, 0, <usize>bcq.batch * width)
  for (let i: usize = 0; i < <usize>bcq.batch; i++) {
    for (let j: usize = 0; j < z; j++) {
      const mean = load<Real>(heads + i * width + j * REAL)
      const log = load<Real>(heads + i * width + (z + j) * REAL)
      const deviation = load<Real>(bcq.deviations + (i * z + j) * REAL)
      const slope = load<Real>(slopes + i * slopeRow + (<usize>bcq.stateSize + j) * REAL)
      store<Real>(delta + i * width + j * REAL, slope + weight * mean)
      const inside = log >= LEAST_LOG_DEVIATION && log <= MOST_LOG_DEVIATION
      const noisy = slope * (load<Real>(bcq.noise + (i * z + j) * REAL) * deviation)
      store<Real>(delta + i * width + (z + j) * REAL, inside ? noisy + weight * (deviation * deviation - <Real>1.0) : <Real>0.0)
    }
  }
}
