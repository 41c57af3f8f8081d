// Batches on WebGPU (Dawn) against the core, over batch sizes: on a GPU a record, on a software adapter a check that they run.
import { existsSync } from 'node:fs'
import { createCore, Mlp, Random } from '@trimtab/core'
import { ContextEncoder } from '@trimtab/core/internal'
import { create } from 'webgpu'
import { measure, median, speedUp } from './harness.mjs'

export const name = 'WebGPU against the core'

const SWIFTSHADER = '/usr/lib/chromium/vk_swiftshader_icd.json'

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

/** Must outlive its devices. */
let dawn

async function rowOf(title, { onGpu, onCore }, timing) {
  const times = await measure({ ours: onGpu, peer: onCore }, timing)
  const milliseconds = (which) => median(times[which]) * 1e3
  return {
    name: title,
    ours: milliseconds('ours'),
    peer: milliseconds('peer'),
    ratio: speedUp(times.ours, times.peer),
    unit: 'ms',
  }
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

export async function run({ log }) {
  if (existsSync(SWIFTSHADER)) process.env.VK_ICD_FILENAMES ??= SWIFTSHADER
  dawn ??= create([])
  const adapter = await dawn.requestAdapter({ powerPreference: 'high-performance' })
  if (!adapter) {
    log('webgpu: NOT MEASURED: no adapter here (a Vulkan driver brings one)')
    return []
  }
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize, maxStorageBufferBindingSize } })
  const [plain, withGpu] = [await createCore(), await createCore({ gpu: device })]
  const isSoftware = adapter.info.isFallbackAdapter || /swiftshader|llvmpipe/i.test(withGpu.gpu.adapter)
  log(`webgpu: ${withGpu.gpu.adapter}${isSoftware ? ': in software, so a check and no record' : ''}`)
  const { agents, encoder, applications, ...timing } = isSoftware ? CHECK : RECORD
  const rows = []
  for (const count of agents) {
    const calls = { onGpu: agentsOn(withGpu, count), onCore: agentsOn(plain, count) }
    rows.push(await rowOf(`${count} agents: ${NET.sizes.join('-')}`, calls, timing))
  }
  const { maxSequences: M, maxSteps: T, hiddenSize: H } = encoder
  for (const count of applications) {
    const calls = { onGpu: applicationsOn(withGpu, count, encoder), onCore: applicationsOn(plain, count, encoder) }
    rows.push(await rowOf(`${count} applications: M ${M}, T ${T}, H ${H}`, calls, timing))
  }
  if (withGpu.gpu.unused !== undefined) throw new Error(`the GPU was given up: ${withGpu.gpu.unused}`)
  return rows
}
