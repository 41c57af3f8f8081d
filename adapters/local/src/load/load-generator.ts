import process from 'node:process'
import { basicAuthorization } from '@trimtab/node/http'
import { Child } from '../child.js'
import { GENERATOR_PROGRAM } from '../programs.js'
import type { PlannedRequest } from './arrivals.js'

/** What became of a request, as its caller sees it. */
export interface RequestOutcome {
  readonly action: string
  readonly atMs: number
  /** By how much it went out later than planned: the generator's own fault, or the machine's. */
  readonly lagMs: number
  /** From when it was planned to the end of its answer. */
  readonly latencyMs: number
  readonly isOk: boolean
  /** As the activation's record says; `initTimeMs` only of a cold start. */
  readonly waitTimeMs?: number
  readonly initTimeMs?: number
  /** Why it failed. */
  readonly error?: string
}

/** Where the load goes. */
export interface LoadTarget {
  /** `http://127.0.0.1:3233` */
  readonly url: string
  readonly uuid: string
  readonly key: string
  /** After this long without an answer a request has failed; default 60,000. */
  readonly patienceMs?: number
  /** Told twice a second how many have an answer. */
  readonly onProgress?: (done: number) => void
  readonly signal?: AbortSignal
}

const NICENESS = -10 // where the system allows it: what goes out late says nothing of the platform

/**
 * Sends planned requests from a process of its own, each at its time whatever became of the others, and waits for all answers.
 *
 * @returns in the order of the plan
 * @throws {AdapterError} `process_ended`, `process_missing`; the signal's reason
 */
export async function sendLoad(requests: readonly PlannedRequest[], target: LoadTarget): Promise<RequestOutcome[]> {
  const { url, uuid, key, patienceMs = 60_000, onProgress, signal } = target
  signal?.throwIfAborted()
  let stop = () => {}
  try {
    return await new Promise((resolve, reject) => {
      const child = new Child<{ readonly done: number } | { readonly outcomes: RequestOutcome[] }>({
        ...{ name: 'the load generator', program: GENERATOR_PROGRAM, niceness: NICENESS },
        onMessage: (message) => {
          if ('outcomes' in message) resolve(message.outcomes)
          else onProgress?.(message.done)
        },
      })
      child.failWhenGone().catch((error) => reject(signal?.aborted ? signal.reason : error))
      stop = () => child.kill()
      signal?.addEventListener('abort', stop)
      child.send({ url, authorization: basicAuthorization(uuid, key), requests, patienceMs })
      if (child.isStarted) for (const stream of child.output) stream.pipe(process.stderr, { end: false })
    })
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}
