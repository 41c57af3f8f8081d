import type { IncomingMessage } from 'node:http'
import { retryAfterMs } from '@trimtab/node/http'
import { HttpError } from './http-error.js'
import type { Upstream } from './upstream.js'
import type { Patience, Upstreams } from './upstreams.js'

/** One try; `refuse` is for `relay`. */
export type Attempt = (upstream: Upstream, refuse: (answer: IncomingMessage) => Error | undefined) => Promise<void>

export interface DispatchOptions extends Omit<Patience, 'refusedUntilMs'> {
  /** As predicted, of all answers together. */
  readonly tokens: number
  /** Told of each time that it was not taken and is kept. */
  readonly onRefusal: (reason: 'unreachable' | 'retry_after') => void
}

/** No server is asked again sooner by the same request, whatever it says. */
const SOONEST_MS = 100

/** The server says when to come again: nothing has been done. */
class ComeAgain extends Error {}

/**
 * Sends a request to the server with the least work left, and again only where a server has not taken it: it refused the connection, or
 * said when to come again. So it is lost by no restart, and worked on once.
 *
 * @throws {HttpError} what ends an attempt: that no server can be reached only when its time is over; 504 `deadline_passed`
 */
export async function dispatch(upstreams: Upstreams, attempt: Attempt, options: DispatchOptions): Promise<void> {
  const { tokens, onRefusal, untilMs, deadlineMs, client } = options
  const heldUntilMs = Math.min(untilMs, deadlineMs)
  const refusedUntilMs = new Map<Upstream, number>()
  for (;;) {
    const patience = { untilMs, deadlineMs, refusedUntilMs, client }
    const upstream = upstreams.ready(refusedUntilMs) ?? (await upstreams.waitForReady(patience))
    const refuse = (answer: IncomingMessage): Error | undefined => {
      const afterMs = retryAfterMs(answer)
      if (afterMs === undefined) return undefined
      const askAgainMs = performance.now() + Math.max(SOONEST_MS, afterMs)
      refusedUntilMs.set(upstream, askAgainMs)
      return askAgainMs <= heldUntilMs || upstreams.ready(refusedUntilMs) ? new ComeAgain() : undefined
    }
    upstream.running++
    upstream.workTokens += tokens
    try {
      await attempt(upstream, refuse)
      return
    } catch (error) {
      const isUnreachable = error instanceof HttpError && error.code === 'upstream_unreachable'
      // Where one answer broke off, the server may be going: what is sent in this moment would be lost with it.
      if (isUnreachable || (error instanceof HttpError && error.code === 'upstream_failed'))
        upstreams.reportFailure(upstream, error)
      if (error instanceof ComeAgain) onRefusal('retry_after')
      else if (isUnreachable && performance.now() < untilMs) onRefusal('unreachable')
      else throw error
    } finally {
      upstream.running--
      upstream.workTokens -= tokens
    }
  }
}
