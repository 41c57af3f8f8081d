// Handlers for the recurrent vectors (nn-vectors/README.md beside the vectors), run in the f32 core.
// A cell's gates r, z, n are not part of the API; its next state and every gradient pin them.
import { Gru, Mlp } from '@trimtab/core'
import { ContextEncoder } from '@trimtab/core/internal'
import { compare } from './compare.mjs'

const f32 = (rows) => Float32Array.from([rows].flat(Number.POSITIVE_INFINITY))
const canonical = (params) => f32(params.map(({ w_ih, w_hh, b_ih, b_hh }) => [w_ih, w_hh, b_ih, b_hh]))
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0)

/** Runs one batch; with `weights`, also back from loss = Σ weights · (outputs, final states). Everything flat. */
function run(core, { shape, params, x, h0, lengths, weights }) {
  const [batch, steps] = [x.length, x[0].length]
  const gru = new Gru(core, { ...shape, maxBatch: batch, maxSteps: steps })
  gru.setParameters(canonical(params))
  const finalStates = new Float32Array(gru.units * batch * shape.hiddenSize)
  const input = { x: f32(x), batch, steps, initialStates: f32(h0) }
  gru.forward(lengths ? { ...input, lengths: Int32Array.from(lengths) } : input, finalStates)
  const outputs = new Float32Array(batch * steps * (shape.bidirectional ? 2 : 1) * shape.hiddenSize)
  gru.outputs(outputs)
  const result = { y: outputs, h_n: finalStates }
  if (weights) {
    const slopes = { outputs: weights.y && f32(weights.y), finalStates: f32(weights.h_n) }
    const [dx, dInitial] = [new Float32Array(f32(x).length), new Float32Array(finalStates.length)]
    gru.backward(slopes, { dx, dInitial })
    result.loss = dot(slopes.finalStates, finalStates) + (weights.y ? dot(slopes.outputs, outputs) : 0)
    result.grad = { params: gru.gradients(), x: dx, h0: dInitial }
  }
  gru.dispose()
  return result
}

/** What is to be expected of `run`, flat like its results. */
const flat = (values) => [...f32(values)]

function checkCell(vector, { tol }, { core }) {
  const { input_size, hidden_size, params, x, h, loss_weights, expected } = vector
  const got = run(core, {
    shape: { inputSize: input_size, hiddenSize: hidden_size },
    params: [params],
    x: x.map((row) => [row]),
    h0: h,
    weights: loss_weights && { h_n: loss_weights },
  })
  return [
    ...compare(got.h_n, flat(expected.h_next), tol.f32, 'h_next'),
    ...(loss_weights
      ? [
          ...compare(got.loss, expected.loss, tol.f32, 'loss'),
          ...compare(got.grad.params, [...canonical([expected.grad])], tol.f32, 'grad'),
          ...compare(got.grad.x, flat(expected.grad.x), tol.f32, 'grad.x'),
          ...compare(got.grad.h0, flat(expected.grad.h), tol.f32, 'grad.h'),
        ]
      : []),
  ]
}

function checkSequences(vector, { tol }, { core }) {
  const { input_size, hidden_size, layers, bidirectional, lengths, params, x, h0, loss_weights, expected } = vector
  const shape = { inputSize: input_size, hiddenSize: hidden_size, layers, bidirectional }
  const got = run(core, { shape, params, x, h0, lengths, weights: expected.grad && loss_weights })
  return [
    ...compare(got.y, flat(expected.y), tol.f32, 'y'),
    ...compare(got.h_n, flat(expected.h_n), tol.f32, 'h_n'),
    ...(expected.grad
      ? [
          ...compare(got.loss, expected.loss, tol.f32, 'loss'),
          ...compare(got.grad.params, [...canonical(expected.grad.params)], tol.f32, 'grad.params'),
          ...compare(got.grad.x, flat(expected.grad.x), tol.f32, 'grad.x'),
          ...compare(got.grad.h0, flat(expected.grad.h0), tol.f32, 'grad.h0'),
        ]
      : []),
  ]
}

/** The k-th tensor of the file's generator: u = hash32(i · 0x9E3779B9 + seed + 7919 k), uniform in ±bound. */
function hashed(seed, k, length, bound) {
  return Float32Array.from({ length }, (_, i) => {
    let x = ((i * 0x9e3779b9 + seed + k * 7919) % 2 ** 32) >>> 0
    x = Math.imul(x ^ (x >>> 16), 0x7feb352d) >>> 0
    x = Math.imul(x ^ (x >>> 15), 0x846ca68b) >>> 0
    x = (x ^ (x >>> 16)) >>> 0
    return (x / 2 ** 32 - 0.5) * 2 * bound
  })
}

