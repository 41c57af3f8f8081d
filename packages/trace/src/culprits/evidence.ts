import type { TraceCore } from '@trimtab/core/trace'
import type { CallSets, ContextSamples, Pool } from './pool.js'

/** What can speak against a service, each larger when worse. */
export const EVIDENCE = ['callDelay', 'ownDelay', 'outgoingDelay', 'callShare', 'ownShare', 'behaviour'] as const
/** One kind of evidence. */
export type EvidenceName = (typeof EVIDENCE)[number]
export const EVIDENCE_COUNT: number = EVIDENCE.length

/** Values of `side`: where each trace of the pool belongs in a comparison. */
export const UNUSED = 0
export const WINDOW = 1
export const REFERENCE = 2

/** Samples that stand behind no shift at all: keeps contexts seen twice from shouting. */
const PRIOR_SAMPLES = 2
const MIN_REFERENCE_TIMES = 2
const MIN_REFERENCE_CALLS = 3

/** How one context differs between the window and the reference. */
export interface ContextChange {
  readonly context: ContextSamples
  readonly windowCount: number
  readonly referenceCount: number
  /** Difference of the median ln(µs + 30). */
  readonly logShift: number
  /** How much longer a request of the window waits for its calls than for as many of the reference, µs on the path. */
  readonly addedUs: number
}

/** How what an operation calls differs; `likelihood` is the log-likelihood ratio of its most surprising set. */
export interface CallChange {
  readonly calls: CallSets
  readonly set: number
  readonly windowCount: number
  readonly windowTotal: number
  readonly referenceCount: number
  readonly referenceTotal: number
  readonly likelihood: number
}

export interface Comparison {
  /** [S, E] raw evidence, E in the order of `EVIDENCE`. */
  readonly evidence: Float64Array
  readonly changes: readonly ContextChange[]
  /** The most surprising change of each operation, where there is one. */
  readonly callChanges: readonly CallChange[]
  /** µs that requests of the window wait longer, over all contexts. */
  readonly addedUs: number
}

/**
 * Compares the traces of a pool that are marked `WINDOW` with those marked `REFERENCE`.
 *
 * - `callDelay`: how much longer calls *to* the service take outside the service's own span, a mean of log ratios
 *   weighted by what stands behind them: network delay, queueing before the service, a starved process;
 * - `ownDelay`: the same of its own work; `outgoingDelay`: of its calls to others;
 * - `callShare`, `ownShare`: its share of all on-path time that was added;
 * - `behaviour`: ln(1 + log-likelihood ratio) of what its operations call: early returns, retries, exceptions.
 *
 * @param side  [traces] of the pool
 */
export function compare(core: TraceCore, pool: Pool, side: Uint8Array): Comparison {
  const services = pool.services.length
  const evidence = new Float64Array(services * EVIDENCE_COUNT)
  const weights = new Float64Array(services * EVIDENCE_COUNT)
  let windowTraces = 0
  for (const mark of side) if (mark === WINDOW) windowTraces++

  const changes = pool.contexts.flatMap((context) => changeOf(context, side, windowTraces) ?? [])
  const addTo = (service: number, name: EvidenceName, value: number, weight = 0): void => {
    const at = service * EVIDENCE_COUNT + EVIDENCE.indexOf(name)
    evidence[at]! += value
    weights[at]! += weight
  }
  let addedUs = 0
  for (const { context, windowCount, referenceCount, logShift, addedUs: added } of changes) {
    const weight = (windowCount * referenceCount) / (windowCount + referenceCount)
    const slowerUs = Math.max(0, added)
    addedUs += slowerUs
    if (context.calleeNumber < 0) {
      addTo(context.serviceNumber, 'ownDelay', weight * logShift, weight)
      addTo(context.serviceNumber, 'ownShare', slowerUs)
    } else {
      addTo(context.calleeNumber, 'callDelay', weight * logShift, weight)
      addTo(context.calleeNumber, 'callShare', slowerUs)
      addTo(context.serviceNumber, 'outgoingDelay', weight * logShift, weight)
    }
  }

  const callChanges = pool.callSets.flatMap((calls) => callChangeOf(core, calls, side) ?? [])
  const behaviour = EVIDENCE.indexOf('behaviour')
  for (const { calls, likelihood } of callChanges) {
    const at = calls.serviceNumber * EVIDENCE_COUNT + behaviour
    evidence[at] = Math.max(evidence[at]!, likelihood)
  }

  for (let service = 0; service < services; service++) {
    for (const [index, name] of EVIDENCE.entries()) {
      const at = service * EVIDENCE_COUNT + index
      if (name.endsWith('Delay')) evidence[at]! /= weights[at]! + PRIOR_SAMPLES
      else if (name.endsWith('Share')) evidence[at]! /= addedUs + 1
      else evidence[at] = core.math.log(1 + evidence[at]!)
    }
  }
  return { evidence, changes, callChanges, addedUs }
}

