// A PPO epoch, 2,048 steps in mini-batches of 64, against the same on tfjs-wasm.
import { Random } from '@trimtab/core'
import { PpoKernel } from '@trimtab/core/internal'
import { measure, median, speedUp } from '../harness.mjs'
import { toLayers } from '../peers/layers.mjs'
import { loadTfjs } from '../peers/load-tfjs.mjs'

const STEPS = 2048
const MINI_BATCH = 64

function kernelOf(core, { stateSize, globalSize = 0, hidden, actionSize, policy }) {
  const kernel = new PpoKernel(core, {
    ...{ stateSize, globalSize, actionSize, policy, hidden, activation: 'tanh', seed: 1 },
    ...{ capacity: STEPS, miniBatchSize: MINI_BATCH, discount: 0.99, lambda: 0.95, clip: 0.2 },
    ...{ policyLearningRate: 3e-4, valueLearningRate: 3e-4, valueWeight: 0.5, entropyWeight: 0.005 },
  })
  const random = new Random(core, 1)
  const action = new Float32Array(1)
  for (let i = 0; i < STEPS; i++) {
    const [state, global] = [stateSize, globalSize].map((length) =>
      Float32Array.from({ length }, () => 2 * random.uniform() - 1),
    )
    kernel.sample(state, action)
    kernel.insert(state, action, random.normal(), state, i % 100 === 99, 0, global, global)
  }
  random.dispose()
  kernel.prepare()
  return kernel
}

function rolloutOf(kernel) {
  const tensors = new Map(kernel.save().map(({ name, bytes }) => [name, bytes.slice().buffer]))
  const doubles = (name) => new Float64Array(tensors.get(`rollout.${name}`))
  return {
    states: new Float32Array(tensors.get('rollout.state')),
    globals: new Float32Array(tensors.get('rollout.global') ?? 0),
    actions: new Float32Array(tensors.get('rollout.action')),
    old: doubles('logProbability'),
    advantages: doubles('advantage'),
    returns: doubles('return'),
  }
}

/** @param shape  { stateSize, globalSize, hidden, actionSize, policy } */
export async function epochRow(core, tfjsPpo, title, shape) {
  const kernel = kernelOf(core, shape)
  const rollout = rolloutOf(kernel)
  const { stateSize, globalSize = 0, hidden, actionSize, policy } = shape
  const peer = tfjsPpo({
    policy: toLayers([stateSize, ...hidden, actionSize], kernel.parameters('policy')),
    value: toLayers([stateSize + globalSize, ...hidden, 1], kernel.parameters('value')),
    logDeviation: policy === 'gaussian' ? 0 : Number.NaN,
    ...{
      stateSize,
      globalSize,
      outputs: actionSize,
      learningRate: 3e-4,
      clip: 0.2,
      valueWeight: 0.5,
      entropyWeight: 0.005,
    },
  })
  const order = Int32Array.from({ length: STEPS }, (_, i) => i)
  const batches = () =>
    Array.from({ length: STEPS / MINI_BATCH }, (_, i) => order.subarray(i * MINI_BATCH, (i + 1) * MINI_BATCH))
  // The same mini-batches on both sides: losses must agree all the way.
  for (const rows of batches()) {
    kernel.learnOn([...rows])
    const { actorLoss, criticLoss, entropy } = kernel.report()
    const ours = actorLoss + 0.5 * criticLoss - 0.005 * entropy
    const theirs = peer(rollout, rows)
    if (!(Math.abs(ours - theirs) <= 1e-3 * (1 + Math.abs(ours)))) {
      throw new Error(`tfjs gets a loss of ${theirs}, the core ${ours}`)
    }
  }
  const random = new Random(core, 2)
  const times = await measure(
    {
      ours: () => {
        kernel.epoch()
        return kernel.report().updates
      },
      peer: () => {
        for (let i = STEPS - 1; i > 0; i--) {
          const j = random.integer(i + 1)
          const row = order[i]
          order[i] = order[j]
          order[j] = row
        }
        let loss = 0
        for (const rows of batches()) loss += peer(rollout, rows)
        return loss
      },
    },
    { rounds: 9, batchMs: 60, clock: 'cpu' },
  )
  random.dispose()
  kernel.dispose()
  return {
    name: `PPO epoch, 2,048 steps by 64, ${title}, against tfjs-wasm`,
    ours: median(times.ours) * 1e3,
    peer: median(times.peer) * 1e3,
    ratio: speedUp(times.ours, times.peer),
    target: { ratio: 10 },
    unit: 'ms',
  }
}

export async function ppoRows(core) {
  const { tfjsPpo } = await loadTfjs()
  return [
    await epochRow(core, tfjsPpo, '8-64-64-5', {
      stateSize: 8,
      hidden: [64, 64],
      actionSize: 5,
      policy: 'categorical',
    }),
    await epochRow(core, tfjsPpo, 'Aurora 30-32-16-1', {
      ...{ stateSize: 30, hidden: [32, 16], actionSize: 1, policy: 'gaussian' },
    }),
  ]
}