function checkEmbedding(vector, { tol }, { core }) {
  const { seed, trajectories: M, steps: T, input_size: I, hidden_size: H, fc_mid, embedding, first8, expected } = vector
  const bound = Math.fround(1 / Math.sqrt(H))
  let k = 0
  const next = (length, within = bound) => hashed(seed, k++, length, within)
  const units = [0, 1, 2, 3].map((unit) => {
    const inputs = unit < 2 ? I : 2 * H
    return { w_ih: next(3 * H * inputs), w_hh: next(3 * H * H), b_ih: next(3 * H), b_hh: next(3 * H) }
  })
  const x = next(M * T * I, 1)
  const [fc1, fc2] = [
    [next(fc_mid * 2 * H), next(fc_mid)],
    [next(embedding * fc_mid), next(embedding)],
  ]
  const fc4 = [next(embedding * 4 * H), next(embedding)]

  const gru = new Gru(core, { inputSize: I, hiddenSize: H, layers: 2, bidirectional: true, maxBatch: M, maxSteps: T })
  const parameters = units.flatMap((unit) => Object.values(unit)).flatMap((part) => [...part])
  gru.setParameters(Float32Array.from(parameters))
  const states = new Float32Array(4 * M * H)
  gru.forward({ x, batch: M, steps: T }, states)
  const y = new Float32Array(M * T * 2 * H)
  gru.outputs(y)
  gru.dispose()

  /** [4, M, H] → the mean over trajectories of the chosen units' states, one after another. */
  const meanOf = (chosen) =>
    Float32Array.from({ length: chosen.length * H }, (_, i) => {
      const unit = chosen[Math.floor(i / H)]
      let sum = 0
      for (let m = 0; m < M; m++) sum += states[(unit * M + m) * H + (i % H)]
      return sum / M
    })
  const head = (input, layers) => {
    const sizes = [input.length, ...layers.map(([, b]) => b.length)]
    const net = new Mlp(core, { sizes, activations: layers.map(() => 'relu') })
    net.setParameters(Float32Array.from(layers.flatMap(([w, b]) => [...w, ...b])))
    const out = new Float32Array(sizes.at(-1))
    net.forward(input, out)
    net.dispose()
    return out
  }
  const got = {
    y_sum: y.reduce((sum, value) => sum + value, 0),
    y_sumsq: y.reduce((sum, value) => sum + value * value, 0),
    y_m0_tlast_first16: y.subarray((T - 1) * 2 * H, (T - 1) * 2 * H + 16),
    h_n_first8: [0, 1, 2, 3].map((unit) => states.subarray(unit * M * H, unit * M * H + 8)),
    mean_last_first16: meanOf([2, 3]).subarray(0, 16),
    embedding_top: head(meanOf([2, 3]), [fc1, fc2]),
    embedding_all_hn: head(meanOf([0, 1, 2, 3]), [fc4]),
  }
  // The same readings by the encoder that users have.
  const embed = (dense, head, allHidden) => {
    const encoder = new ContextEncoder(core, {
      ...{ kind: 'gru', inputSize: I, hiddenSize: H, dense, allHidden, maxSequences: M, maxSteps: T },
      ...{ learningRate: 0, seed: 0 },
    })
    encoder.setParameters(Float32Array.from([...parameters, ...head.flatMap(([w, b]) => [...w, ...b])]))
    const z = new Float32Array(embedding)
    encoder.encode([{ steps: x, lengths: new Int32Array(M).fill(T) }], z)
    encoder.dispose()
    return z
  }
  const encoded = {
    embedding_top: embed([fc_mid, embedding], [fc1, fc2], false),
    embedding_all_hn: embed([embedding], [fc4], true),
  }
  const generated = { w_ih_l0_fwd: units[0].w_ih.subarray(0, 8), x: x.subarray(0, 8), fc4_w: fc4[0].subarray(0, 8) }
  return [
    ...compare(generated, first8, {}, 'first8'),
    ...compare(got, expected, tol.f32),
    ...compare(
      encoded,
      {
        embedding_top: expected.embedding_top,
        embedding_all_hn: expected.embedding_all_hn,
      },
      tol.f32,
      'encoder',
    ),
  ]
}

export const handlers = {
  'nn/gru-cell': checkCell,
  'nn/gru-seq': checkSequences,
  'nn/bigru-embedding-large': checkEmbedding,
}
