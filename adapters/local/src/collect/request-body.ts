import type { IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { Refusal } from './refusal.js'

/** Bytes of all batches that are on their way, from the socket to the disk. */
export class Room {
  readonly #mostBytes: number
  #bytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** @throws {Refusal} 503 when there is none; nothing is taken then */
  take(bytes: number): void {
    if (this.#bytes + bytes > this.#mostBytes)
      throw new Refusal(503, `batches on their way hold ${this.#mostBytes} bytes, no more fit: come again`, 1)
    this.#bytes += bytes
  }

  give(bytes: number): void {
    this.#bytes -= bytes
  }
}

/**
 * Reads the body of a request whole and unpacks it. What it then holds of `room` is the caller's to give back.
 *
 * @throws {Refusal} 413 larger than `mostBytes`, packed or not; 415 an encoding other than gzip; 400 no gzip, or the client left; 503 no room
 */
export async function readBody(request: IncomingMessage, mostBytes: number, room: Room): Promise<Buffer> {
  const packing = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (packing !== 'identity' && packing !== 'gzip')
    throw new Refusal(415, `a body may be gzip or plain, got Content-Encoding ${packing.slice(0, 64)}`)
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge(mostBytes)
  let held = 0
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (held + chunk.length > mostBytes) throw tooLarge(mostBytes)
      room.take(chunk.length)
      held += chunk.length
      chunks.push(chunk)
    }
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    if (packing === 'identity') return body
    // Here and now, so that beside the room there is one unpacked body at a time, whatever comes.
    const unpacked = unpack(body, mostBytes)
    room.give(held)
    held = 0
    room.take(unpacked.length)
    return unpacked
  } catch (error) {
    room.give(held)
    if (error instanceof Refusal) throw error
    throw new Refusal(400, 'the client left before its request was complete')
  }
}

function unpack(body: Buffer, mostBytes: number): Buffer {
  try {
    return gunzipSync(body, { maxOutputLength: mostBytes })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(mostBytes)
    throw new Refusal(400, 'the body is no gzip, as its Content-Encoding says')
  }
}

const tooLarge = (mostBytes: number): Refusal =>
  new Refusal(413, `the batch is larger than ${mostBytes} bytes: export fewer spans at once`)
