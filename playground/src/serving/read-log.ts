// A log of the visitor's own, by the reader of `trimtab schedule --requests`.
import { type RequestLog, readRequestLog } from 'trimtab/schedule'

const MOST_BYTES = 2 ** 26 // unpacked, as the command reads by default

/** @throws {UsageError} what is wrong with it; also when there is nothing to predict lengths from */
export async function readLog(file: File): Promise<RequestLog> {
  const log = readRequestLog(file.name, await textOf(file))
  if (log.hasPrompts) return log
  throw new Error(
    `${file.name}: not every request has a prompt, or messages, to predict its length from. In the terminal, trimtab schedule --requests ${file.name} --policy fcfs,oracle serves it.`,
  )
}

async function textOf(file: File): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  const isPacked = first === 0x1f && second === 0x8b
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  const take = new WritableStream<Uint8Array>({
    write(piece) {
      bytes += piece.byteLength
      if (bytes > MOST_BYTES) throw new Error(`it holds more than ${MOST_BYTES / 2 ** 20} MiB: take a part of it`)
      parts.push(decoder.decode(piece, { stream: true }))
    },
  })
  try {
    const pieces = file.stream()
    await (isPacked ? pieces.pipeThrough(new DecompressionStream('gzip')) : pieces).pipeTo(take)
  } catch (error) {
    throw new Error(`${file.name} cannot be read: ${(error as Error).message}`)
  }
  return parts.join('') + decoder.decode()
}
