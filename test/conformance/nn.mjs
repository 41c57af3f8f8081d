// Handlers for the neural and statistical vectors (nn-vectors/README.md beside the vectors).
// Networks run in the f32 core (`tol.f32`); statistics and queueing are f64 arithmetic (`tol.f64`).
import {
  Adam,
  allenCunneen,
  doubleTensor,
  embeddingSimilarity,
  Mlp,
  mg1ProcessorSharing,
  mmcTimes,
  pearson,
  percentile,
  pollaczekKhinchine,
  RffSvm,
  RunningMoments,
  ravelMultiIndex,
  sampleCategorical,
  varianceShare,
} from '@trimtab/core'
import { BcqKernel, DdpgKernel, DqnKernel, moveActions, softClippedGoals } from '@trimtab/core/internal'
import { createQTable, discreteSpace, epsilonAt, linearMap, ornsteinUhlenbeckStep } from '@trimtab/learn'
import { compare } from './compare.mjs'

const f32 = (rows) => Float32Array.from(rows.flat(Number.POSITIVE_INFINITY))

/** [{ w [out][in], b [out] }] → the canonical vector. */
const toCanonical = (layers) => f32(layers.map(({ w, b }) => [w, b]))

/** The canonical vector → layers shaped like `like`. */
function toLayers(canonical, like) {
  let at = 0
  const take = (n) => {
    at += n
    return [...canonical.subarray(at - n, at)]
  }
  return like.map(({ w, b }) => ({ w: w.map((row) => take(row.length)), b: take(b.length) }))
}

const toRows = (values, width) =>
  Array.from({ length: values.length / width }, (_, i) => [...values.subarray(i * width, (i + 1) * width)])

const sizesOf = (layers) => [layers[0].w[0].length, ...layers.map(({ b }) => b.length)]

function netOf(core, layers, activations, maxBatch) {
  const net = new Mlp(core, { sizes: sizesOf(layers), activations, maxBatch })
  net.setParameters(toCanonical(layers))
  return net
}

/** Forward and backward of a batch: y, dLoss/dparameters and dLoss/dx for dLoss/dy = dy. */
function runNet(core, layers, activations, x, dy) {
  const net = netOf(core, layers, activations, x.length)
  const y = new Float32Array(x.length * layers.at(-1).b.length)
  const dx = new Float32Array(f32(x).length)
  net.forwardBatch(f32(x), y, x.length)
  net.backward(dy ? f32(dy) : y.map(() => 1), x.length, dx)
  const result = {
    y: toRows(y, layers.at(-1).b.length),
    layers: toLayers(net.gradients(), layers),
    x: toRows(dx, x[0].length),
  }
  net.dispose()
  return result
}

function checkMlp(vector, file, { core }) {
  const { y, layers, x } = runNet(core, vector.layers, vector.activations, vector.x, vector.loss_weights)
  const loss = y.flat().reduce((sum, value, i) => sum + value * vector.loss_weights.flat()[i], 0)
  return compare({ y, loss, grad: { layers, x } }, vector.expected, file.tol.f32)
}

function checkAdam(vector, file, { core }) {
  const { lr, b1, b2, eps, wd, decoupled, clip } = vector.hyper
  const options = {
    parameters: vector.theta0.length,
    learningRate: lr,
    beta1: b1,
    beta2: b2,
    epsilon: eps,
    weightDecay: wd,
    decoupled,
    maxNorm: clip ?? 0,
  }
  let adam = new Adam(core, options)
  const theta = f32(vector.theta0)
  const differences = vector.grads.flatMap((gradient, i) => {
    if (i === vector.grads.length >> 1) {
      // Half way through: what was saved continues in a fresh optimiser.
      const saved = adam.save()
      adam.dispose()
      adam = new Adam(core, options)
      adam.load(saved)
    }
    adam.step(theta, f32(gradient))
    const got = { theta, m: adam.firstMoments(), v: adam.secondMoments() }
    return compare(got, vector.expected[i], file.tol.f32, `expected[${i}]`)
  })
  adam.dispose()
  return differences
}

const RELU_TANH = (layers) => layers.map((_, i) => (i + 1 < layers.length ? 'relu' : 'tanh'))
const RELU_LINEAR = (layers) => layers.map((_, i) => (i + 1 < layers.length ? 'relu' : 'linear'))

