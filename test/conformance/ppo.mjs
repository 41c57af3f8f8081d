// Handlers for the PPO vectors (nn-vectors/README.md beside the vectors).
// The loss runs in the f32 core. A row's state is one-hot and the networks are one linear layer, so that the weights are the
// given outputs, row by row, and their gradients are the slopes at these outputs.
import { doubleTensor } from '@trimtab/core'
import { generalisedAdvantages, monteCarloReturns, PpoKernel } from '@trimtab/core/internal'
import { compare } from './compare.mjs'

const f32 = (rows) => Float32Array.from([rows].flat(Number.POSITIVE_INFINITY))
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/** The core's networks, one row of outputs for each step: w [outputs, steps], then biases 0. */
const weightsOf = (rows) => f32([rows[0].map((_, j) => rows.map((row) => row[j])), rows[0].map(() => 0)])
/** The gradient of such weights → a row of slopes for each step. */
const rowsOf = (gradient, steps, outputs) =>
  Array.from({ length: steps }, (_, i) => Array.from({ length: outputs }, (_, j) => gradient[j * steps + i]))

/** A kernel whose rollout is the vector's, as if it had been prepared. */
function kernelOf(core, vector, rows) {
  const { cfg, actions, old_logp, advantages } = vector
  const steps = rows.length
  // The vectors halve the squared error where `half`; the core leaves that to the weight.
  const valueWeight = (cfg.vc ?? 0) * (cfg.half ? 0.5 : 1)
  const kernel = new PpoKernel(core, {
    stateSize: steps,
    actionSize: rows[0].length,
    policy: vector.kind,
    hidden: [],
    activation: 'relu',
    capacity: steps,
    miniBatchSize: steps,
    seed: 0,
    policyLearningRate: 0,
    valueLearningRate: 0,
    discount: 1,
    lambda: 1,
    clip: cfg.clip,
    valueClip: cfg.vclip ?? 0,
    valueWeight,
    entropyWeight: cfg.ec,
    normalise: cfg.norm ? 'mini-batch' : 'never',
  })
  kernel.setParameters('policy', Float32Array.of(...weightsOf(rows), ...(vector.log_std ?? [])))
  kernel.setParameters('value', weightsOf((vector.values ?? rows.map(() => 0)).map((value) => [value])))
  for (const [i, action] of actions.entries()) {
    const state = Float32Array.from({ length: steps }, (_, j) => Number(j === i))
    kernel.insert(state, f32(action), 0, state, true)
  }
  const given = {
    'rollout.logProbability': old_logp,
    'rollout.advantage': advantages,
    'rollout.return': vector.returns ?? actions.map(() => 0),
    'rollout.value': vector.old_values ?? actions.map(() => 0),
  }
  kernel.load(
    kernel.save().map((tensor) => (given[tensor.name] ? doubleTensor(tensor.name, given[tensor.name]) : tensor)),
  )
  return { kernel, valueWeight }
}

function checkLoss(vector, file, { core }) {
  const rows = vector.kind === 'gaussian' ? vector.mean : vector.logits
  const [steps, outputs] = [rows.length, rows[0].length]
  const { kernel, valueWeight } = kernelOf(core, vector, rows)
  kernel.learnOn(rows.map((_, i) => i))
  const { advantages, logProbabilities, entropies, ratios } = kernel.lastBatch(steps)
  const { actorLoss, criticLoss, entropy, divergence, clippedShare } = kernel.report()
  const policyGradient = kernel.gradients('policy')
  const slopes = rowsOf(policyGradient, steps, outputs)
  const got = {
    new_logp: logProbabilities,
    entropy: vector.kind === 'gaussian' ? mean([...entropies]) : entropies,
    adv_used: advantages,
    ratio: ratios,
    pg_loss: actorLoss,
    v_loss: criticLoss * (vector.cfg.half ? 0.5 : 1),
    entropy_mean: entropy,
    loss: actorLoss + (vector.values ? valueWeight * criticLoss : 0) - vector.cfg.ec * entropy,
    approx_kl: divergence,
    clip_frac: clippedShare,
    grad: {
      logits: slopes,
      mean: slopes,
      log_std: policyGradient.slice(policyGradient.length - outputs),
      values: rowsOf(kernel.gradients('value'), steps, 1).flat(),
    },
  }
  kernel.dispose()
  return compare(got, vector.expected, file.tol.f32)
}

function checkAdvantages(vector, file, { core }) {
  const { gamma, lambda, rewards, values, next_values: nextValues, terminated, truncated } = vector
  const steps = { rewards, values, nextValues, terminated, truncated }
  const { advantages, returns } = generalisedAdvantages(core, steps, gamma, lambda)
  const got = { advantages, returns, monte_carlo_returns: monteCarloReturns(core, steps, gamma).returns }
  return compare(got, vector.expected, file.tol.f64)
}

export const handlers = { 'nn/ppo-loss': checkLoss, 'nn/gae': checkAdvantages }