/** The change of a context, if the reference knows it and the window has it. */
function changeOf(context: ContextSamples, side: Uint8Array, windowTraces: number): ContextChange | undefined {
  const { trace, logTime, onPathUs } = context
  let windowCount = 0
  let referenceCount = 0
  let windowUs = 0
  let referenceUs = 0
  for (let i = 0; i < trace.length; i++) {
    const mark = side[trace[i]!]
    if (mark === WINDOW) {
      windowCount++
      windowUs += onPathUs[i]!
    } else if (mark === REFERENCE) {
      referenceCount++
      referenceUs += onPathUs[i]!
    }
  }
  if (windowCount === 0 || referenceCount < MIN_REFERENCE_TIMES) return undefined
  const median = (mark: number, count: number): number => {
    let seen = 0
    let low = 0
    for (let i = 0; i < trace.length; i++) {
      if (side[trace[i]!] !== mark) continue
      if (seen === (count - 1) >> 1) low = logTime[i]!
      if (seen === count >> 1) return (low + logTime[i]!) / 2
      seen++
    }
    return low
  }
  const slower = windowUs / windowCount - referenceUs / referenceCount
  return {
    context,
    windowCount,
    referenceCount,
    logShift: median(WINDOW, windowCount) - median(REFERENCE, referenceCount),
    addedUs: (slower * windowCount) / windowTraces,
  }
}

function callChangeOf(core: TraceCore, calls: CallSets, side: Uint8Array): CallChange | undefined {
  const windowCounts = new Int32Array(calls.sets.length)
  const referenceCounts = new Int32Array(calls.sets.length)
  let windowTotal = 0
  let referenceTotal = 0
  for (let i = 0; i < calls.trace.length; i++) {
    const mark = side[calls.trace[i]!]
    if (mark === WINDOW) {
      windowCounts[calls.set[i]!]!++
      windowTotal++
    } else if (mark === REFERENCE) {
      referenceCounts[calls.set[i]!]!++
      referenceTotal++
    }
  }
  if (windowTotal === 0 || referenceTotal < MIN_REFERENCE_CALLS) return undefined
  const known = referenceCounts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0)
  let worst: CallChange | undefined
  for (let set = 0; set < calls.sets.length; set++) {
    const windowCount = windowCounts[set]!
    const referenceCount = referenceCounts[set]!
    // half a count for each known set and one unknown: what was never seen is rare, not impossible
    const expected = (referenceCount + 0.5) / (referenceTotal + 0.5 * (known + 1))
    const observed = windowCount / windowTotal
    if (observed <= expected || windowCount * referenceTotal <= referenceCount * windowTotal) continue
    const likelihood = windowCount * core.math.log(observed / expected)
    if (worst && likelihood <= worst.likelihood) continue
    worst = { calls, set, windowCount, windowTotal, referenceCount, referenceTotal, likelihood }
  }
  return worst
}
