import { TraceError } from '@trimtab/core'

/** Where bytes come from: at once or in chunks, cut anywhere. Text is taken as UTF-8; gzip and zstd are recognised and unpacked. */
export type TraceSource =
  | string
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>

type Chunks = AsyncIterator<Uint8Array> | Iterator<Uint8Array>

/** Makes a stream that takes packed bytes and gives out what they hold. */
export type Unpacker = () => UnpackingStream

/** What `DecompressionStream` is. */
export interface UnpackingStream {
  readonly readable: ReadableStream<Uint8Array>
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>
}

type Packing = 'gzip' | 'zstd'

/** What packed bytes begin with. */
const STARTS: readonly (readonly [Packing, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
]
const LONGEST_START = 4
const SLICE = 1 << 16 // bytes handed to the unpacker at once, so that little is lost when a later one is bad

/** How `bytes` are packed, by how they start; nothing if they are not. */
export function packingOf(bytes: Uint8Array): Packing | undefined {
  return STARTS.find(([, start]) => start.every((byte, i) => bytes[i] === byte))?.[0]
}

/** The bytes of a source that lies there whole. */
export function wholeOf(source: TraceSource): Uint8Array | undefined {
  if (typeof source === 'string') return new TextEncoder().encode(source)
  return ArrayBuffer.isView(source) ? source : undefined
}

/**
 * The source's bytes, unpacked, as they come. Throws what the source or the unpacker throws.
 * @throws {TraceError} `trace_packed` for zstd without an unpacker
 */
export async function* chunksOf(
  source: TraceSource,
  signal?: AbortSignal,
  zstd: Unpacker = () => runtimeUnpacker('zstd'),
): AsyncGenerator<Uint8Array, void> {
  const chunks = abortable(iterate(source), signal)
  try {
    const head = await readHead(chunks)
    const all = prepend(head, chunks)
    const packing = packingOf(head)
    if (packing) yield* unpack(all, packing, packing === 'zstd' ? zstd() : runtimeUnpacker(packing))
    else yield* all
  } finally {
    void chunks.return(undefined)
  }
}

function runtimeUnpacker(packing: Packing): UnpackingStream {
  try {
    return new DecompressionStream(packing as CompressionFormat)
  } catch (cause) {
    throw new TraceError(
      'trace_packed',
      `the input is ${packing}, which this runtime does not unpack: unpack it first (${packing} -d FILE), run the command on Node 22.15 or newer, or give readTraces() the option ${packing}`,
      { cause },
    )
  }
}

function iterate(source: TraceSource): Chunks {
  if (typeof source === 'string' || ArrayBuffer.isView(source)) return [wholeOf(source)!].values()
  if (Symbol.asyncIterator in source) return source[Symbol.asyncIterator]()
  if (Symbol.iterator in source) return source[Symbol.iterator]()
  return readerOf(source)
}

/** For browsers whose streams cannot be iterated. */
async function* readerOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

/** The same chunks; a wait for the next one ends when the signal fires. */
async function* abortable(chunks: Chunks, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void> {
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = await (signal ? nextUnlessAborted(chunks, signal) : chunks.next())
      if (done) return
      yield value
    }
  } finally {
    // Without waiting: a source that hangs must not keep an aborted reading.
    void Promise.resolve(chunks.return?.()).catch(() => {})
  }
}

function nextUnlessAborted(chunks: Chunks, signal: AbortSignal): Promise<IteratorResult<Uint8Array, unknown>> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    Promise.resolve(chunks.next())
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}

/** Enough bytes to tell a packing by; fewer at the end of the source. */
async function readHead(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head = new Uint8Array(0)
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) return head
    if (head.length === 0 && value.length >= LONGEST_START) return value
    const longer = new Uint8Array(head.length + value.length)
    longer.set(head)
    longer.set(value, head.length)
    head = longer
    if (head.length >= LONGEST_START) return head
  }
}

async function* prepend(head: Uint8Array, rest: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
  yield head
  yield* rest
}

/** Packed bytes could not be unpacked to their end; what came before was given out. */
export class UnpackFault {
  readonly what: string
  readonly cause: unknown

  constructor(packing: Packing, cause: unknown) {
    const { message, cause: first } = cause as Error // Node hides the message of its unpackers in a cause
    this.what = `${packing} that cannot be unpacked (${message || (first as Error | undefined)?.message || 'no reason given'})`
    this.cause = cause
  }
}

async function* unpack(
  chunks: AsyncIterable<Uint8Array>,
  packing: Packing,
  unpacker: UnpackingStream,
): AsyncGenerator<Uint8Array, void> {
  const packed = slices(chunks)
  let isSourceFault = false
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await packed.next()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (reason) {
        isSourceFault = true
        throw reason
      }
    },
    cancel: () => void packed.return(undefined),
  })
  const reader = stream.pipeThrough(unpacker).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } catch (reason) {
    throw isSourceFault ? reason : new UnpackFault(packing, reason)
  } finally {
    reader.cancel().catch(() => {}) // what went wrong was thrown above
  }
}

async function* slices(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += SLICE) yield chunk.slice(at, at + SLICE) as Uint8Array<ArrayBuffer>
  }
}
