// Files read whole, bounded on the way: what is endless ends with an error, not with the machine's memory.
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Host } from './host.js'
import { formatSize, numberOption, type Option, sizeOption, UsageError } from './options.js'

/** How files are read, and how much of each at most. */
export interface Reading {
  readonly readBytes: Host['readBytes']
  /** Of one file or of stdin, unpacked. */
  readonly maxBytes: number
  /** Of one text. */
  readonly maxLines: number
}

interface ReadingValues {
  readonly 'max-bytes': number
  readonly 'max-lines': number
}

/** The limits of a command that reads files whole. */
export const readingOptions: { readonly [K in keyof ReadingValues]: Option<ReadingValues[K]> } = {
  'max-bytes': sizeOption('the most that is read of one file or of stdin, unpacked', 2 ** 26),
  'max-lines': numberOption('the most lines that one file may have', 1_000_000, { min: 1, max: 1e9 }),
}

/** Reading within the limits of a call. */
export const readingOf = ({ readBytes }: Pick<Host, 'readBytes'>, values: ReadingValues): Reading => ({
  readBytes,
  maxBytes: values['max-bytes'],
  maxLines: values['max-lines'],
})

/** Reading of what the command itself wrote. */
export const ownReading = ({ readBytes }: Pick<Host, 'readBytes'>): Reading => ({
  readBytes,
  maxBytes: 2 ** 32,
  maxLines: Number.POSITIVE_INFINITY,
})

/**
 * A whole file as it is, or stdin (`-`).
 * @throws {UsageError} when there is more than `maxBytes`; what the file system says
 */
export async function readAll(path: string, { readBytes, maxBytes }: Reading): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of bounded(readBytes(path), maxBytes, nameOf(path))) pieces.push(piece)
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/**
 * A file of text, or stdin (`-`), gzip undone as it comes.
 * @param name  what the error calls it: an option and its file, say
 * @throws {UsageError} when it cannot be read, or when there is more than `maxBytes` unpacked or more than `maxLines`
 */
export async function readText(path: string, reading: Reading, name: string = nameOf(path)): Promise<string> {
  const { readBytes, maxBytes, maxLines } = reading
  const decoder = new TextDecoder()
  const parts: string[] = []
  let lines = 0
  try {
    for await (const piece of bounded(unpack(readBytes(path)), maxBytes, name)) {
      lines += countLines(piece)
      if (lines > maxLines) throw tooMuch(name, `${maxLines} lines`, '--max-lines')
      parts.push(decoder.decode(piece, { stream: true }))
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${name} cannot be read: ${(error as Error).message}`)
  }
  return parts.join('') + decoder.decode()
}

const nameOf = (path: string): string => (path === '-' ? 'stdin' : path)

const tooMuch = (name: string, limit: string, option: string): UsageError =>
  new UsageError(`${name} holds more than ${limit}: raise ${option}, or give less of it`)

async function* bounded(pieces: AsyncIterable<Uint8Array>, maxBytes: number, name: string): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    if (bytes > maxBytes) throw tooMuch(name, formatSize(maxBytes), '--max-bytes')
    yield piece
  }
}

/** The pieces, unpacked where they begin like gzip; never more than a piece ahead of who reads them. */
async function* unpack(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = pieces[Symbol.asyncIterator]()
  let head = new Uint8Array(0)
  while (head.length < 2) {
    const { done, value } = await source.next()
    if (done) break
    head = head.length === 0 ? Uint8Array.from(value) : Uint8Array.of(...head, ...value)
  }
  async function* all() {
    try {
      yield head
      for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
    } finally {
      await source.return?.()
    }
  }
  if (head[0] === 0x1f && head[1] === 0x8b)
    yield* pipeline(Readable.from(all()), createGunzip(), () => {}) // errors come by iterating
  else yield* all()
}

function countLines(piece: Uint8Array): number {
  let lines = 0
  for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, at + 1)) lines++
  return lines
}