function checkDdpgUpdate(vector, file, { core }) {
  const { s, a, r, s2, terminated, expected } = vector
  const kernel = new DdpgKernel(core, {
    stateSize: vector.state_dim,
    actionSize: vector.action_dim,
    hidden: sizesOf(vector.actor).slice(1, -1),
    batchSize: vector.batch,
    capacity: vector.batch,
    seed: 0,
    actorLearningRate: vector.lr_actor,
    criticLearningRate: vector.lr_critic,
    discount: vector.gamma,
    targetRate: vector.tau,
    averageRate: 0,
    weightDecay: 0,
    maxGradientNorm: 0,
    outputPenalty: 0,
    cloningWeight: 0,
  })
  kernel.setParameters('actor', toCanonical(vector.actor))
  kernel.setParameters('critic', toCanonical(vector.critic))
  kernel.setParameters('targetActor', toCanonical(vector.target_actor))
  kernel.setParameters('targetCritic', toCanonical(vector.target_critic))
  for (const [i, state] of s.entries()) kernel.insert(f32(state), f32(a[i]), r[i], f32(s2[i]), terminated[i])
  kernel.updateOn(s.map((_, i) => i))

  const a2 = runNet(core, vector.target_actor, RELU_TANH(vector.target_actor), s2).y
  const at = (states, actions) => states.map((state, i) => [...state, ...actions[i]])
  const q2 = runNet(core, vector.target_critic, RELU_LINEAR(vector.target_critic), at(s2, a2)).y.flat()
  const updated = toLayers(kernel.parameters('critic'), vector.critic)
  const pi = runNet(core, vector.actor, RELU_TANH(vector.actor), s).y
  const slopes = runNet(core, updated, RELU_LINEAR(updated), at(s, pi)).x
  const { goals, values } = kernel.lastBatch()
  const { criticLoss, actorLoss } = kernel.report()
  const got = {
    a2,
    q2,
    target: goals,
    q: values,
    critic_loss: criticLoss,
    critic_grad: toLayers(kernel.gradients('critic'), vector.critic),
    actor_loss: actorLoss,
    dq_da: slopes.map((row) => row.slice(vector.state_dim)), // of each sample's own Q: the mean's 1/N is not in it
    actor_grad: toLayers(kernel.gradients('actor'), vector.actor),
    target_actor_after: toLayers(kernel.parameters('targetActor'), vector.actor),
    target_critic_after: toLayers(kernel.parameters('targetCritic'), vector.critic),
  }
  const { actor_after, critic_after, ...rest } = expected
  const differences = [
    ...compare(got, rest, file.tol.f32),
    ...compareAfterAdam(kernel.parameters('actor'), actor_after, expected.actor_grad, file.tol.f32, 'actor_after'),
    ...compareAfterAdam(kernel.parameters('critic'), critic_after, expected.critic_grad, file.tol.f32, 'critic_after'),
  ]
  kernel.dispose()
  return differences
}

/** A gradient below 1e-7 may change its sign in f32, and Adam's first step is the sign: those elements prove nothing. */
function compareAfterAdam(parameters, layers, gradientLayers, tolerance, name) {
  const gradient = gradientLayers.flatMap(({ w, b }) => [...w.flat(), ...b])
  return layers
    .flatMap(({ w, b }) => [...w.flat(), ...b])
    .flatMap((value, i) =>
      Math.abs(gradient[i]) < 1e-7 ? [] : compare(parameters[i], value, tolerance, `expected.${name}[${i}]`),
    )
}

function checkNoise(vector, file) {
  let x = vector.normals[0].map(() => vector.mu)
  const got = vector.normals.map((normals) => {
    x = x.map((value, i) => ornsteinUhlenbeckStep(value, normals[i], vector))
    return x
  })
  return compare(got, vector.expected, file.tol.f64)
}

const checkActionMap = (vector, file) =>
  compare(
    vector.tanh_action.map((action) => linearMap(action, vector.lo, vector.hi)),
    vector.expected,
    file.tol.f64,
  )

const ddpgGroups = { updates: checkDdpgUpdate, ou_noise: checkNoise, action_map: checkActionMap }

const BCQ = { learningRate: 0, discount: 0.9, targetRate: 0, pessimism: 0.75, latentBound: 0.5, reach: 0.05 }

