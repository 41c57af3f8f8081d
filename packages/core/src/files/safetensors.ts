import { ConfigError, FormatError } from '../errors.js'
import { type Bytes, copyBytes } from './bytes.js'
import type { Tensor } from './tensor.js'

// The safetensors file format, byte for byte as its reference implementation writes it:
//   +0      N, header length in bytes, u64 little-endian
//   +8      header, JSON: { "__metadata__": { key: text }, name: { dtype, shape, data_offsets: [begin, end] }, … }
//   +8+N    data; offsets count from here, tensors tile it without holes or overlaps

/** Bytes per element; the order is the reference's writing order (wide types first, so that every tensor is aligned). */
const DTYPE_BYTES = {
  U64: 8,
  I64: 8,
  F64: 8,
  F32: 4,
  U32: 4,
  I32: 4,
  BF16: 2,
  F16: 2,
  U16: 2,
  I16: 2,
  F8_E4M3: 1,
  F8_E5M2: 1,
  I8: 1,
  U8: 1,
  BOOL: 1,
} as const

const DTYPE_ORDER = Object.keys(DTYPE_BYTES)
const MAX_HEADER_BYTES = 100_000_000 // the reference's own limit
const METADATA_KEY = '__metadata__'

/** Element types that are read and written, in the words of safetensors. */
export type TensorDtype = keyof typeof DTYPE_BYTES

/** A tensor of any type the format knows; those of the core's own `Tensor` are four of them. */
export interface StoredTensor extends Omit<Tensor, 'dtype'> {
  readonly dtype: TensorDtype
}

/** A safetensors file as it was read: every tensor checked against its shape. */
export interface SafetensorsFile {
  /** In the order of the data. `bytes` lie in a copy: they outlive the file's buffer. */
  readonly tensors: ReadonlyMap<string, StoredTensor>
  readonly metadata: ReadonlyMap<string, string>
}

/**
 * Writes a safetensors file. The same tensors and metadata give the same bytes, whatever order the tensors come in:
 * they are sorted by type width, then name, as the reference does. Metadata keeps its order.
 *
 * @throws {ConfigError} `tensor_invalid` (a name twice or reserved, a shape that does not match its bytes)
 */
