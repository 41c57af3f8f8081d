// AWARE's encoder: forward against onnxruntime-web, and against
// onnxruntime-node, which has 512-bit SIMD where the CPU has, if it is installed.
import { ContextEncoder } from '@trimtab/core/internal'
import { measure, median, speedUp } from '../harness.mjs'
import { onnxEmbedding, onnxNode } from '../peers/onnx.mjs'
import { shareOfPeak } from '../peers/peak.mjs'
import { AWARE, contextOf } from './aware.mjs'

const { maxSequences: M, maxSteps: T, inputSize: I, hiddenSize: H, dense: DENSE } = AWARE // 6.39 GFLOP

const FLOPS = 2 * T * M * 3 * H * 2 * (I + H + (2 * H + H))

/** Calls last a tenth of a second and more: processor time, so that what others run counts less. */
const TIMING = { rounds: 15, batchMs: 20, clock: 'cpu' }

/** Canonical parameters of a `gru` encoder → what the peer takes. */
function unpack(parameters) {
  let at = 0
  const take = (n) => {
    at += n
    return parameters.slice(at - n, at)
  }
  const units = [I, I, 2 * H, 2 * H].map((inputs) => ({
    wih: take(3 * H * inputs),
    whh: take(3 * H * H),
    bih: take(3 * H),
    bhh: take(3 * H),
  }))
  const dense = DENSE.map((outputs, i) => {
    const inputs = i === 0 ? 2 * H : DENSE[i - 1]
    return { w: take(outputs * inputs), b: take(outputs), inputs, outputs }
  })
  return { units, dense }
}

/** The same encoder in other runtimes, by name: x [T, M, I] → z. */
async function peersOf(encoder, log) {
  const net = { ...unpack(encoder.parameters()), inputSize: I, hiddenSize: H, steps: T, sequences: M }
  const native = await onnxNode()
  if (!native) log('learn: NOT MEASURED beside onnxruntime-node: npm i --no-save onnxruntime-node')
  return {
    'onnxruntime-web': await onnxEmbedding(net),
    ...(native && { 'onnxruntime-node': await onnxEmbedding(net, native) }),
  }
}

export async function embeddingRows(core, log) {
  const encoder = new ContextEncoder(core, AWARE)
  const context = contextOf(core)
  const { steps } = context
  const z = new Float32Array(DENSE.at(-1))
  const encode = () => {
    encoder.encode([context], z)
    return z[0]
  }
  const timeMajor = new Float32Array(steps.length)
  for (let m = 0; m < M; m++) {
    for (let t = 0; t < T; t++) timeMajor.set(steps.subarray((m * T + t) * I, (m * T + t + 1) * I), (t * M + m) * I)
  }
  const peers = await peersOf(encoder, log)
  encode()
  for (const [name, peer] of Object.entries(peers)) {
    const gap = Math.max(...(await peer(timeMajor)).map((value, i) => Math.abs(value - z[i])))
    if (!(gap < 1e-5)) throw new Error(`${name} disagrees with the encoder by ${gap}`)
  }
  const slopes = new Float32Array(z.length).fill(1)
  const times = await measure(
    {
      ours: encode,
      ...Object.fromEntries(
        Object.entries(peers).map(([name, peer]) => [name, async () => (await peer(timeMajor))[0]]),
      ),
      learn: () => Number(encoder.learn([context], slopes)),
    },
    TIMING,
  )
  const shares = await shareOfPeak('that embedding', {
    flops: FLOPS,
    call: encode,
    target: { ratio: 0.7 },
    timing: TIMING,
  })
  encoder.dispose()
  const milliseconds = (name) => median(times[name]) * 1e3
  return [
    ...Object.keys(peers).map((name) => ({
      name: `embedding by 2 × bi-GRU 256 of 20 × 100 steps, against ${name}`,
      ours: milliseconds('ours'),
      peer: milliseconds(name),
      ratio: speedUp(times.ours, times[name]),
      ...(name === 'onnxruntime-web' && { target: { ratio: 1.6 } }),
      unit: 'ms',
    })),
    ...shares,
    { name: 'forward, backward and Adam step of that encoder', ours: milliseconds('learn'), unit: 'ms' },
  ]
}
