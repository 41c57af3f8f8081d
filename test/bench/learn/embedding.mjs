// AWARE's encoder, 2 × bi-GRU 256 over 20 trajectories of 100 steps, 512 → 256 → 64: forward against onnxruntime-web.
import { Random } from '@trimtab/core'
import { ContextEncoder } from '@trimtab/core/internal'
import { measure, median, speedUp } from '../harness.mjs'
import { onnxEmbedding } from '../peers/onnx.mjs'
import { shareOfPeak } from '../peers/peak.mjs'

const [M, T, I, H, DENSE] = [20, 100, 16, 256, [256, 64]] // probe of notes/rl.md 8: 6.39 GFLOP

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

export async function embeddingRows(core) {
  const encoder = new ContextEncoder(core, {
    ...{ kind: 'gru', inputSize: I, hiddenSize: H, dense: DENSE, maxSequences: M, maxSteps: T },
    ...{ learningRate: 3e-4, seed: 1 },
  })
  const random = new Random(core, 1)
  const steps = Float32Array.from({ length: M * T * I }, () => 2 * random.uniform() - 1)
  const context = { steps, lengths: new Int32Array(M).fill(T) }
  const z = new Float32Array(DENSE.at(-1))
  const encode = () => {
    encoder.encode([context], z)
    return z[0]
  }
  const timeMajor = new Float32Array(steps.length)
  for (let m = 0; m < M; m++) {
    for (let t = 0; t < T; t++) timeMajor.set(steps.subarray((m * T + t) * I, (m * T + t + 1) * I), (t * M + m) * I)
  }
  const peer = await onnxEmbedding({
    ...unpack(encoder.parameters()),
    ...{ inputSize: I, hiddenSize: H, steps: T, sequences: M },
  })
  encode()
  const gap = Math.max(...(await peer(timeMajor)).map((value, i) => Math.abs(value - z[i])))
  if (!(gap < 1e-5)) throw new Error(`onnxruntime-web disagrees with the encoder by ${gap}`)
  const slopes = new Float32Array(z.length).fill(1)
  const times = await measure(
    {
      ours: encode,
      'onnxruntime-web': async () => (await peer(timeMajor))[0],
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
  random.dispose()
  const milliseconds = (name) => median(times[name]) * 1e3
  return [
    {
      name: 'embedding by 2 × bi-GRU 256 of 20 × 100 steps, against onnxruntime-web',
      ours: milliseconds('ours'),
      peer: milliseconds('onnxruntime-web'),
      ratio: speedUp(times.ours, times['onnxruntime-web']),
      target: { ratio: 1.6 },
      unit: 'ms',
    },
    ...shares,
    { name: 'forward, backward and Adam step of that encoder', ours: milliseconds('learn'), unit: 'ms' },
  ]
}
