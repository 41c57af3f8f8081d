import { gunzipSync } from 'node:zlib'
import type { Host } from './host.js'
import { UsageError } from './options.js'

const LARGEST_BYTES = 512 * 1024 * 1024

/** A whole file. */
export async function readAll(path: string, host: Pick<Host, 'readBytes'>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of host.readBytes(path)) pieces.push(piece)
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/**
 * A file of text, gzip undone.
 * @param name  what the error calls it: an option and its file, say
 * @throws {UsageError} when it cannot be read
 */
export async function readText(path: string, host: Pick<Host, 'readBytes'>, name: string = path): Promise<string> {
  try {
    const bytes = await readAll(path, host)
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
    return new TextDecoder().decode(isGzip ? gunzipSync(bytes, { maxOutputLength: LARGEST_BYTES }) : bytes)
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${(error as Error).message}`)
  }
}
