// onnxruntime-web (wasm, one thread) on models written here: the few protobuf messages that an ONNX file needs.
import * as ort from 'onnxruntime-web'

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

function concat(parts) {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const FLOAT = 1 // TensorProto.DataType
const INT = 2 // AttributeProto.AttributeType

/** TensorProto */
const tensor = (name, shape, values) =>
  concat([
    ...shape.map((size) => number(1, size)),
    number(2, FLOAT),
    bytes(8, name),
    bytes(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
  ])

/** ValueInfoProto of a float tensor */
function value(name, shape) {
  const dimensions = concat(shape.map((size) => bytes(1, number(1, size))))
  return concat([bytes(1, name), bytes(2, bytes(1, concat([number(1, FLOAT), bytes(2, dimensions)])))])
}

/** NodeProto; integer attributes only */
const node = (type, inputs, output, attributes = {}) =>
  concat([
    ...inputs.map((name) => bytes(1, name)),
    bytes(2, output),
    bytes(4, type),
    ...Object.entries(attributes).map(([name, i]) => bytes(5, concat([bytes(1, name), number(3, i), number(20, INT)]))),
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

async function session(bytesOfModel) {
  ort.env.wasm.numThreads = 1
  return ort.InferenceSession.create(bytesOfModel, { executionProviders: ['wasm'] })
}

/** A dense net as Gemm + Relu … Gemm + Tanh. layers: [{ w: Float32Array [out, in], b, inputs, outputs }] */
export async function onnxMlp(layers, batch) {
  const last = layers.length - 1
  const nodes = layers.flatMap((_, i) => [
    node('Gemm', [i === 0 ? 'x' : `h${i}`, `w${i}`, `b${i}`], `z${i}`, { transB: 1 }),
    node(i === last ? 'Tanh' : 'Relu', [`z${i}`], i === last ? 'y' : `h${i + 1}`),
  ])
  const initializers = layers.flatMap(({ w, b, inputs, outputs }, i) => [
    tensor(`w${i}`, [outputs, inputs], w),
    tensor(`b${i}`, [outputs], b),
  ])
  const [inputs, outputs] = [layers[0].inputs, layers[last].outputs]
  const net = await session(
    model({ nodes, initializers, inputs: [value('x', [batch, inputs])], outputs: [value('y', [batch, outputs])] }),
  )
  return async (x) => (await net.run({ x: new ort.Tensor('float32', x, [batch, inputs]) })).y.data
}

/** C = A · B, both given at run time, so that neither is packed beforehand. */
export async function onnxMatMul(m, n, k) {
  const product = await session(
    model({
      nodes: [node('MatMul', ['a', 'b'], 'c')],
      inputs: [value('a', [m, k]), value('b', [k, n])],
      outputs: [value('c', [m, n])],
    }),
  )
  return async (a, b) => {
    const feeds = { a: new ort.Tensor('float32', a, [m, k]), b: new ort.Tensor('float32', b, [k, n]) }
    return (await product.run(feeds)).c.data
  }
}
