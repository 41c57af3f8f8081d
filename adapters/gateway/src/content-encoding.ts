import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { HttpError } from './http-error.js'

const DECODERS = { gzip: promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }

/** Unpacks a body that was read whole. */
export type Decoder = (body: Buffer) => Promise<Buffer>

/** Whether a body is as it reads. */
export const isPlain = (encoding: string | undefined): boolean => /^(identity)?$/i.test(encoding?.trim() ?? '')

/**
 * What unpacks the body of a request with this `Content-Encoding`, off the main thread; undefined for a plain one.
 *
 * @param maxBytes  unpacked; a larger one is 413, one that is not what it says 400
 * @throws {HttpError} 415 `encoding_unsupported`
 */
export function decoderOf(encoding: string | undefined, maxBytes: number): Decoder | undefined {
  if (isPlain(encoding)) return undefined
  const name = encoding!.trim().toLowerCase()
  const decode = Object.hasOwn(DECODERS, name) ? DECODERS[name as keyof typeof DECODERS] : undefined
  if (!decode)
    throw new HttpError(
      415,
      'encoding_unsupported',
      `a body may be gzip, deflate, br or plain, got ${name.slice(0, 64)}`,
    )
  return async (body) => {
    try {
      return await decode(body, { maxOutputLength: maxBytes })
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
        throw new HttpError(413, 'body_too_large', `the body unpacks to more than ${maxBytes} bytes: send less`, {
          cause,
        })
      throw new HttpError(400, 'body_invalid', `the body is not ${name}, as its Content-Encoding says`, { cause })
    }
  }
}
