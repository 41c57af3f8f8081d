// A regression network: predicting, one step on given rows, or whole epochs over a table, each as one call.
// N: rows of a batch, F: features, Z: context, O: outputs, G: groups
import { padded, REAL } from '../math/real'
import { random_integer } from '../random/xoshiro'
import { appendContexts, sumContextSlopes } from '../rl/context'
import { failGuard, LastGood, passGuard } from './last-good'
import { adam, AdamOptions, LARGEST_SQUARED_NORM, squaredNorm } from './adam'
import { encode, encoderGradients, skipEncoder, stepEncoder } from './context-encoder'
import { Encoder } from './context-encoder-plan'
import { drawMask } from './dropout'
import { batchLoss } from './loss'
import { backward, copyReals, copyRows, deltas, forward, maskLength, outputs } from './mlp'
import { featureBytes, flatBytes, inputRow, netOf, Regressor } from './regressor-plan'

/** predictions [n, O] of the features in `inputs`, with the one context. */
export function regressor_predict(pointer: usize, n: i32): void {
  const regressor = changetype<Regressor>(pointer)
  const net = netOf(regressor)
  const row = inputRow(regressor), width = <usize>regressor.outputSize * REAL
  setContextColumns(regressor, n)
  forward(net, regressor.parameters, regressor.inputs, row, n, regressor.workspace)
  copyRows(regressor.predictions, width, outputs(net, regressor.workspace), <usize>padded(regressor.outputSize) * REAL, regressor.outputSize, n)
}

/**
 * One step on the n rows of `inputs` and `goals`, row i with row groupOf[i] of the first `groups` contexts; 0: the one context.
 * With an encoder its staged contexts are encoded to be those rows, and it steps along their slopes; both step or none.
 */
export function regressor_learn(pointer: usize, n: i32, groups: i32, encoderPointer: usize): void {
  const regressor = changetype<Regressor>(pointer)
  const encoder = changetype<Encoder>(encoderPointer)
  const contextBytes = <usize>(groups * regressor.contextSize) * REAL
  if (encoderPointer != 0) {
    encode(encoder, groups, true)
    memory.copy(regressor.contexts, encoder.embeddings, contextBytes)
  }
  if (groups > 0) {
    const columns = regressor.inputs + featureBytes(regressor)
    appendContexts(columns, inputRow(regressor), regressor.contexts, regressor.contextSize, regressor.groupOf, n)
  } else setContextColumns(regressor, n)
  let squared = differentiate(regressor, n, groups)
  if (encoderPointer != 0) {
    memory.copy(encoder.slopes, regressor.slopes, contextBytes)
    const encoderSquared = encoderGradients(encoder, groups, true)
    if (squared == squared && encoderSquared < LARGEST_SQUARED_NORM) stepEncoder(encoder, encoderSquared)
    else {
      skipEncoder(encoder)
      squared = NaN
    }
  }
  step(regressor, squared)
}

/**
 * `epochs` passes over x [rows, F] and y [rows, O] in random order, the last batch of each as small as it comes; losses f64 [epochs]
 * get each pass's mean while learning, NaN where every step was given up. order: room for i32[rows].
 */
export function regressor_fit(pointer: usize, x: usize, y: usize, order: usize, rows: i32, epochs: i32, losses: usize): void {
  const regressor = changetype<Regressor>(pointer)
  const outputBytes = <usize>regressor.outputSize * REAL
  for (; epochs > 0; epochs--, losses += 8) {
    shuffle(regressor.random, order, rows)
    let sum = 0.0, counted = 0
    for (let start = 0; start < rows; start += regressor.batch) {
      const n = min(regressor.batch, rows - start)
      for (let i: usize = 0; i < <usize>n; i++) {
        const from = <usize>load<i32>(order + ((<usize>start + i) << 2))
        copyReals(regressor.inputs + i * inputRow(regressor), x + from * featureBytes(regressor), regressor.featureSize)
        copyReals(regressor.goals + i * outputBytes, y + from * outputBytes, regressor.outputSize)
      }
      setContextColumns(regressor, n)
      if (step(regressor, differentiate(regressor, n, 0))) {
        sum += regressor.lastLoss * <f64>n
        counted += n
      }
    }
    store<f64>(losses, sum / <f64>counted)
  }
}

/** Mean loss of the n rows of `inputs` and `goals` as served: no dropout, the one context. */
export function regressor_evaluate(pointer: usize, n: i32): f64 {
  const regressor = changetype<Regressor>(pointer)
  const net = netOf(regressor)
  setContextColumns(regressor, n)
  forward(net, regressor.parameters, regressor.inputs, inputRow(regressor), n, regressor.workspace)
  return batchLoss(regressor.loss, outputs(net, regressor.workspace), regressor.goals, regressor.outputSize, n, 0)
}

function setContextColumns(regressor: Regressor, n: i32): void {
  const row = inputRow(regressor)
  let columns = regressor.inputs + featureBytes(regressor)
  for (let i = 0; i < n; i++, columns += row) copyReals(columns, regressor.context, regressor.contextSize)
}

/** order = a random permutation of 0 … n − 1 (Fisher and Yates). */
function shuffle(random: usize, order: usize, n: i32): void {
  for (let i = 0; i < n; i++) store<i32>(order + (<usize>i << 2), i)
  for (let i = n - 1; i > 0; i--) {
    const a = order + (<usize>i << 2), b = order + (<usize>random_integer(random, i + 1) << 2)
    const kept = load<i32>(a)
    store<i32>(a, load<i32>(b))
    store<i32>(b, kept)
  }
}

/** Gradients of the mean loss over n rows, and its slopes by the contexts of `groups` groups: the squared norm, NaN where not finite. */
function differentiate(regressor: Regressor, n: i32, groups: i32): f64 {
  const net = netOf(regressor)
  const row = inputRow(regressor)
  let masks: usize = 0
  if (regressor.dropout > 0.0) {
    masks = regressor.masks
    drawMask(regressor.random, masks, maskLength(net), regressor.dropout)
  }
  forward(net, regressor.parameters, regressor.inputs, row, n, regressor.workspace, masks)
  const out = outputs(net, regressor.workspace)
  const loss = batchLoss(regressor.loss, out, regressor.goals, regressor.outputSize, n, deltas(net, regressor.workspace))
  memory.fill(regressor.gradients, 0, flatBytes(regressor))
  const slopes = backward(net, regressor.parameters, regressor.inputs, row, n, regressor.workspace, regressor.gradients, groups > 0, masks)
  if (groups > 0) {
    const slopeRow = <usize>padded(regressor.featureSize + regressor.contextSize) * REAL
    sumContextSlopes(regressor.slopes, groups, slopes + featureBytes(regressor), slopeRow, regressor.contextSize, regressor.groupOf, n)
  }
  const squared = squaredNorm(regressor.gradients, net.flat)
  if (!(loss < Infinity && squared < LARGEST_SQUARED_NORM)) return NaN
  regressor.batchLoss = loss
  return squared
}

/** The Adam step, unless the squared norm is NaN. */
function step(regressor: Regressor, squared: f64): bool {
  const guard = changetype<LastGood>(regressor.guard)
  if (squared != squared) {
    failGuard(guard)
    return false
  }
  passGuard(guard)
  regressor.lastLoss = regressor.batchLoss
  regressor.updates++
  const bytes = flatBytes(regressor)
  const m = regressor.parameters + bytes
  adam(changetype<AdamOptions>(regressor.adam), regressor.parameters, regressor.gradients, m, m + bytes, netOf(regressor).flat, regressor.updates, squared)
  return true
}
