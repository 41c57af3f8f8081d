import type { IncomingMessage } from 'node:http'
import { HttpError } from './http-error.js'

/** Bytes that all requests in the gateway hold together. */
export class BodyBudget {
  readonly limitBytes: number
  #bytes = 0

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** @returns whether they still fit; when not, nothing was taken */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.limitBytes) return false
    this.#bytes += bytes
    return true
  }

  give(bytes: number): void {
    this.#bytes -= bytes
  }
}

export interface BodyOptions {
  readonly maxBytes: number
  readonly budget: BodyBudget
  /** Called when nothing speaks against the body: the client may send it. */
  begin?(): void
}

const tooLarge = (maxBytes: number): HttpError =>
  new HttpError(
    413,
    'body_too_large',
    `the body is larger than ${maxBytes} bytes: send less, or raise the limit (--max-body-mib)`,
  )

const noRoom = (budget: BodyBudget): HttpError =>
  new HttpError(429, 'buffer_full', `requests that wait hold ${budget.limitBytes} bytes, no more fit: come again`, {
    retryAfterSeconds: 1,
  })

/**
 * Reads a body whole. After a refusal the rest of it is thrown away as it comes (Node does), so that the client can read the answer:
 * closing a socket with unread bytes would reset it. What it took of the budget is the caller's to give back; when it throws, nothing is taken.
 *
 * @throws {HttpError} 413, 429; 400 `client_gone` when the client left in the middle
 */
export async function readBody(request: IncomingMessage, { maxBytes, budget, begin }: BodyOptions): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  begin?.()
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve, reject) => {
    const stop = (error?: HttpError) => {
      request.off('data', add).off('end', finish).off('close', leave).off('error', leave)
      if (!error) return
      budget.give(bytes)
      reject(error)
    }
    const add = (chunk: Buffer) => {
      if (bytes + chunk.length > maxBytes) return stop(tooLarge(maxBytes))
      if (!budget.take(chunk.length)) return stop(noRoom(budget))
      bytes += chunk.length
      chunks.push(chunk)
    }
    const finish = () => {
      stop()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    }
    const leave = () => stop(new HttpError(400, 'client_gone', 'the client left before its request was complete'))
    request.on('data', add).on('end', finish).on('close', leave).on('error', leave)
  })
}
