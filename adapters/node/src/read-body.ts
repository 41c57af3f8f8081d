import type { IncomingMessage } from 'node:http'

/**
 * The body of a request as text, of at most so many bytes.
 * @returns undefined: it is too long; it is read to its end all the same, so that the answer is heard
 */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= mostBytes) chunks.push(chunk)
  }
  return length <= mostBytes ? Buffer.concat(chunks).toString() : undefined
}
