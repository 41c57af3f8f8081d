// An ONNX model as a list of nodes, written as onnx.proto3 has it. Field numbers are those of that file.
import { bytesField, joinBytes, numberField } from './protobuf.js'

const IR_VERSION = 8
const OPSET = 17

const ELEMENT_TYPES = { float32: 1, int32: 6, int64: 7, float64: 11 } as const
const ATTRIBUTE_TYPES = { integer: 2, text: 3, integers: 7 } as const

export type ElementType = keyof typeof ELEMENT_TYPES
export type Values = Float32Array | Float64Array | Int32Array | BigInt64Array

/** An input or an output. A dimension that is a name may differ from call to call. */
export interface Port {
  readonly name: string
  readonly type: ElementType
  readonly shape: readonly (number | string)[]
}

type Attributes = Readonly<Record<string, number | string | readonly number[]>>

/**
 * Collects nodes and constants; each call returns the name of what it made, for the next one.
 *
 * @example
 * const graph = new Graph()
 * const y = graph.node('Tanh', ['x'])
 * const bytes = graph.model({ inputs: [x], outputs: [{ name: y, … }], metadata: {} })
 */
export class Graph {
  readonly #nodes: Uint8Array[] = []
  readonly #constants: Uint8Array[] = []
  #names = 0

  /** One node. @param output  its name; a new one without it. Nodes with several outputs name them all. */
  node(
    type: string,
    inputs: readonly string[],
    attributes: Attributes = {},
    output: string | readonly string[] = this.#newName(type),
  ): string {
    const outputs = typeof output === 'string' ? [output] : output
    this.#nodes.push(
      joinBytes([
        ...inputs.map((name) => bytesField(1, name)),
        ...outputs.map((name) => bytesField(2, name)),
        bytesField(4, type),
        ...Object.entries(attributes).map(([name, value]) => bytesField(5, attribute(name, value))),
      ]),
    )
    return outputs[0]!
  }

  /** A constant; a shape of no dimensions is a scalar. */
  constant(values: Values, shape: readonly number[] = [values.length]): string {
    const name = this.#newName('constant')
    this.#constants.push(
      joinBytes([
        ...shape.map((size) => numberField(1, size)),
        numberField(2, ELEMENT_TYPES[typeOf(values)]),
        bytesField(8, name),
        bytesField(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)),
      ]),
    )
    return name
  }

  /** A constant of whole numbers, as shapes, axes and indices are. */
  integers(values: readonly number[], shape: readonly number[] = [values.length]): string {
    return this.constant(BigInt64Array.from(values, BigInt), shape)
  }

  /** The file. @param metadata  goes into the model's own properties */
  model(ports: {
    readonly inputs: readonly Port[]
    readonly outputs: readonly Port[]
    readonly metadata: Readonly<Record<string, string>>
  }): Uint8Array {
    const graph = joinBytes([
      ...this.#nodes.map((node) => bytesField(1, node)),
      bytesField(2, 'trimtab'),
      ...this.#constants.map((constant) => bytesField(5, constant)),
      ...ports.inputs.map((input) => bytesField(11, port(input))),
      ...ports.outputs.map((output) => bytesField(12, port(output))),
    ])
    return joinBytes([
      numberField(1, IR_VERSION),
      bytesField(2, 'trimtab'),
      bytesField(7, graph),
      bytesField(8, numberField(2, OPSET)),
      ...Object.entries(ports.metadata).map(([key, value]) =>
        bytesField(14, joinBytes([bytesField(1, key), bytesField(2, value)])),
      ),
    ])
  }

  #newName(what: string): string {
    return `${what.toLowerCase()}_${this.#names++}`
  }
}

function typeOf(values: Values): ElementType {
  if (values instanceof Float32Array) return 'float32'
  if (values instanceof Float64Array) return 'float64'
  return values instanceof Int32Array ? 'int32' : 'int64'
}

/** AttributeProto */
function attribute(name: string, value: Attributes[string]): Uint8Array {
  if (typeof value === 'number')
    return joinBytes([bytesField(1, name), numberField(3, value), numberField(20, ATTRIBUTE_TYPES.integer)])
  if (typeof value === 'string')
    return joinBytes([bytesField(1, name), bytesField(4, value), numberField(20, ATTRIBUTE_TYPES.text)])
  const items = value.map((item) => numberField(8, item))
  return joinBytes([bytesField(1, name), ...items, numberField(20, ATTRIBUTE_TYPES.integers)])
}

/** ValueInfoProto */
function port({ name, type, shape }: Port): Uint8Array {
  const dimensions = shape.map((size) =>
    bytesField(1, typeof size === 'number' ? numberField(1, size) : bytesField(2, size)),
  )
  const tensor = joinBytes([numberField(1, ELEMENT_TYPES[type]), bytesField(2, joinBytes(dimensions))])
  return joinBytes([bytesField(1, name), bytesField(2, bytesField(1, tensor))])
}
