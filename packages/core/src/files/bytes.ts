import { ConfigError } from '../errors.js'

/** Bytes as hosts hand them over: a Node `Buffer`, a `Uint8Array` or another view, a `DataView`, an `ArrayBuffer`. */
export type Bytes = ArrayBufferView | ArrayBufferLike

/**
 * The bytes of a file or a saved state, as a plain copy that begins at offset 0 of memory of its own.
 *
 * A Node `Buffer` lies anywhere in a pool that others share: views of wider numbers on it are refused at three offsets of four, and
 * its `slice` is a view where that of a `Uint8Array` is a copy. Whatever reads bytes takes them through here.
 *
 * @param what   how the error calls them, `a policy file`
 * @throws {ConfigError} `bytes_invalid` (a path, a text, nothing)
 */
export function copyBytes(bytes: Bytes, what = 'a file'): Uint8Array<ArrayBuffer> {
  if (ArrayBuffer.isView(bytes)) {
    return new Uint8Array(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }
  if (Object.prototype.toString.call(bytes).endsWith('ArrayBuffer]')) return new Uint8Array(new Uint8Array(bytes))
  throw new ConfigError(
    'bytes_invalid',
    `${what} must be given as bytes (a Uint8Array, a Buffer, an ArrayBuffer), got ${typeof bytes}: read it first`,
  )
}
