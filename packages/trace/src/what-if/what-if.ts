import { ConfigError } from '@trimtab/core'
import { Attribution } from '../attribution.js'
import type { CriticalPath } from '../path/types.js'
import { Distribution } from '../profile/distribution.js'
import { addProduct, addTime, exactSum, MAX_TIME_NS, SUM_WORDS } from '../profile/exact-sum.js'
import { bucketOf, Histograms } from '../profile/histogram.js'
import { Workflow } from '../workflow/workflow.js'
import { checkChanges, createFactors, type SpanChange, writeFactors } from './change.js'
import { type Retimed, Retimer } from './retime.js'
import type { UsualTimes } from './usual-times.js'

/** What is known beside the trace itself. */
export interface WhatIfOptions {
  /**
   * What many traces say about which siblings run in parallel. Without it, each trace is taken at its word, and calls that
   * happened not to meet are taken for sequential ones.
   */
  readonly workflow?: Workflow | undefined
  /** What changes with `isAsUsual` make of the window's times. */
  readonly usual?: UsualTimes | undefined
}

/**
 * What a change of some spans would do to the latency of a whole window, with bounds. Streaming: requests are replayed one by
 * one and only their latencies are counted.
 *
 * @example
 * const faster = new WhatIf({ service: 'cart', speedUp: 2 }, { workflow })
 * for await (const trace of readTraces(file)) faster.add(finder.find(trace))
 * faster.saved01 // by which part the mean latency would shrink; it lies in faster.savedInterval01
 */
export class WhatIf {
  readonly #changes: readonly SpanChange[]
  readonly #retimer: Retimer
  readonly #before = new LatencyTally()
  readonly #after = new LatencyTally()
  readonly #optimistic = new LatencyTally()
  readonly #pessimistic = new LatencyTally()
  readonly #usual: UsualTimes | undefined
  readonly #attribution = new Attribution()
  #factors = createFactors(64)
  #spans = 0
  #requests = 0

  /** @throws {ConfigError} `config_invalid` with every problem */
  constructor(changes: SpanChange | readonly SpanChange[], options: WhatIfOptions = {}) {
    this.#changes = [changes].flat()
    checkChanges(this.#changes, options.usual)
    this.#usual = options.usual
    this.#retimer = new Retimer(options.workflow)
  }

  /**
   * @returns the request's latency as it would have been
   * @throws {ConfigError} `mode_mismatch`: the path is not of mode `blocking`, the only one that says who waited for whom
   */
  add(path: CriticalPath): Retimed {
    if (path.mode !== 'blocking') {
      throw new ConfigError('mode_mismatch', `what-if needs paths of mode blocking, got one of mode ${path.mode}`)
    }
    const { trace, latencyNs } = path
    if (this.#factors.estimate.length < trace.size) this.#factors = createFactors(2 * trace.size)
    const plan = { changes: this.#changes, usual: this.#usual }
    const different = writeFactors(trace, this.#attribution.of(path), plan, this.#factors)
    const retimed =
      different > 0
        ? this.#retimer.retime(path, this.#factors)
        : { estimateNs: latencyNs, optimisticNs: latencyNs, pessimisticNs: latencyNs }
    this.#spans += different
    if (different > 0) this.#requests += 1
    this.#before.add(latencyNs)
    this.#after.add(retimed.estimateNs)
    this.#optimistic.add(retimed.optimisticNs)
    this.#pessimistic.add(retimed.pessimisticNs)
    return retimed
  }

  /** Requests added. */
  get requests(): number {
    return this.#before.count
  }

  /** Spans that the change is about: 0 usually means that a name is wrong. */
  get changedSpans(): number {
    return this.#spans
  }

  /** Requests with at least one of them. */
  get changedRequests(): number {
    return this.#requests
  }

  /** Latencies as they were. */
  get before(): Distribution {
    return this.#before.read()
  }

  /** Latencies as they would have been. */
  get after(): Distribution {
    return this.#after.read()
  }

  /** No better than this: each call waited just for whom it suits, and calls to what got faster got faster with it. */
  get optimistic(): Distribution {
    return this.#optimistic.read()
  }

  /** No worse than this: nothing that may have begun by its own clock moves forward, calls to what got slower do too. */
  get pessimistic(): Distribution {
    return this.#pessimistic.read()
  }

  /** ns that a request would be faster on average; negative: slower. */
  get savedNs(): number {
    return this.before.meanNs - this.after.meanNs
  }

  /** The same as a part of the mean latency; 0 without latency. */
  get saved01(): number {
    return this.#part(this.after)
  }

  /** Bounds of `saved01`: pessimistic and optimistic. */
  get savedInterval01(): { readonly low: number; readonly high: number } {
    return { low: this.#part(this.pessimistic), high: this.#part(this.optimistic) }
  }

  #part(after: Distribution): number {
    const before = this.before.meanNs
    return before > 0 ? (before - after.meanNs) / before : 0
  }
}

/**
 * What a change would do to a window that is at hand as a whole; see `WhatIf`. The workflow is learnt from the same paths,
 * unless another is given.
 */
export function whatIf(
  paths: readonly CriticalPath[],
  changes: SpanChange | readonly SpanChange[],
  options: WhatIfOptions = {},
): WhatIf {
  const workflow = options.workflow ?? new Workflow()
  if (workflow !== options.workflow) for (const path of paths) workflow.add(path)
  const answer = new WhatIf(changes, { ...options, workflow })
  for (const path of paths) answer.add(path)
  return answer
}

/** Counts latencies: exact sums and a histogram. */
class LatencyTally {
  count = 0
  #longestNs = 0
  readonly #sums = new Float64Array(2 * SUM_WORDS)
  readonly #times = new Histograms()

  add(latencyNs: number): void {
    const whole = Math.min(Math.round(latencyNs), MAX_TIME_NS)
    this.count += 1
    this.#longestNs = Math.max(this.#longestNs, whole)
    addTime(this.#sums, 0, whole)
    addProduct(this.#sums, SUM_WORDS, whole, whole)
    this.#times.add(0, bucketOf(whole), 1)
  }

  read(): Distribution {
    return new Distribution(
      this.count,
      exactSum(this.#sums, 0),
      exactSum(this.#sums, SUM_WORDS),
      () => this.#times.read([0]),
      this.#longestNs,
    )
  }
}
