// The core's kernels against onnxruntime-web, tfjs-wasm and plain JavaScript, in one process.
// Every peer must first give the same numbers as the core.
import { createCore, Mlp, Random } from '@trimtab/core'
import { DdpgKernel } from '@trimtab/core/internal'
import { measure, median, speedUp } from './harness.mjs'
import { toLayers } from './peers/layers.mjs'
import { loadTfjs } from './peers/load-tfjs.mjs'
import { onnxMatMul, onnxMlp } from './peers/onnx.mjs'
import { shareOfPeak } from './peers/peak.mjs'
import { plainDdpg, plainMatMul, plainNet } from './peers/plain.mjs'

export const name = 'core'

const ACTOR = [8, 40, 40, 5] // FIRM, dissertation Table 3.3
const CRITIC = [13, 40, 40, 1]

function mustAgree(what, got, expected, tolerance) {
  const gap = Math.max(...Array.from(expected, (value, i) => Math.abs(value - got[i])))
  if (!(gap <= tolerance)) throw new Error(`${what} disagrees with the core by ${gap}`)
}

const uniform = (random, length) => Float32Array.from({ length }, () => 2 * random.uniform() - 1)

/** One row for each peer; targets by the peer's name. */
async function against(subject, candidates, targets) {
  const times = await measure(candidates)
  return Object.keys(candidates)
    .filter((peer) => peer !== 'ours')
    .map((peer) => ({
      name: `${subject}, against ${peer}`,
      ours: median(times.ours) * 1e6,
      peer: median(times[peer]) * 1e6,
      ratio: speedUp(times.ours, times[peer]),
      target: targets[peer] ?? {},
      unit: 'µs',
    }))
}

async function actorRows(core, random, batch, target) {
  const activations = ['relu', 'relu', 'tanh']
  const net = new Mlp(core, { sizes: ACTOR, activations, maxBatch: batch, random })
  const layers = toLayers(ACTOR, net.parameters())
  const peer = await onnxMlp(layers, batch, activations)
  const plain = plainNet(layers, 'tanh')
  const x = uniform(random, batch * ACTOR[0])
  const y = new Float32Array(batch * ACTOR.at(-1))
  const plainY = new Float32Array(y.length)
  const runPlain = () => {
    for (let i = 0; i < batch; i++) plainY.set(plain.forward(x.subarray(i * 8, i * 8 + 8)), i * 5)
    return plainY
  }
  net.forwardBatch(x, y, batch)
  mustAgree('onnxruntime-web', await peer(x), y, 1e-5)
  mustAgree('plain JS', runPlain(), y, 1e-5)
  return against(
    `actor 8-40-40-5, ${batch === 1 ? 'one state' : `${batch} states`}`,
    {
      ours: () => {
        net.forwardBatch(x, y, batch)
        return y[0]
      },
      'onnxruntime-web': async () => (await peer(x))[0],
      'plain JS': () => runPlain()[0],
    },
    { 'onnxruntime-web': target },
  )
}

async function updateRows(core, random) {
  const batchSize = 64
  const options = { actorLearningRate: 3e-4, criticLearningRate: 3e-3, discount: 0.9, targetRate: 0.002 }
  const kernel = new DdpgKernel(core, {
    stateSize: 8,
    actionSize: 5,
    hidden: [40, 40],
    batchSize,
    capacity: 10_000,
    seed: 1,
    averageRate: 0,
    weightDecay: 0,
    maxGradientNorm: 0,
    outputPenalty: 0,
    cloningWeight: 0,
    ...options,
  })
  const setup = {
    actor: toLayers(ACTOR, kernel.parameters('actor')),
    critic: toLayers(CRITIC, kernel.parameters('critic')),
    stateSize: 8,
    actionSize: 5,
    batchSize,
    options,
  }
  const { tfjsDdpg } = await loadTfjs()
  const [tfjs, plain] = [tfjsDdpg(setup), plainDdpg(setup)]
  const batch = {
    states: uniform(random, batchSize * 8),
    actions: uniform(random, batchSize * 5),
    rewards: uniform(random, batchSize),
    next: uniform(random, batchSize * 8),
    alive: new Float32Array(batchSize).fill(1),
  }
  const insert = (b, i) =>
    kernel.insert(
      b.states.subarray(i * 8, i * 8 + 8),
      b.actions.subarray(i * 5, i * 5 + 5),
      b.rewards[i],
      b.next.subarray(i * 8, i * 8 + 8),
      false,
    )
  for (let i = 0; i < batchSize; i++) insert(batch, i)
  const indices = Array.from({ length: batchSize }, (_, i) => i)
  // tfjs adds its epsilon before the bias correction: a relative 1e-3 after ten updates is agreement.
  for (let step = 0; step < 10; step++) {
    kernel.updateOn(indices)
    const { criticLoss } = kernel.report()
    mustAgree(`tfjs, update ${step}`, [tfjs(batch)], [criticLoss], 1e-3 * criticLoss)
    mustAgree(`plain JS, update ${step}`, [plain(batch)], [criticLoss], 1e-3 * criticLoss)
  }
  for (let i = batchSize; i < 10_000; i++) insert(batch, i % batchSize)
  return against(
    'DDPG update, batch 64',
    {
      ours: () => {
        kernel.update()
        return kernel.size
      },
      'tfjs-wasm': () => tfjs(batch),
      'plain JS': () => plain(batch),
    },
    { 'tfjs-wasm': { ratio: 15 } },
  )
}

async function productRows(core, random) {
  const [m, n, k] = [64, 256, 256]
  const [a, b, c] = [uniform(random, m * k), uniform(random, k * n), new Float32Array(m * n)]
  const e = core.exports
  const at = { a: core.allocate(a.byteLength), b: core.allocate(b.byteLength), c: core.allocate(c.byteLength) }
  at.panels = core.allocate(e.gemm_panel_bytes(n, k))
  const multiply = () => e.gemm_multiply(at.c, at.a, at.b, m, n, k, at.panels)
  const ours = () => {
    const floats = new Float32Array(core.memory.buffer)
    floats.set(a, at.a / 4)
    floats.set(b, at.b / 4)
    multiply()
    c.set(floats.subarray(at.c / 4, at.c / 4 + c.length))
    return c[0]
  }
  const peer = await onnxMatMul(m, n, k)
  const plainC = new Float32Array(m * n)
  ours()
  mustAgree('onnxruntime-web', await peer(a, b), c, 1e-4)
  mustAgree('plain JS', plainMatMul(a, b, plainC, m, n, k), c, 1e-4)
  const rows = await against(
    'matrix product 64×256×256 from and to JS arrays',
    {
      ours,
      'onnxruntime-web': async () => (await peer(a, b))[0],
      'plain JS': () => plainMatMul(a, b, plainC, m, n, k)[0],
    },
    { 'onnxruntime-web': { ratio: 1.4 } },
  )
  const product = () => {
    multiply()
    return 0
  }
  return [
    ...rows,
    ...(await shareOfPeak('matrix product 64×256×256, packing timed', {
      flops: 2 * m * n * k,
      call: product,
      target: { ratio: 0.8 },
      timing: { rounds: 200, batchMs: 1 },
    })),
  ]
}

export async function run({ log }) {
  const core = await createCore()
  const random = new Random(core, 1)
  log('core: actor')
  const actor = [
    ...(await actorRows(core, random, 1, { ratio: 5, ours: 2 })),
    ...(await actorRows(core, random, 256, { ratio: 2 })),
  ]
  log('core: DDPG update')
  const update = await updateRows(core, random)
  log('core: matrix product')
  return [...actor, ...update, ...(await productRows(core, random))]
}
