// How batches lie in a file, so that `trimtab trace` and OpenTelemetry's own collector read it, and how much of a file that broke off is whole.
import type { FileHandle } from 'node:fs/promises'
import type { BatchFormat } from '@trimtab/trace'

/** One way to put one batch behind the other. */
export interface Framing {
  /** Of the file's name. */
  readonly suffix: string
  /** The bytes of a batch as they go into the file. */
  frame(batch: Buffer): Buffer[]
  /** Length of the whole batches at the beginning of a file of `size` bytes. */
  wholeLength(file: FileHandle, size: number): Promise<number>
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const END_OF_LINE = Buffer.from([LINE_FEED])
const PREFIX_BYTES = 4
const PIECE_BYTES = 1 << 16

/** A document a line. Line breaks of JSON are white space: within strings it has none. */
const LINES: Framing = {
  suffix: 'jsonl',
  frame: (batch) => [inOneLine(batch), END_OF_LINE],
  async wholeLength(file, size) {
    const piece = Buffer.alloc(PIECE_BYTES)
    for (let end = size; end > 0; ) {
      const from = Math.max(0, end - PIECE_BYTES)
      const { bytesRead } = await file.read(piece, 0, end - from, from)
      const last = piece.subarray(0, bytesRead).lastIndexOf(LINE_FEED)
      if (last >= 0) return from + last + 1
      end = from
    }
    return 0
  },
}

/** Each message behind its length, four bytes, the most significant first. */
const PREFIXED: Framing = {
  suffix: 'binpb',
  frame(batch) {
    const prefix = Buffer.alloc(PREFIX_BYTES)
    prefix.writeUInt32BE(batch.length)
    return [prefix, batch]
  },
  async wholeLength(file, size) {
    const prefix = Buffer.alloc(PREFIX_BYTES)
    for (let whole = 0; ; ) {
      if (whole + PREFIX_BYTES > size) return whole
      await file.read(prefix, 0, PREFIX_BYTES, whole)
      const next = whole + PREFIX_BYTES + prefix.readUInt32BE()
      if (next > size) return whole
      whole = next
    }
  },
}

export const FRAMINGS: Readonly<Record<BatchFormat, Framing>> = { 'otlp-json': LINES, 'otlp-protobuf': PREFIXED }

function inOneLine(batch: Buffer): Buffer {
  if (!batch.includes(LINE_FEED) && !batch.includes(CARRIAGE_RETURN)) return batch
  return batch.map((byte) => (byte === LINE_FEED || byte === CARRIAGE_RETURN ? SPACE : byte)) as Buffer
}