/** The whole batch for values, then each sample alone: a sample's slopes of μ and log σ are the gradient of the head's biases. */
function checkVae(vector, file, { core }) {
  const { encoder, mean, log_std, decoder, s, a, eps, expected } = vector
  const latentSize = mean.b.length
  const run = (rows) => {
    const kernel = new BcqKernel(core, {
      ...BCQ,
      ...{ stateSize: s[0].length, actionSize: a[0].length, hidden: sizesOf(encoder).slice(1), latentSize },
      ...{ batchSize: rows.length, capacity: rows.length, seed: 0, divergenceWeight: 0.5 },
      ...{ targetCandidates: 10, actingCandidates: 100 },
    })
    const heads = { w: [...mean.w, ...log_std.w], b: [...mean.b, ...log_std.b] }
    kernel.setParameters('encoder', toCanonical([...encoder, heads]))
    kernel.setParameters('decoder', toCanonical(decoder))
    for (const i of rows) kernel.insert(f32(s[i]), f32(a[i]), 0, f32(s[i]), false)
    kernel.updateOn(
      rows.map((_, i) => i),
      f32(rows.map((i) => eps[i])),
    )
    const { reconstructionLoss, divergence } = kernel.report()
    const { means, deviations, latents, reconstructions } = kernel.lastBatch()
    const result = {
      mu: toRows(means, latentSize),
      sd: toRows(deviations, latentSize),
      z: toRows(latents, latentSize),
      recon: toRows(reconstructions, a[0].length),
      recon_loss: reconstructionLoss,
      kl: divergence,
      loss: reconstructionLoss + 0.5 * divergence,
      grad_decoder: toLayers(kernel.gradients('decoder'), decoder),
    }
    const slopes = kernel.gradients('encoder').slice(-2 * latentSize)
    kernel.dispose()
    return { result, slopes: [...slopes].map((slope) => slope / (s.length / rows.length)) }
  }
  const alone = s.map((_, i) => run([i]).slopes)
  const got = {
    ...run(s.map((_, i) => i)).result,
    grad_mu: alone.map((slopes) => slopes.slice(0, latentSize)),
    grad_log_std: alone.map((slopes) => slopes.slice(latentSize)),
  }
  return compare(got, expected, file.tol.f32)
}

const checkSoftClippedGoals = ({ q1, q2, lam, r, not_done, gamma, expected }, file, { core }) =>
  compare(
    softClippedGoals(
      core,
      { first: f32(q1), second: f32(q2) },
      { rewards: f32(r), terminated: f32(not_done.map((alive) => 1 - alive)) },
      { pessimism: lam, discount: gamma },
    ),
    expected,
    file.tol.f32,
  )

const checkPerturbation = ({ phi, a, x, expected }, file, { core }) =>
  compare(moveActions(core, f32(a), f32(x.map((value) => core.math.tanh(value))), phi), expected, file.tol.f32)

const bcqGroups = { vae: checkVae, target: checkSoftClippedGoals, perturb: checkPerturbation }

/** A machine with the file's own random features and moments. */
function svmOf(core, file, options) {
  const { mean, std, W, offset, gamma } = file
  const variance = std.map((deviation) => deviation ** 2)
  const svm = new RffSvm(core, {
    inputs: mean.length,
    features: offset.length,
    gamma,
    moments: { mean, variance },
    ...options,
  })
  const drawn = svm.save().filter(({ name }) => name !== 'projection' && name !== 'offset')
  svm.load([...drawn, doubleTensor('projection', W.flat()), doubleTensor('offset', offset)])
  return svm
}

function checkSvmSteps(vector, file, { core }) {
  const svm = svmOf(core, file, {
    alpha: vector.alpha,
    learningRate: vector.learning_rate === 'constant' ? vector.eta0 : vector.learning_rate,
    classWeights: { negative: vector.class_weight.neg, positive: vector.class_weight.pos },
  })
  const differences = vector.trace.flatMap(({ after, w, b }, i) => {
    const rows = file.X.slice(svm.steps, after)
    svm.partialFit(rows.flat(), file.y.slice(svm.steps, after))
    return compare({ w: svm.weights(), b: svm.intercept }, { w, b }, file.tol.f64, `trace[${i}]`)
  })
  const decision = file.X.map((row) => svm.decision(row))
  svm.dispose()
  return [...differences, ...compare(decision, vector.decision, file.tol.f64, 'decision')]
}

