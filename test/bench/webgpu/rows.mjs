// Batches on a WebGPU device against the core, and against onnxruntime-web on WebGPU where the host has it: in Node and in pages.
import { createCore, Mlp, Random } from '@trimtab/core'
import { ContextEncoder } from '@trimtab/core/internal'
import { measure, median, speedUp } from '../harness.mjs'
import { toLayers } from '../peers/layers.mjs'

/** SIMPPO's policy, for so many agents. */
const NET = { sizes: [10, 64, 64, 7], activations: ['tanh', 'tanh', 'linear'], maxBatch: 256 }

/** AWARE's encoder, for so many applications of M = 20 trajectories of T = 100 steps. */
const ENCODER = { kind: 'gru', inputSize: 16, hiddenSize: 256, dense: [256, 64], maxSequences: 20, maxSteps: 100 }

const RECORD = { agents: [100, 1000, 10_000, 100_000], encoder: ENCODER, applications: [1, 8], rounds: 5, batchMs: 20 }
/** What a CPU that plays GPU gets through. */
const CHECK = {
  agents: [100, 1000],
  encoder: { ...ENCODER, hiddenSize: 32, dense: [32], maxSequences: 4, maxSteps: 20 },
  applications: [1],
  ...{ rounds: 2, batchMs: 1 },
}

/** One row for each peer. */
async function rowsOf(title, { ours, ...peers }, timing) {
  const times = await measure({ ours, ...peers }, timing)
  const milliseconds = (which) => median(times[which]) * 1e3
  return Object.keys(peers).map((peer) => ({
    name: `${title}, against ${peer}`,
    ours: milliseconds('ours'),
    peer: milliseconds(peer),
    ratio: speedUp(times.ours, times[peer]),
    unit: 'ms',
  }))
}

function numbers(core, count) {
  const random = new Random(core, 1)
  return Float32Array.from({ length: count }, () => 2 * random.uniform() - 1)
}

/** A call that computes what so many agents do, and returns one number of it. */
function agentsOn(core, count) {
  const net = new Mlp(core, NET)
  const [x, y] = [numbers(core, count * NET.sizes[0]), new Float32Array(count * NET.sizes.at(-1))]
  return async () => {
    await net.forwardMany(x, y)
    return y[0]
  }
}

/** The same on onnxruntime-web, whose answer must be ours. */
async function agentsOnOnnx(core, count, onnxMlp) {
  const net = new Mlp(core, NET)
  const [x, y] = [numbers(core, count * NET.sizes[0]), new Float32Array(count * NET.sizes.at(-1))]
  const peer = await onnxMlp(toLayers(NET.sizes, net.parameters()), count, NET.activations)
  await net.forwardMany(x, y)
  const gap = (await peer(x)).reduce((most, value, i) => Math.max(most, Math.abs(value - y[i])), 0)
  if (!(gap < 1e-4)) throw new Error(`onnxruntime-web disagrees with the core by ${gap}`)
  return async () => (await peer(x))[0]
}

/** A call that embeds so many applications, and returns one number of it. */
function applicationsOn(core, count, sizes) {
  const encoder = new ContextEncoder(core, { ...sizes, learningRate: 0, seed: 1 })
  const { maxSequences: M, maxSteps: T, inputSize: I } = sizes
  const contexts = Array(count).fill({ steps: numbers(core, M * T * I), lengths: new Int32Array(M).fill(T) })
  const z = new Float32Array(count * encoder.embeddingSize)
  return async () => {
    await encoder.encodeMany(contexts, z)
    return z[0]
  }
}

/** A device with the limits of its adapter; undefined: the host has none. @param gpu  `navigator.gpu`, or Dawn's */
export async function openDevice(gpu) {
  const adapter = await gpu?.requestAdapter({ powerPreference: 'high-performance' })
  if (!adapter) return undefined
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits
  return adapter.requestDevice({ requiredLimits: { maxBufferSize, maxStorageBufferBindingSize } })
}

/**
 * @param device  of `openDevice`
 * @param onnxMlp  that of `peers/onnx.mjs` on WebGPU; undefined: the core is the only peer. onnxruntime-web has no GRU on WebGPU, so encoders have
 *   no other anyway
 * @returns what computes, whether it does so in software, which is a check and no record, and the rows
 */
export async function webGpuRows(device, onnxMlp) {
  const [plain, withGpu] = [await createCore(), await createCore({ gpu: device })]
  const { adapter } = withGpu.gpu
  const isSoftware = /swiftshader|llvmpipe/i.test(adapter)
  const { agents, encoder, applications, ...timing } = isSoftware ? CHECK : RECORD
  const rows = []
  for (const count of agents) {
    const calls = { ours: agentsOn(withGpu, count), 'the core': agentsOn(plain, count) }
    if (onnxMlp) calls['onnxruntime-web on WebGPU'] = await agentsOnOnnx(plain, count, onnxMlp)
    rows.push(...(await rowsOf(`${count} agents ${NET.sizes.join('-')}`, calls, timing)))
  }
  const { maxSequences: M, maxSteps: T, hiddenSize: H } = encoder
  for (const count of applications) {
    const calls = { ours: applicationsOn(withGpu, count, encoder), 'the core': applicationsOn(plain, count, encoder) }
    rows.push(
      ...(await rowsOf(
        `${count} ${count === 1 ? 'application' : 'applications'}, M ${M}, T ${T}, H ${H}`,
        calls,
        timing,
      )),
    )
  }
  if (withGpu.gpu.unused !== undefined) throw new Error(`the GPU was given up: ${withGpu.gpu.unused}`)
  return { adapter, isSoftware, rows }
}
