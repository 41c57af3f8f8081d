// WebGPU against the core, the same in every runtime: how far apart they lie, and what a device's loss does.
import { createCore, Mlp, Random } from '@trimtab/core'
import { ContextEncoder } from '@trimtab/core/internal'

const PLAN = { maxContexts: 3, maxSequences: 32, maxSteps: 8, learningRate: 0, seed: 1 }
const NETS = {
  'SIMPPO, 1,000 agents': { sizes: [10, 64, 64, 7], activations: ['tanh', 'tanh', 'linear'], rows: 1000 },
  'critic, wider than a workgroup holds': { sizes: [300, 600, 1], activations: ['relu', 'linear'], rows: 20 },
}
const ENCODERS = {
  FLASH: { kind: 'gru', inputSize: 16, hiddenSize: 32, dense: [32], M: 32 },
  AWARE: { kind: 'gru', inputSize: 16, hiddenSize: 40, dense: [64, 64], allHidden: true, M: 20 },
  set: { kind: 'set', inputSize: 16, hiddenSize: 64, dense: [32], M: 8 },
}

function numbers(core, count) {
  const random = new Random(core, 1)
  const drawn = Float32Array.from({ length: count }, () => random.normal())
  random.dispose()
  return drawn
}

async function forwardOn(core, { rows, ...net }) {
  const mlp = new Mlp(core, net)
  const y = new Float32Array(rows * net.sizes.at(-1))
  await mlp.forwardMany(numbers(core, rows * net.sizes[0]), y)
  mlp.dispose()
  return y
}

/** Three contexts, the second without data; lengths of 1 … 8 steps. */
async function encodeOn(core, { M, ...shape }) {
  const encoder = new ContextEncoder(core, { ...PLAN, ...shape })
  const contexts = [M, 0, 3].map((members) => ({
    steps: numbers(core, members * PLAN.maxSteps * shape.inputSize),
    lengths: Int32Array.from({ length: members }, (_, i) => 1 + ((7 * i) % PLAN.maxSteps)),
  }))
  const z = new Float32Array(contexts.length * encoder.embeddingSize)
  await encoder.encodeMany(contexts, z)
  encoder.dispose()
  return z
}

/** Largest difference by the largest absolute value. */
function gapOf(found, wanted) {
  const largest = wanted.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-30)
  return found.reduce((most, value, i) => Math.max(most, Math.abs(value - wanted[i])), 0) / largest
}

/** What is wrong with WebGPU here, one line each; the gaps; whether it took too long and the core computed; undefined: there is no device. */
export async function probeWebGpu(openDevice) {
  const device = await openDevice()
  if (!device) return undefined
  const plain = await createCore()
  const onGpu = await createCore({ gpu: device })
  const gaps = {}
  for (const [name, net] of Object.entries(NETS))
    gaps[name] = gapOf(await forwardOn(onGpu, net), await forwardOn(plain, net))
  for (const [name, shape] of Object.entries(ENCODERS))
    gaps[name] = gapOf(await encodeOn(onGpu, shape), await encodeOn(plain, shape))
  const wrong = Object.entries(gaps)
    .filter(([, gap]) => !(gap < 1e-5))
    .map(([name, gap]) => `${name}: off by ${gap} of the largest`)
  const isLate = /^no answer/.test(onGpu.gpu.unused ?? '') // a busy machine that draws in software is slow, not wrong
  if (onGpu.gpu.unused !== undefined && !isLate) wrong.push(`the GPU was given up: ${onGpu.gpu.unused}`)
  return { adapter: onGpu.gpu.adapter, gaps, isLate, wrong: [...wrong, ...(await lose(openDevice, plain))] }
}

/** A device that is lost while it computes: the core answers, with its own bits. */
async function lose(openDevice, plain) {
  const net = Object.values(NETS)[0]
  const device = await openDevice()
  const core = await createCore({ gpu: device })
  const answer = forwardOn(core, net)
  device.destroy()
  const wanted = await forwardOn(plain, net)
  const isSame = (await answer).every((value, i) => value === wanted[i])
  return [
    isSame ? [] : 'after a loss the call is not the core’s',
    /lost/.test(core.gpu.unused) ? [] : `a loss is told as ${core.gpu.unused}`,
  ].flat()
}