// The random features of a machine approximate the kernel: 2^15 of them to about 3/sqrt(2^15).
const KERNEL_FEATURES = 2 ** 15
const KERNEL_TOLERANCE = { abs: 0.02 }

function checkSvmFeatures(expected, file, { core }) {
  const svm = svmOf(core, file)
  const features = file.X.map((row) => svm.features(row))
  svm.dispose()
  const { mean, std, gamma } = file
  const moments = { mean, variance: std.map((deviation) => deviation ** 2) }
  const wide = new RffSvm(core, { inputs: mean.length, features: KERNEL_FEATURES, gamma, moments })
  const first = file.X.slice(0, expected.exact_kernel_first3.length).map((row) => wide.features(row))
  wide.dispose()
  const kernel = first.map((a) => first.map((b) => a.reduce((sum, value, i) => sum + value * b[i], 0)))
  return [
    ...compare(features, expected.features, file.tol.f64, 'features'),
    ...compare(kernel, expected.exact_kernel_first3, KERNEL_TOLERANCE, 'kernel'),
  ]
}

const svmGroups = { expected: checkSvmFeatures, sgd: checkSvmSteps }

const statsGroups = {
  running_mean_var(vector, file, { core }) {
    const size = vector.batches[0][0].length
    const moments = new RunningMoments(core, size)
    const { mean, var: variance, count } = vector.initial
    const spread = (value) => (Array.isArray(value) ? value : Array(size).fill(value))
    moments.load([
      doubleTensor('count', [count]),
      doubleTensor('mean', spread(mean)),
      doubleTensor('variance', spread(variance)),
    ])
    const differences = vector.batches.flatMap((batch, i) => {
      moments.update(f32(batch), batch.length)
      const got = { mean: moments.mean(), var: moments.variance(), count: moments.count }
      return compare(got, vector.expected[i], file.tol.f64, `expected[${i}]`)
    })
    moments.dispose()
    return differences
  },
  percentiles(vector, file) {
    const got = Object.fromEntries(Object.keys(vector.expected).map((p) => [p, percentile(vector.x, Number(p))]))
    const ci = percentile(vector.x, 99) / percentile(vector.x, 50)
    return [
      ...compare(got, vector.expected, file.tol.f64),
      ...(vector.ci === undefined ? [] : compare(ci, vector.ci, file.tol.f64, 'ci')),
    ]
  },
  relative_importance(vector, file) {
    const pcc = vector.T.map((times) => pearson(times, vector.T_cp))
    const shares = vector.T.map((times) => varianceShare(times, vector.T_cp))
    const sum = (numbers) => numbers.reduce((a, b) => a + b, 0)
    const got = { pcc, pcc_sum: sum(pcc), variance_share: shares, variance_share_sum: sum(shares) }
    return compare(got, vector.expected, file.tol.f64)
  },
  pcc_degenerate: (vector, file) => compare(pearson(vector.a, vector.b), vector.expected, file.tol.f64),
  ravel_multi_index: (vector) => compare(ravelMultiIndex(vector.index, vector.dims), vector.expected),
  embedding_similarity(vector, file) {
    const { cosine, distance, similarity } = embeddingSimilarity(vector.e1, vector.e2)
    return compare({ cosine, euclid_unit_half: distance, S: similarity }, vector.expected, file.tol.f64)
  },
  softmax_sample: (vector, _, { core }) =>
    compare(sampleCategorical(core.math, vector.logits, vector.u), vector.expected),
}

const toQueue = (vector) => ({
  arrivalRate: vector.arrival_rate,
  serviceRate: vector.service_rate,
  servers: vector.servers,
  scvArrival: vector.scv_arrival,
  scvService: vector.scv_service,
})

