import { describe, expect, it } from 'vitest'
import {
  byteTensor,
  doubleTensor,
  floatTensor,
  readSafetensors,
  type StoredTensor,
  writeSafetensors,
} from '../../src/index.js'

// What the reference implementation (Python package safetensors 0.8.0, `safetensors.numpy.save`) writes for these tensors.
const REFERENCE_HEADER =
  '{"__metadata__":{"task":"autoscaling \\"x\\""},"count":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},' +
  '"mean":{"dtype":"F64","shape":[2],"data_offsets":[8,24]},"actor/w":{"dtype":"F32","shape":[2,3],"data_offsets":[24,48]},' +
  '"empty":{"dtype":"F32","shape":[0,4],"data_offsets":[48,48]},"step":{"dtype":"U32","shape":[1],"data_offsets":[48,52]},' +
  '"é":{"dtype":"U32","shape":[1],"data_offsets":[52,56]},"bytes":{"dtype":"U8","shape":[3],"data_offsets":[56,59]}} '
const REFERENCE_DATA =
  '00000000000100009a9999999999b93f00000000000008c00000803f0000004000004040000080400000a0400000d04007000000090000000102ff'

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))

function fileOf(header: string | Uint8Array, data: Uint8Array = new Uint8Array(0), length?: bigint): Uint8Array {
  const text = typeof header === 'string' ? new TextEncoder().encode(header) : header
  const file = new Uint8Array(8 + text.length + data.length)
  new DataView(file.buffer).setBigUint64(0, length ?? BigInt(text.length), true)
  file.set(text, 8)
  file.set(data, 8 + text.length)
  return file
}

const reference = fileOf(REFERENCE_HEADER, fromHex(REFERENCE_DATA))
const tensors: StoredTensor[] = [
  byteTensor('bytes', Uint8Array.of(1, 2, 255)),
  floatTensor('actor/w', [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6.5)),
  { name: 'é', dtype: 'U32', shape: [1], bytes: Uint8Array.of(9, 0, 0, 0) },
  { name: 'step', dtype: 'U32', shape: [1], bytes: Uint8Array.of(7, 0, 0, 0) },
  floatTensor('empty', [0, 4], new Float32Array(0)),
  doubleTensor('mean', [0.1, -3]),
  { name: 'count', dtype: 'I64', shape: [1], bytes: Uint8Array.of(0, 0, 0, 0, 0, 1, 0, 0) },
]

describe('writeSafetensors', () => {
  it('writes the bytes of the reference implementation, in whatever order the tensors come', () => {
    expect(writeSafetensors(tensors, { task: 'autoscaling "x"' })).toEqual(reference)
    expect(writeSafetensors([...tensors].reverse(), { task: 'autoscaling "x"' })).toEqual(reference)
  })

  it.each([
    ['a name twice', [byteTensor('a', new Uint8Array(1)), byteTensor('a', new Uint8Array(1))]],
    ['the reserved name', [byteTensor('__metadata__', new Uint8Array(1))]],
    ['a shape that is not its bytes', [{ ...byteTensor('a', new Uint8Array(3)), shape: [4] }]],
  ])('refuses %s', (_, list) => {
    expect(() => writeSafetensors(list)).toThrow(expect.objectContaining({ code: 'tensor_invalid' }))
  })
})

