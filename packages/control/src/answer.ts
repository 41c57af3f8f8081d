/**
 * Awaits `call`, but no longer than until one of the signals aborts; then rejects with that signal's reason. What `call` throws
 * before it returns a promise is a rejection too.
 */
export function answerOf<T>(
  call: (signal: AbortSignal) => Promise<T>,
  signals: readonly (AbortSignal | undefined)[],
): Promise<T> {
  // Not AbortSignal.any: on Node 20 its results stay reachable from a long-lived source, one for each step of the loop.
  const inner = new AbortController()
  return new Promise<T>((resolve, reject) => {
    const giveUp = () => {
      const reason: unknown = signals.find((signal) => signal?.aborted)?.reason
      inner.abort(reason)
      reject(reason)
      release()
    }
    const release = () => {
      for (const signal of signals) signal?.removeEventListener('abort', giveUp)
    }
    for (const signal of signals) signal?.addEventListener('abort', giveUp)
    if (signals.some((signal) => signal?.aborted)) giveUp()
    else promiseOf(call, inner.signal).then(resolve, reject).finally(release)
  })
}

/** An async function around `call`: what it throws at once rejects, what is no promise is its answer. */
export const promiseOf = async <T>(call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> =>
  call(signal)