const queueingGroups = {
  mmc(vector, file, { core }) {
    const times = mmcTimes(core.math, toQueue(vector))
    const got = {
      rho: times.utilisation,
      erlang_c: times.waitProbability,
      mean_wait: times.meanWait,
      mean_sojourn: times.meanSojourn,
      p99_wait: times.waitQuantile,
      p99_sojourn: times.sojournQuantile,
    }
    return compare(got, vector.expected, file.tol.f64)
  },
  mg1_ps(vector, file) {
    const { arrival_rate: arrivalRate, mean_work: meanWork, capacity } = vector
    const { utilisation, meanSojourn } = mg1ProcessorSharing({ arrivalRate, meanWork, capacity })
    return compare({ rho: utilisation, mean_sojourn: meanSojourn }, vector.expected, file.tol.f64)
  },
  mg1_fcfs(vector, file) {
    const meanWait = pollaczekKhinchine({
      arrivalRate: vector.arrival_rate,
      meanService: vector.mean,
      scvService: vector.scv,
    })
    return compare({ mean_wait: meanWait }, vector.expected, file.tol.f64)
  },
  allen_cunneen: (vector, file) => compare({ mean_wait: allenCunneen(toQueue(vector)) }, vector.expected, file.tol.f64),
}

/** Row i of the vector becomes state i, one-hot: a linear network then has any Q that is asked for. */
function checkDqnUpdate(vector, file, { core }) {
  const { q, q_next_target: nextTarget, q_next_online: nextOnline, actions, r, terminated, expected } = vector
  const rows = q.length
  const choices = q[0].length
  const oneHot = (i) => Float32Array.from({ length: 2 * rows }, (_, j) => (i === j ? 1 : 0))
  const network = (here, there) =>
    f32([...q[0].keys()].map((a) => [...here, ...there].map((row) => row[a])).concat([Array(choices).fill(0)]))
  const update = (loss) => {
    const kernel = new DqnKernel(core, {
      stateSize: 2 * rows,
      actions: choices,
      hidden: [],
      batchSize: rows,
      capacity: rows,
      seed: 0,
      learningRate: 1e-3,
      discount: vector.gamma,
      double: vector.double,
      targetRate: 1,
      loss,
    })
    kernel.setParameters('online', network(q, nextOnline))
    kernel.setParameters('target', network(q, nextTarget))
    for (let i = 0; i < rows; i++) kernel.insert(oneHot(i), actions[i], r[i], oneHot(rows + i), terminated[i])
    kernel.updateOn([...q.keys()])
    const weights = toRows(kernel.gradients().subarray(0, 2 * rows * choices), 2 * rows)
    const result = {
      target: kernel.lastBatch().goals,
      loss: kernel.report().loss,
      gradient: q.map((_, i) => weights.map((row) => row[i])), // of a one-hot input: dLoss/dQ itself
    }
    kernel.dispose()
    return result
  }
  const { target, loss, gradient } = update('huber')
  const got = { target, huber: loss, mse: update('mse').loss, grad_huber: gradient }
  return compare(got, expected, file.tol.f32)
}

function checkTabular(vector, file, { core }) {
  const { states, actions, alpha, gamma, steps } = vector
  const table = createQTable(core, {
    observation: discreteSpace('state', states),
    action: discreteSpace('action', actions),
    options: { learningRate: alpha, discount: gamma },
    seed: 0,
  })
  const after = steps.map(({ s, a, r, s2, terminated }) => table.learn(s, a, r, s2, terminated))
  const final = Array.from({ length: states }, (_, state) => table.values(state))
  table.dispose()
  return [
    ...compare(
      after,
      steps.map(({ q_after: value }) => value),
      file.tol.f64,
      'q_after',
    ),
    ...compare(final, vector.final, file.tol.f64, 'final'),
  ]
}

const checkEpsilon = ({ step, total, fraction, start, end, expected }, file) =>
  compare(epsilonAt({ from: start, to: end, steps: total * fraction }, step), expected, file.tol.f64)

const dqnGroups = { dqn: checkDqnUpdate, tabular: checkTabular, epsilon: checkEpsilon }

/** One kind, several groups: each has its own check; an unknown group is a failure, not a pass. */
const byGroup = (groups) => (vector, file, context) =>
  groups[context.group]?.(vector, file, context) ?? [
    { at: 'group', expected: `a check for group ${context.group}`, got: 'none: this group is not implemented' },
  ]

export const handlers = {
  'nn/mlp': checkMlp,
  'nn/adam': checkAdam,
  'nn/ddpg': byGroup(ddpgGroups),
  'nn/dqn': byGroup(dqnGroups),
  'nn/bcq': byGroup(bcqGroups),
  'nn/svm-rff': byGroup(svmGroups),
  'nn/stats': byGroup(statsGroups),
  'nn/queueing': byGroup(queueingGroups),
}
