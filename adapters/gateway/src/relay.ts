import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { HttpError } from './http-error.js'
import { toUpstreamError } from './upstream-error.js'

/** A head waits so long for the first piece of the body, to leave in one packet with it; the first token may be far. */
const HEAD_ALONE_AFTER_MS = 5

export interface RelayOptions {
  /** Silence of the upstream after which it is given up, milliseconds. */
  readonly upstreamTimeoutMs: number
  /** How long a client may take nothing of what waits for it, milliseconds. */
  readonly clientTimeoutMs: number
  /** Why the client should not get this answer, which is thrown away then; undefined: it gets it. */
  refuse?(answer: IncomingMessage): Error | undefined
  /** The answer begins: the header that the client gets. */
  head(answer: IncomingMessage): string[]
  /** Sees each piece of the body, in order, after it was sent, and before the promise settles. */
  observe?(chunk: Buffer): void
}

/**
 * Sends the upstream's answer on as it comes: each piece in order, none held back, none read ahead of a client that is slower. The
 * promise settles when the upstream is done with this request, whether or not the client has read everything.
 *
 * A client that leaves, or that stops reading, ends the upstream's work; an upstream that breaks off ends the client's connection, so
 * that half an answer never looks whole. Nothing is ever sent twice.
 *
 * @param upstream  sent or about to be; answers come from nobody else
 * @throws {HttpError} what `refuse` gave; 502 `upstream_unreachable`, `upstream_untrusted` (nothing was sent), `upstream_failed`; 504 `upstream_timeout`; 499 `client_gone`, `client_stalled`. After
 *   the head was sent the client has no use for it: its connection is cut.
 */
export function relay(upstream: ClientRequest, client: ServerResponse, options: RelayOptions): Promise<void> {
  const { upstreamTimeoutMs, clientTimeoutMs, observe } = options
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined
    let hasBody = false
    let isSettled = false
    let timer = setTimeout(giveUpUpstream, upstreamTimeoutMs)

    function settle(error?: unknown): void {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      client.off('close', leave).off('drain', resume)
      if (error === undefined) resolve()
      else {
        upstream.destroy()
        if (client.headersSent) client.destroy()
        reject(error)
      }
    }
    function giveUpUpstream(): void {
      settle(new HttpError(504, 'upstream_timeout', `the upstream was silent for ${upstreamTimeoutMs / 1000} s`))
    }
    function giveUpClient(): void {
      settle(new HttpError(499, 'client_stalled', `the client read nothing for ${clientTimeoutMs / 1000} s`))
    }
    function leave(): void {
      settle(new HttpError(499, 'client_gone', 'the client left'))
    }
    function fail(error: NodeJS.ErrnoException): void {
      settle(toUpstreamError(error))
    }
    function begin(message: IncomingMessage): void {
      const refusal = options.refuse?.(message)
      if (refusal) {
        settle(refusal)
        return
      }
      answer = message
      timer.refresh()
      try {
        client.writeHead(message.statusCode!, message.statusMessage, options.head(message))
      } catch (error) {
        fail(error as Error) // a head that may be read but not written, say of status 099
        return
      }
      setTimeout(showHead, HEAD_ALONE_AFTER_MS)
      message.on('data', pass).on('end', end).on('error', fail)
    }
    function showHead(): void {
      if (!hasBody && !isSettled) client.flushHeaders()
    }
    function pass(chunk: Buffer): void {
      hasBody = true
      if (client.write(chunk)) timer.refresh()
      else {
        answer!.pause()
        clearTimeout(timer)
        timer = setTimeout(giveUpClient, clientTimeoutMs)
      }
      if (observe) queueMicrotask(() => observe(chunk)) // what is written has left by then
    }
    function resume(): void {
      clearTimeout(timer)
      timer = setTimeout(giveUpUpstream, upstreamTimeoutMs)
      answer?.resume()
    }
    function end(): void {
      settle()
      client.end()
      closeUnread(client, clientTimeoutMs)
    }

    upstream.on('response', begin).on('error', fail)
    client.on('close', leave).on('drain', resume)
    if (client.destroyed) leave()
  })
}

/** The last pieces wait for a client that does not read: not for ever. */
function closeUnread(client: ServerResponse, clientTimeoutMs: number): void {
  if (client.writableFinished) return
  const timer = setTimeout(() => client.destroy(), clientTimeoutMs)
  client.once('close', () => clearTimeout(timer))
}