describe('readSafetensors', () => {
  it("reads the reference's file back, also from an odd offset of a larger buffer", () => {
    const shifted = new Uint8Array(reference.length + 3)
    shifted.set(reference, 3)
    for (const file of [reference, shifted.subarray(3)]) {
      const { tensors: found, metadata } = readSafetensors(file)
      expect([...metadata]).toEqual([['task', 'autoscaling "x"']])
      expect([...found.keys()].sort()).toEqual(tensors.map(({ name }) => name).sort())
      for (const tensor of tensors) expect(found.get(tensor.name)).toEqual(tensor)
    }
  })

  it('refuses the file cut at any byte', () => {
    for (let length = 0; length < reference.length; length++) {
      expect(() => readSafetensors(reference.subarray(0, length))).toThrow(
        expect.objectContaining({ code: 'safetensors_truncated' }),
      )
    }
  })

  const entry = (begin: number, end: number, shape = `[${end - begin}]`, dtype = '"U8"'): string =>
    `{"dtype":${dtype},"shape":${shape},"data_offsets":[${begin},${end}]}`
  const data = new Uint8Array(8)
  it.each([
    ['a header length of 2^63', fileOf('{}', data, 2n ** 63n), 'safetensors_header_too_long'],
    ['a header that is not JSON', fileOf('{"a":'), 'safetensors_header_invalid'],
    ['a header that is no UTF-8', fileOf(Uint8Array.of(0x7b, 0xff, 0x7d)), 'safetensors_header_invalid'],
    ['a header that is a list', fileOf('[]'), 'safetensors_header_invalid'],
    ['metadata that is a text', fileOf('{"__metadata__":"x"}'), 'safetensors_header_invalid'],
    ['metadata with a number', fileOf('{"__metadata__":{"a":1}}'), 'safetensors_header_invalid'],
    ['a tensor that is null', fileOf('{"a":null}'), 'safetensors_header_invalid'],
    ['a negative size', fileOf(`{"a":${entry(0, 8, '[-8]')}}`, data), 'safetensors_header_invalid'],
    ['a fractional size', fileOf(`{"a":${entry(0, 8, '[0.5]')}}`, data), 'safetensors_header_invalid'],
    ['a shape that is a text', fileOf(`{"a":${entry(0, 8, '"8"')}}`, data), 'safetensors_header_invalid'],
    ['one offset', fileOf('{"a":{"dtype":"U8","shape":[0],"data_offsets":[0]}}'), 'safetensors_header_invalid'],
    ['an unknown dtype', fileOf(`{"a":${entry(0, 8, '[8]', '"Q8"')}}`, data), 'safetensors_dtype_unknown'],
    ['an inherited dtype', fileOf(`{"a":${entry(0, 8, '[8]', '"toString"')}}`, data), 'safetensors_dtype_unknown'],
    ['a dtype that is a number', fileOf(`{"a":${entry(0, 8, '[8]', '8')}}`, data), 'safetensors_dtype_unknown'],
    ['offsets past the end', fileOf(`{"a":${entry(0, 9)}}`, data), 'safetensors_truncated'],
    ['a shape wider than its bytes', fileOf(`{"a":${entry(0, 8, '[9]')}}`, data), 'safetensors_shape_mismatch'],
    ['offsets the wrong way round', fileOf(`{"a":${entry(8, 0, '[8]')}}`, data), 'safetensors_shape_mismatch'],
    [
      'a shape that overflows',
      fileOf(`{"a":${entry(0, 8, '[9007199254740991,8]')}}`, data),
      'safetensors_shape_mismatch',
    ],
    [
      'a shape that overflows in 64 bits',
      fileOf(`{"a":${entry(0, 8, `[${Array(4).fill(2 ** 32 + 1)}]`)}}`, data),
      'safetensors_shape_mismatch',
    ],
    [
      'a shape that overflows to nothing',
      fileOf(`{"a":${entry(0, 0, `[${Array(25).fill(2 ** 52)},0]`)}}`),
      'safetensors_shape_mismatch',
    ],
    [
      'a shape of 2^32 bytes for none',
      fileOf(`{"a":${entry(0, 0, '[65536,65536]', '"U8"')}}`),
      'safetensors_shape_mismatch',
    ],
    ['a size beyond whole numbers', fileOf(`{"a":${entry(0, 8, '[1e300]')}}`, data), 'safetensors_header_invalid'],
    ['negative offsets', fileOf(`{"a":${entry(-8, 0, '[8]')}}`, data), 'safetensors_header_invalid'],
    ['fractional offsets', fileOf(`{"a":${entry(0.5, 8, '[8]')}}`, data), 'safetensors_header_invalid'],
    ['an offset beyond whole numbers', fileOf(`{"a":${entry(0, 1e300, '[8]')}}`, data), 'safetensors_header_invalid'],
    ['an offset beyond 32 bits', fileOf(`{"a":${entry(2 ** 32, 2 ** 32 + 8)}}`, data), 'safetensors_truncated'],
    ['two tensors in one place', fileOf(`{"a":${entry(0, 8)},"b":${entry(0, 8)}}`, data), 'safetensors_layout_invalid'],
    ['an overlap', fileOf(`{"a":${entry(0, 5)},"b":${entry(4, 8)}}`, data), 'safetensors_layout_invalid'],
    ['a hole', fileOf(`{"a":${entry(0, 3)},"b":${entry(4, 8)}}`, data), 'safetensors_layout_invalid'],
    ['bytes after the last tensor', fileOf(`{"a":${entry(0, 7)}}`, data), 'safetensors_layout_invalid'],
    ['a name twice', fileOf(`{"a":${entry(0, 4)},"a":${entry(4, 8)}}`, data), 'safetensors_layout_invalid'],
  ])('refuses %s', (_, file, code) => {
    expect(() => readSafetensors(file)).toThrow(expect.objectContaining({ code, name: 'FormatError' }))
  })
})
