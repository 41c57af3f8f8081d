// The files of a call as inputs, checked before the first one is read, with progress while they are.
import type { TraceInput } from '@trimtab/trace'
import type { Host } from '../host.js'
import { formatSize, UsageError } from '../options.js'
import { createProgress } from '../progress.js'

const STDIN = '-'
const PATIENCE_MS = 1000 // shorter reads need no progress
const MIB = 2 ** 20
const STDIN_BYTES = 256 * MIB
const KEPT_BYTES = 64 * MIB

export interface Inputs {
  readonly list: readonly TraceInput[]
  /** Tells how many spans were analysed so far, for the rate. */
  note(spans: number): void
  /** Takes the progress away between two readings. */
  pause(): void
}

/**
 * @param maxBytes  of stdin, unpacked, and of what is kept of it; left out: 256 MiB, 64 MiB
 * @param passes  how often everything is analysed; several files are read once more before, to find the traces that lie in
 * more than one of them. What comes by stdin is kept in memory if it is read more than once
 * @throws {UsageError} with every file that cannot be read, and what else is wrong with them
 */
export async function openInputs(
  files: readonly string[],
  host: Host,
  maxBytes: number | undefined,
  passes = 1,
): Promise<Inputs> {
  if (files.length === 0) throw new UsageError('a file is missing: name trace files, or - for stdin')
  const problems: string[] = []
  const sizes = await Promise.all(
    files.map(async (file) => {
      if (file === STDIN) return undefined
      return host.sizeOf(file).catch((error: Error) => {
        problems.push(`${file} cannot be read: ${error.message}`)
        return undefined
      })
    }),
  )
  if (files.filter((file) => file === STDIN).length > 1) problems.push('- may stand once: stdin is there only once')
  if (problems.length > 0) throw new UsageError(problems.join('\n'))
  const readings = passes + (files.length > 1 ? 1 : 0)
  const totalBytes = sizes.every((size) => size !== undefined)
    ? sizes.reduce<number>((sum, size) => sum + size!, 0) * readings
    : undefined
  const progress = createProgress(host, 'MiB', 1)
  const startedAt = host.now()
  let bytes = 0
  let spans = 0
  let label = ''
  const show = () => {
    if (host.now() - startedAt < PATIENCE_MS) return
    const words =
      spans > 0
        ? `${Math.round(spans / ((host.now() - startedAt) / 1000)).toLocaleString('en')} spans/s · ${label}`
        : label
    progress.update({ done: bytes / MIB, total: totalBytes === undefined ? undefined : totalBytes / MIB, label: words })
  }
  let kept: Uint8Array[] | undefined // stdin, which can be read only once
  let keptBytes = 0
  const keep = (piece: Uint8Array) => {
    keptBytes += piece.byteLength
    if (keptBytes > (maxBytes ?? KEPT_BYTES))
      throw new UsageError(
        `stdin is read ${readings} times here and kept meanwhile, and holds more than ${formatSize(maxBytes ?? KEPT_BYTES)}: save it to a file, or raise --max-bytes`,
      )
    kept?.push(piece)
  }
  async function* pieces(file: string): AsyncGenerator<Uint8Array, void> {
    label = file === STDIN ? 'stdin' : file
    const isKept = file === STDIN && readings > 1
    const source = isKept && kept ? kept : host.readBytes(file)
    const isFirst = isKept && kept === undefined
    if (isFirst) kept = []
    try {
      for await (const piece of source) {
        if (isFirst) keep(piece)
        yield piece
        bytes += piece.byteLength
        show()
      }
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      throw /^E[A-Z]+$/.test(code ?? '') ? new UsageError(`${file} cannot be read: ${message}`) : error
    }
  }
  return {
    list: files.map((file) => ({
      name: file === STDIN ? 'stdin' : file,
      maxBytes: file === STDIN ? (maxBytes ?? STDIN_BYTES) : maxBytes,
      open: () => pieces(file),
    })),
    note(more) {
      spans += more
    },
    pause: () => progress.finish(),
  }
}
