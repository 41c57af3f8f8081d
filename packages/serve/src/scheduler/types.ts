import type { QueueOrder } from '@trimtab/core/internal'
import type { ServeCore } from '@trimtab/core/serve'
import type { TimerClock } from '../clock.js'
import type { LengthEstimator } from '../predict/index.js'
import type { Limit } from './limits.js'

/** How requests wait, whatever serves them. */
export interface WaitingOptions {
  readonly core: ServeCore
  /** Predicts the lengths by which requests are ordered. Without it they count as the `tokens` they bring. */
  readonly estimator?: LengthEstimator | undefined
  /** At most so many requests wait; the next one is refused with `queue_full`. 100,000 unless told. */
  readonly capacity?: number | undefined
  /** `class` (default): the order of `exact` up to a class of lengths, in the same time at any depth; `fifo`: as they came. */
  readonly order?: QueueOrder | undefined
  /**
   * Ageing by work (default, 3): how much later work may go ahead of a request, in largest backlogs of the time for which it
   * waits and shortly before. Who waits longest waits about 1 + bypass times as long as first come, first served at worst.
   * 0: first come, first served.
   */
  readonly bypass?: number | undefined
  /**
   * Ageing by time, instead: no request is passed by one that came more than so many seconds later, as long as `fairness` is
   * 0. Infinity: pure shortest-first, in which the longest may starve.
   */
  readonly maxBypassSeconds?: number | undefined
  /** 0 (default): tenants don't matter; 1: what a tenant has waiting counts against its next request in full. */
  readonly fairness?: number | undefined
  /** Models that are not autoregressive take one pass whatever the input: among themselves they are served as they came. */
  readonly isAutoregressive?: ((model: string) => boolean) | undefined
  /** What a request counts for when nobody knows its length, in tokens. 256 unless told. */
  readonly unknownTokens?: number | undefined
  /**
   * What a token of the prompt (`promptTokens`) counts for in the order, beside one of the answer: prompts are taken in many
   * tokens at a time. 0.05 unless told; 0: prompts don't matter.
   */
  readonly promptWeight?: number | undefined
  /** What requests may take together. Who is next waits for room, and the others behind it: nobody is passed for being large. */
  readonly limit?: Limit | undefined
  /** The same for each model that is named here, beside `limit`. Requests of other models go ahead meanwhile. */
  readonly modelLimits?: Readonly<Record<string, Limit>> | undefined
  /** For requests that bring none of their own. */
  readonly timeoutMs?: number | undefined
  /** For requests that bring none of their own. */
  readonly retry?: Retry | undefined
  readonly clock?: TimerClock | undefined
}

/**
 * Asked when work has failed, unless it was aborted or timed out: in how many ms it is tried again; undefined: not. It waits
 * with the arrival that it had, and is first in its lane then; its slot is free meanwhile.
 * @param attempt  that has failed: 1, 2, …
 */
export type Retry = (error: unknown, attempt: number) => number | undefined

/** What may be said of a request. */
export interface AddOptions {
  /** Takes a waiting request out at once; a running one is told by `run.signal`. */
  readonly signal?: AbortSignal | undefined
  /** For the estimator, together with `prompt`. */
  readonly model?: string | undefined
  readonly prompt?: string | undefined
  /** Where the answer is cut, in tokens: no estimate counts for more. */
  readonly maxTokens?: number | undefined
  /** How many answers are asked for: a prediction, which is of one, counts as often. 1 unless told. */
  readonly answers?: number | undefined
  /** Tokens of the prompt: work like the answer (`promptWeight`), and what limits of tokens count beside it. */
  readonly promptTokens?: number | undefined
  /**
   * Lane: a whole number of −10 … 10, 0 unless told. Larger ones go first whatever their length, as p-queue's; lengths and
   * ageing decide within one.
   */
  readonly priority?: number | undefined
  /** An estimate of one's own, in tokens; nobody is asked then. Above 2^20 all count alike. */
  readonly tokens?: number | undefined
  /** Whose request it is; see `fairness`. */
  readonly tenant?: string | undefined
  /** A request that has not started after this many ms is given up with `deadline_passed`. */
  readonly deadlineMs?: number | undefined
  /**
   * A request that has run for so many ms is told by `run.signal`, and its promise rejects with `timed_out`. Its slot is free
   * when its work has ended.
   */
  readonly timeoutMs?: number | undefined
  readonly retry?: Retry | undefined
}

/** What the work is given. */
export interface Run {
  /** Aborted when the request's own signal is, and when it has run for too long. */
  readonly signal: AbortSignal
  /** What the request counts for in the queue: the predicted tokens of all its answers. */
  readonly expectedTokens: number
  /** Which try this is: 1 the first. */
  readonly attempt: number
  /** Tells how many tokens the answer, or each of several, has taken in all; the last call counts, and the estimator learns from it. */
  reportTokens(tokens: number): void
}
