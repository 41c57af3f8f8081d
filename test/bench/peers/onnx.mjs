// onnxruntime-web (wasm) and onnxruntime-node, where it is installed, on one thread, with models written here: the few protobuf messages that
// an ONNX file needs.
import * as web from 'onnxruntime-web'

const VARINT = 0
const BYTES = 2

function varint(value) {
  const bytes = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest]
    bytes.push((rest % 128) + 128)
  }
}

const number = (field, value) => Uint8Array.from([...varint(field * 8 + VARINT), ...varint(value)])

function bytes(field, content) {
  const body = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return concat([Uint8Array.from([...varint(field * 8 + BYTES), ...varint(body.length)]), body])
}

function concat(parts, ArrayType = Uint8Array) {
  const whole = new ArrayType(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const FLOAT = 1 // TensorProto.DataType
const INT64 = 7
const [INT, STRING, INTS] = [2, 3, 7] // AttributeProto.AttributeType

/** TensorProto of Float32Array or BigInt64Array */
const tensor = (name, shape, values) =>
  concat([
    ...shape.map((size) => number(1, size)),
    number(2, values instanceof Float32Array ? FLOAT : INT64),
    bytes(8, name),
    bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
  ])

/** ValueInfoProto of a float tensor */
function value(name, shape) {
  const dimensions = concat(shape.map((size) => bytes(1, number(1, size))))
  return concat([bytes(1, name), bytes(2, bytes(1, concat([number(1, FLOAT), bytes(2, dimensions)])))])
}

/** AttributeProto of an integer, a string or a list of integers */
function attribute([name, value]) {
  if (Array.isArray(value)) return concat([bytes(1, name), ...value.map((i) => number(8, i)), number(20, INTS)])
  return typeof value === 'string'
    ? concat([bytes(1, name), bytes(4, value), number(20, STRING)])
    : concat([bytes(1, name), number(3, value), number(20, INT)])
}

/** NodeProto */
const node = (type, inputs, outputs, attributes = {}) =>
  concat([
    ...inputs.map((name) => bytes(1, name)),
    ...[outputs].flat().map((name) => bytes(2, name)),
    bytes(4, type),
    ...Object.entries(attributes).map((entry) => bytes(5, attribute(entry))),
  ])

/** ModelProto, IR 8, opset 17 */
const model = ({ nodes, initializers = [], inputs, outputs }) =>
  concat([
    number(1, 8),
    bytes(
      7,
      concat([
        ...nodes.map((n) => bytes(1, n)),
        bytes(2, 'graph'),
        ...initializers.map((t) => bytes(5, t)),
        ...inputs.map((v) => bytes(11, v)),
        ...outputs.map((v) => bytes(12, v)),
      ]),
    ),
    bytes(8, number(2, 17)),
  ])

/** Where a model runs: the package, and how it makes a session on one thread. */
const WEB = { ort: web, options: { executionProviders: ['wasm'] } }
web.env.wasm.numThreads = 1

/** onnxruntime-node; undefined where it is not installed: 300 MB with its binaries, so no dependency of the workspace. */
export async function onnxNode() {
  const NAME = 'onnxruntime-node'
  const ort = await import(NAME).catch(() => undefined)
  return ort && { ort, options: { executionProviders: ['cpu'], intraOpNumThreads: 1, interOpNumThreads: 1 } }
}

async function open(bytesOfModel, { ort, options } = WEB) {
  return { session: await ort.InferenceSession.create(bytesOfModel, options), Tensor: ort.Tensor }
}

const OPERATORS = { relu: 'Relu', tanh: 'Tanh' }

/**
 * A dense net as Gemm and activations. layers: [{ w: Float32Array [out, in], b, inputs, outputs }]
 * @param runtime  package and options of a session; onnxruntime-web on wasm unless told
 */
export async function onnxMlp(layers, batch, activations, runtime) {
  const last = layers.length - 1
  const nodes = layers.flatMap((_, i) => {
    const [x, y] = [i === 0 ? 'x' : `h${i}`, i === last ? 'y' : `h${i + 1}`]
    const operator = OPERATORS[activations[i]]
    const gemm = (output) => node('Gemm', [x, `w${i}`, `b${i}`], output, { transB: 1 })
    return operator ? [gemm(`z${i}`), node(operator, [`z${i}`], y)] : [gemm(y)]
  })
  const initializers = layers.flatMap(({ w, b, inputs, outputs }, i) => [
    tensor(`w${i}`, [outputs, inputs], w),
    tensor(`b${i}`, [outputs], b),
  ])
  const [inputs, outputs] = [layers[0].inputs, layers[last].outputs]
  const { session, Tensor } = await open(
    model({ nodes, initializers, inputs: [value('x', [batch, inputs])], outputs: [value('y', [batch, outputs])] }),
    runtime,
  )
  return async (x) => (await session.run({ x: new Tensor('float32', x, [batch, inputs]) })).y.data
}

/** C = A · B, both given at run time, so that neither is packed beforehand. */
export async function onnxMatMul(m, n, k) {
  const { session, Tensor } = await open(
    model({
      nodes: [node('MatMul', ['a', 'b'], 'c')],
      inputs: [value('a', [m, k]), value('b', [k, n])],
      outputs: [value('c', [m, n])],
    }),
  )
  return async (a, b) => {
    const feeds = { a: new Tensor('float32', a, [m, k]), b: new Tensor('float32', b, [k, n]) }
    return (await session.run(feeds)).c.data
  }
}

/** Rows r | z | n, as PyTorch has them, → z | r | n, as ONNX wants them. */
function zrn(rows) {
  const third = rows.length / 3
  return concat([rows.subarray(third, 2 * third), rows.subarray(0, third), rows.subarray(2 * third)], Float32Array)
}

/**
 * Stacked bidirectional GRU, mean over sequences of the top layer's final states, dense layers with ReLU: x [T, M, I] → z.
 * units: [{ wih, whh, bih, bhh }] by layer and direction, PyTorch's order; dense as in `onnxMlp`
 * @param runtime  of `onnxNode`; onnxruntime-web unless told
 */
export async function onnxEmbedding({ units, dense, inputSize, hiddenSize: H, steps: T, sequences: M }, runtime) {
  const layers = units.length / 2
  const nodes = []
  const initializers = [tensor('join', [3], BigInt64Array.of(BigInt(T), BigInt(M), BigInt(2 * H)))]
  for (let layer = 0; layer < layers; layer++) {
    const pair = units.slice(2 * layer, 2 * layer + 2)
    const inputs = layer === 0 ? inputSize : 2 * H
    initializers.push(
      tensor(
        `w${layer}`,
        [2, 3 * H, inputs],
        concat(
          pair.map(({ wih }) => zrn(wih)),
          Float32Array,
        ),
      ),
      tensor(
        `r${layer}`,
        [2, 3 * H, H],
        concat(
          pair.map(({ whh }) => zrn(whh)),
          Float32Array,
        ),
      ),
      tensor(
        `b${layer}`,
        [2, 6 * H],
        concat(
          pair.flatMap(({ bih, bhh }) => [zrn(bih), zrn(bhh)]),
          Float32Array,
        ),
      ),
    )
    nodes.push(
      node(
        'GRU',
        [layer === 0 ? 'x' : `x${layer}`, `w${layer}`, `r${layer}`, `b${layer}`],
        [`y${layer}`, `last${layer}`],
        { direction: 'bidirectional', hidden_size: H, linear_before_reset: 1 },
      ),
    )
    if (layer === layers - 1) continue
    nodes.push(node('Transpose', [`y${layer}`], `t${layer}`, { perm: [0, 2, 1, 3] })) // [T, 2, M, H] → [T, M, 2, H]
    nodes.push(node('Reshape', [`t${layer}`, 'join'], `x${layer + 1}`))
  }
  initializers.push(
    tensor('sequences', [2], BigInt64Array.of(BigInt(M), BigInt(2 * H))),
    tensor('mean', [1, M], new Float32Array(M).fill(1 / M)),
    ...dense.flatMap(({ w, b, inputs, outputs }, i) => [
      tensor(`dw${i}`, [outputs, inputs], w),
      tensor(`db${i}`, [outputs], b),
    ]),
  )
  nodes.push(
    node('Transpose', [`last${layers - 1}`], 'byMember', { perm: [1, 0, 2] }), // [2, M, H] → [M, 2, H]
    node('Reshape', ['byMember', 'sequences'], 'states'),
    node('MatMul', ['mean', 'states'], 'h0'),
    ...dense.flatMap((_, i) => [
      node('Gemm', [`h${i}`, `dw${i}`, `db${i}`], `z${i}`, { transB: 1 }),
      node('Relu', [`z${i}`], `h${i + 1}`),
    ]),
  )
  const z = dense.at(-1).outputs
  const { session, Tensor } = await open(
    model({
      nodes,
      initializers,
      inputs: [value('x', [T, M, inputSize])],
      outputs: [value(`h${dense.length}`, [1, z])],
    }),
    runtime,
  )
  return async (x) => (await session.run({ x: new Tensor('float32', x, [T, M, inputSize]) }))[`h${dense.length}`].data
}