export function writeSafetensors(
  tensors: readonly StoredTensor[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const ordered = [...tensors].sort(compareTensors)
  const fields: string[] = []
  if (Object.keys(metadata).length > 0) fields.push(`${JSON.stringify(METADATA_KEY)}:${JSON.stringify(metadata)}`)
  let end = 0
  const names = new Set<string>([METADATA_KEY])
  for (const { name, dtype, shape, bytes } of ordered) {
    if (names.has(name)) {
      throw new ConfigError('tensor_invalid', `tensor name "${name}" is used twice or reserved; rename one`)
    }
    names.add(name)
    const expected = byteLengthOf(dtype, shape)
    if (bytes.length !== expected) {
      throw new ConfigError(
        'tensor_invalid',
        `tensor "${name}": ${dtype} [${shape}] takes ${expected} bytes, got ${bytes.length}`,
      )
    }
    const entry = { dtype, shape, data_offsets: [end, end + expected] }
    fields.push(`${JSON.stringify(name)}:${JSON.stringify(entry)}`)
    end += expected
  }
  const header = new TextEncoder().encode(`{${fields.join(',')}}`)
  const headerLength = Math.ceil(header.length / 8) * 8 // spaces pad it, so that the data starts aligned
  const file = new Uint8Array(8 + headerLength + end)
  new DataView(file.buffer).setBigUint64(0, BigInt(headerLength), true)
  file.fill(0x20, 8, 8 + headerLength)
  file.set(header, 8)
  let at = 8 + headerLength
  for (const { bytes } of ordered) {
    file.set(bytes, at)
    at += bytes.length
  }
  return file
}

/**
 * Reads a safetensors file and checks all of it before returning anything.
 *
 * @throws {ConfigError} `bytes_invalid`
 * @throws {FormatError} `safetensors_truncated` (shorter than it says), `safetensors_header_too_long`,
 *   `safetensors_header_invalid` (not UTF-8 JSON of the right form), `safetensors_dtype_unknown`,
 *   `safetensors_shape_mismatch` (a tensor's bytes are not its shape's), `safetensors_layout_invalid` (overlap, hole or excess)
 */
export function readSafetensors(file: Bytes): SafetensorsFile {
  const { header, data } = splitFile(copyBytes(file, 'a safetensors file'))
  const metadata = new Map<string, string>()
  const found: { tensor: Omit<StoredTensor, 'bytes'>; begin: number; end: number }[] = []
  for (const [name, entry] of Object.entries(header)) {
    if (name !== METADATA_KEY) {
      found.push(readEntry(name, entry, data.length))
      continue
    }
    if (!isRecord(entry)) throw headerInvalid(`${METADATA_KEY} must be an object of texts`)
    for (const [key, value] of Object.entries(entry)) {
      if (typeof value !== 'string') throw headerInvalid(`${METADATA_KEY}.${key} must be a text, got ${typeof value}`)
      metadata.set(key, value)
    }
  }
  found.sort((a, b) => a.begin - b.begin || a.end - b.end)
  const tensors = new Map<string, StoredTensor>()
  let covered = 0
  for (const { tensor, begin, end } of found) {
    if (begin !== covered) {
      const what = begin < covered ? 'overlaps the tensor before it' : 'leaves a hole before it'
      throw new FormatError('safetensors_layout_invalid', `tensor "${tensor.name}" at bytes ${begin}–${end} ${what}`)
    }
    covered = end
    tensors.set(tensor.name, { ...tensor, bytes: data.subarray(begin, end) })
  }
  if (covered !== data.length) {
    throw new FormatError(
      'safetensors_layout_invalid',
      `${data.length - covered} bytes at the end belong to no tensor: the file was appended to or its header damaged`,
    )
  }
  return { tensors, metadata }
}

function splitFile(file: Uint8Array): { header: Record<string, unknown>; data: Uint8Array } {
  if (file.length < 8) throw truncated(`${file.length} bytes, the header length alone takes 8`)
  const headerLength = Number(new DataView(file.buffer).getBigUint64(0, true))
  if (headerLength > MAX_HEADER_BYTES) {
    throw new FormatError(
      'safetensors_header_too_long',
      `a header of ${headerLength} bytes is above the limit of ${MAX_HEADER_BYTES}: this is not a safetensors file`,
    )
  }
  const dataStart = 8 + headerLength
  if (file.length < dataStart) throw truncated(`${file.length} bytes, the header ends at ${dataStart}`)
  let header: unknown
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(file.subarray(8, dataStart)))
  } catch (cause) {
    throw new FormatError('safetensors_header_invalid', `the header is not UTF-8 JSON: ${String(cause)}`, { cause })
  }
  if (!isRecord(header)) throw headerInvalid('the header must be a JSON object')
  return { header, data: file.subarray(dataStart) }
}

function readEntry(
  name: string,
  entry: unknown,
  dataLength: number,
): { tensor: Omit<StoredTensor, 'bytes'>; begin: number; end: number } {
  if (!isRecord(entry)) throw headerInvalid(`tensor "${name}" must be an object`)
  const { dtype, shape, data_offsets: offsets } = entry
  if (typeof dtype !== 'string' || !Object.hasOwn(DTYPE_BYTES, dtype)) {
    throw new FormatError(
      'safetensors_dtype_unknown',
      `tensor "${name}" has dtype ${JSON.stringify(dtype)}; known: ${DTYPE_ORDER.join(', ')}`,
    )
  }
  if (!isCounts(shape)) throw headerInvalid(`tensor "${name}": shape must be a list of counts`)
  if (!isCounts(offsets) || offsets.length !== 2) {
    throw headerInvalid(`tensor "${name}": data_offsets must be two counts`)
  }
  const [begin, end] = offsets as [number, number]
  if (end > dataLength) throw truncated(`tensor "${name}" ends at data byte ${end}, the file has ${dataLength}`)
  const expected = byteLengthOf(dtype as TensorDtype, shape)
  if (end - begin !== expected) {
    throw new FormatError(
      'safetensors_shape_mismatch',
      `tensor "${name}": ${dtype} [${shape}] takes ${expected} bytes, data_offsets give ${end - begin}`,
    )
  }
  return { tensor: { name, dtype: dtype as TensorDtype, shape }, begin, end }
}

const compareTensors = (a: StoredTensor, b: StoredTensor): number =>
  DTYPE_ORDER.indexOf(a.dtype) - DTYPE_ORDER.indexOf(b.dtype) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

const byteLengthOf = (dtype: TensorDtype, shape: readonly number[]): number =>
  shape.reduce((product, size) => product * size, DTYPE_BYTES[dtype])

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0)

const truncated = (message: string): FormatError =>
  new FormatError('safetensors_truncated', `the file is truncated: ${message}`)

const headerInvalid = (message: string): FormatError => new FormatError('safetensors_header_invalid', message)
