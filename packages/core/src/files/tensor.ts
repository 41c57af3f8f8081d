import { FormatError } from '../errors.js'

/** A named array as policy files hold it (safetensors' words); little-endian bytes, row-major. */
export interface Tensor {
  readonly name: string
  readonly dtype: 'F32' | 'F64' | 'U32' | 'U8'
  readonly shape: readonly number[]
  readonly bytes: Uint8Array
}

const ITEM_BYTES = { F32: 4, F64: 8, U32: 4, U8: 1 } as const

const count = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1)

const toBytes = (array: Float32Array | Float64Array | Uint32Array | Uint8Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength).slice()

/** A tensor of 32-bit floats, row by row; `values` holds as many as the shape says and is copied. */
export const floatTensor = (name: string, shape: readonly number[], values: Float32Array): Tensor => ({
  name,
  dtype: 'F32',
  shape,
  bytes: toBytes(values),
})
/** A tensor [n] of 64-bit floats. */
export const doubleTensor = (name: string, values: readonly number[]): Tensor => ({
  name,
  dtype: 'F64',
  shape: [values.length],
  bytes: toBytes(Float64Array.from(values)),
})
/** A tensor [n] of unsigned 32-bit numbers. */
export const wordTensor = (name: string, values: readonly number[]): Tensor => ({
  name,
  dtype: 'U32',
  shape: [values.length],
  bytes: toBytes(Uint32Array.from(values)),
})
/** A tensor [n] of bytes; its `bytes` are a copy of `values`. */
export const byteTensor = (name: string, values: Uint8Array): Tensor => ({
  name,
  dtype: 'U8',
  shape: [values.length],
  bytes: toBytes(values),
})

/** The tensors of one saved object, looked up by name and checked as they are read; every read may throw, none changes anything. */
export class TensorReader {
  readonly #byName: Map<string, Tensor>

  constructor(tensors: readonly Tensor[]) {
    this.#byName = new Map(tensors.map((tensor) => [tensor.name, tensor]))
  }

  /** @throws {FormatError} `tensor_missing`, `tensor_mismatch`, `tensor_not_finite` */
  floats(name: string, shape: readonly number[]): Float32Array {
    return this.#finite(name, new Float32Array(this.#read(name, 'F32', shape).buffer))
  }

  /**
   * A tensor [length] of 64-bit floats, all finite.
   * @throws {FormatError} when it is missing or of another shape or type
   */
  doubles(name: string, length: number): Float64Array {
    return this.#finite(name, new Float64Array(this.#read(name, 'F64', [length]).buffer))
  }

  /**
   * A tensor [length] of unsigned 32-bit numbers.
   * @throws {FormatError} when it is missing or of another shape or type
   */
  words(name: string, length: number): Uint32Array {
    return new Uint32Array(this.#read(name, 'U32', [length]).buffer)
  }

  /**
   * A tensor [length] of bytes.
   * @throws {FormatError} when it is missing or of another shape or type
   */
  bytes(name: string, length: number): Uint8Array {
    return this.#read(name, 'U8', [length])
  }

  /**
   * Refuses a tensor of another type or shape without reading it: before what it is meant for is laid out.
   * @throws {FormatError} `tensor_missing`, `tensor_mismatch`
   */
  requireShape(name: string, dtype: Tensor['dtype'], shape: readonly number[]): void {
    this.#find(name, dtype, shape)
  }

  #read(name: string, dtype: Tensor['dtype'], shape: readonly number[]): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#find(name, dtype, shape).bytes)
  }

  #find(name: string, dtype: Tensor['dtype'], shape: readonly number[]): Tensor {
    const tensor = this.#byName.get(name)
    if (!tensor) throw new FormatError('tensor_missing', `the saved state has no tensor "${name}"`)
    const wanted = `${dtype} [${shape.join(', ')}]`
    const found = `${tensor.dtype} [${tensor.shape.join(', ')}]`
    if (found !== wanted)
      throw new FormatError('tensor_mismatch', `tensor "${name}" must be ${wanted}, the saved state has ${found}`)
    const byteLength = count(shape) * ITEM_BYTES[dtype]
    if (tensor.bytes.byteLength !== byteLength) {
      throw new FormatError(
        'tensor_mismatch',
        `tensor "${name}" must hold ${byteLength} bytes, got ${tensor.bytes.byteLength} (truncated?)`,
      )
    }
    return tensor
  }

  #finite<T extends Float32Array | Float64Array>(name: string, values: T): T {
    const bad = values.findIndex((value) => !Number.isFinite(value))
    if (bad >= 0)
      throw new FormatError('tensor_not_finite', `tensor "${name}" holds ${values[bad]} at ${bad}; the file is damaged`)
    return values
  }
}
