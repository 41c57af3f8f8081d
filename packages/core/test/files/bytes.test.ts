import { describe, expect, it } from 'vitest'
import { copyBytes } from '../../src/internal.js'

const content = Uint8Array.from({ length: 24 }, (_, i) => 7 * i + 1)
const offsets = Array.from({ length: 16 }, (_, offset) => offset)

/** The content at `offset` of memory that others use too. */
function pooled(offset: number): Uint8Array {
  const pool = new Uint8Array(64).fill(0xee)
  pool.set(content, offset)
  return pool.subarray(offset, offset + content.length)
}

describe('copyBytes', () => {
  it.each(offsets)('gives memory of its own, whatever view lies at offset %i of a pool', (offset) => {
    const view = pooled(offset)
    const { buffer, byteOffset, byteLength } = view
    for (const given of [
      view,
      Buffer.from(buffer, byteOffset, byteLength),
      new DataView(buffer, byteOffset, byteLength),
      new Int8Array(buffer, byteOffset, byteLength),
    ]) {
      const copy = copyBytes(given)
      expect(copy).toEqual(content)
      expect(copy.constructor).toBe(Uint8Array)
      expect([copy.byteOffset, copy.buffer.byteLength]).toEqual([0, content.length])
      copy.fill(0)
      expect(view).toEqual(content)
    }
  })

  it('takes views of wider numbers and whole buffers byte by byte', () => {
    expect(copyBytes(Float32Array.of(1))).toEqual(Uint8Array.of(0, 0, 0x80, 0x3f))
    expect(copyBytes(content.buffer)).toEqual(content)
    const shared = new SharedArrayBuffer(2)
    expect(copyBytes(shared).buffer).toBeInstanceOf(ArrayBuffer)
  })

  it.each([['policy.safetensors'], [undefined], [null], [[1, 2]], [{ byteLength: 3 }]])(
    'refuses %j, which is no bytes',
    (given) => {
      expect(() => copyBytes(given as unknown as Uint8Array, 'a policy file')).toThrow(
        expect.objectContaining({ code: 'bytes_invalid', message: expect.stringContaining('a policy file must be') }),
      )
    },
  )
})
