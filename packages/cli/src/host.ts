// What a command may touch of the machine it runs on; tests hand in their own.
import { createReadStream } from 'node:fs'
import { appendFile, open, rm, stat } from 'node:fs/promises'
import process from 'node:process'
import { addAbortSignal, Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import * as zlib from 'node:zlib'
import type { FileContent } from '@trimtab/node/files'
import type { Unpacker } from '@trimtab/trace'

export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface Host {
  /** Results, and nothing else. */
  readonly stdout: Output
  /** Progress and problems. */
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  /**
   * Aborted by Ctrl-C or SIGTERM. Whoever reads it takes both over and must end within a second: servers, and commands whose work is
   * elsewhere. All others are ended by the signal itself, in the middle of whatever they compute; no file is ever half-written.
   */
  readonly signal: AbortSignal
  /** Milliseconds since any fixed moment. */
  now(): number
  /** Resolves after so many milliseconds, or when the signal is given. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
  sizeOf(path: string): Promise<number>
  /** The last bytes of a file that somebody else may be writing, when it was changed, and how long ago that was by this host's clock. */
  readTail(
    path: string,
    bytes: number,
  ): Promise<{ readonly text: string; readonly modifiedMs: number; readonly ageMs: number }>
  /** A file in pieces as they come; `-` is stdin. Ends with an error when the signal is given. */
  readBytes(path: string, signal?: AbortSignal): AsyncIterable<Uint8Array>
  /** Unpacks zstd, where the runtime can. */
  readonly zstd?: Unpacker | undefined
  /** Leaves the old file or the new one, never a part, however the process ends (`replaceFile` of @trimtab/node). */
  writeFile(path: string, content: FileContent): Promise<void>
  /** Appends a line to a file that people may follow. It is not forced to the disk: a kill loses nothing, a power failure the end. */
  appendFile(path: string, text: string): Promise<void>
  /** No error where there is none. */
  removeFile(path: string): Promise<void>
  /** Whether `writeFile` could work: asked before a long run, not after it. */
  canWrite(path: string): Promise<boolean>
}

/**
 * The host with some parts in place of its own. It stands in front of it and is no copy: to copy is to read `signal`, and that takes
 * the signals over for a command that never looks.
 */
export const hostWith = (host: Host, parts: Partial<Host>): Host =>
  Object.create(host, Object.getOwnPropertyDescriptors(parts))

/** In `node:zlib` from Node 22.15 on. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => Duplex }
const zstd = createZstdDecompress && (() => Duplex.toWeb(createZstdDecompress()) as ReturnType<Unpacker>)

const PIECE_BYTES = 1 << 20 // large enough that reading costs nothing beside parsing

/** The process itself. */
export function createProcessHost(): Host {
  outliveReaders()
  let stop: AbortSignal | undefined
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    get signal() {
      stop ??= takeSignals()
      return stop
    },
    now: () => performance.now(),
    wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined), // aborted
    readTail,
    readBytes(path, signal) {
      const stream = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: PIECE_BYTES })
      return signal ? addAbortSignal(signal, stream) : stream
    },
    zstd,
    sizeOf: async (path) => (await stat(path)).size,
    writeFile: async (path, content) => (await files()).replaceFile(path, content),
    appendFile: (path, text) => appendFile(path, text),
    removeFile: (path) => rm(path, { force: true }),
    canWrite: async (path) => (await files()).canReplaceFile(path),
  }
}

/**
 * Nobody who stops reading ends a command, least of all a server: what it says then is lost (`trimtab … | head`, a log that went away).
 * An answer that cannot be written for another reason, a full disk say, is told once and the command has failed.
 */
function outliveReaders(): void {
  let isLost = false
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isLost) return
    isLost = true
    process.stderr.write(`trimtab: the answer cannot be written: ${message}\n`)
    process.on('exit', () => {
      process.exitCode ||= 1
    })
  })
  process.stderr.on('error', () => {})
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** The first signal asks politely, the second one ends the process. */
function takeSignals(): AbortSignal {
  const abort = new AbortController()
  const take = () => {
    for (const signal of SIGNALS) process.off(signal, take)
    abort.abort()
  }
  for (const signal of SIGNALS) process.on(signal, take)
  return abort.signal
}

/** Loaded when it is needed: `trimtab --help` starts no core. */
const files = () => import('@trimtab/node/files')

async function readTail(path: string, bytes: number): Promise<{ text: string; modifiedMs: number; ageMs: number }> {
  const file = await open(path)
  try {
    const { size, mtimeMs } = await file.stat()
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(bytes), position: Math.max(0, size - bytes) })
    return {
      text: buffer.toString('utf8', 0, bytesRead),
      modifiedMs: mtimeMs,
      ageMs: Math.max(0, Date.now() - mtimeMs),
    }
  } finally {
    await file.close()
  }
}
