import type { TraceCore } from '@trimtab/core/trace'
import type { Mark } from './marks.js'
import type { ContextSamples, MarkSamples, Pool } from './pool.js'

/** Values of `side`: where each trace of the pool belongs in a comparison. */
export const UNUSED = 0
export const WINDOW = 1
export const REFERENCE = 2

/** Samples that stand behind no growth at all: keeps owners seen twice from shouting. */
const PRIOR_SAMPLES = 2
const MIN_REFERENCE_TIMES = 2
const MIN_REFERENCE_RUNS = 3 // requests that run the operation

/** How one context differs between the window and the reference. */
export interface ContextChange {
  readonly context: ContextSamples
  readonly windowCount: number
  readonly referenceCount: number
  /** Difference of the means of ln(µs + 30). */
  readonly logGrowth: number
  /** How much longer a request of the window waits there than one of the reference, for as many times, µs on the path. */
  readonly addedUs: number
}

/** What the window shows more often than the reference; counts are of requests, parts of them where they run it several times. */
export interface MarkChange {
  readonly mark: Mark
  /** The service it speaks against. */
  readonly accused: number
  readonly windowCount: number
  readonly windowTotal: number
  readonly referenceCount: number
  readonly referenceTotal: number
  /** Log-likelihood ratio of the window's frequency and the expected one. */
  readonly likelihood: number
}

/** The window of a pool beside its reference. O: owners, S: services. */
export interface Comparison {
  /** [O] mean of the logarithmic growths of the owner's contexts, by the samples behind them. */
  readonly growth: Float64Array
  /** [O] samples behind it; 0: cannot be compared. */
  readonly samples: Float64Array
  /** [O] µs that a request of the window waits longer for the owner; below 0: shorter. */
  readonly addedUs: Float64Array
  /** [S] the largest likelihood of a mark that speaks against the service; 0: none does. */
  readonly behaviour: Float64Array
  readonly changes: readonly ContextChange[]
  readonly markChanges: readonly MarkChange[]
}

/**
 * Compares the traces of a pool that are marked `WINDOW` with those marked `REFERENCE`.
 * @param side  [traces] of the pool
 */
export function compare(core: TraceCore, pool: Pool, side: Uint8Array): Comparison {
  const growth = new Float64Array(pool.owners.length)
  const samples = new Float64Array(pool.owners.length)
  const addedUs = new Float64Array(pool.owners.length)
  const behaviour = new Float64Array(pool.services.length)
  let windowTraces = 0
  for (const mark of side) if (mark === WINDOW) windowTraces++
  const changes = pool.contexts.flatMap((context) => contextChange(context, side, windowTraces) ?? [])
  for (const { context, windowCount, referenceCount, logGrowth, addedUs: added } of changes) {
    const { ownerNumber } = context
    const weight = (windowCount * referenceCount) / (windowCount + referenceCount)
    growth[ownerNumber]! += weight * logGrowth
    samples[ownerNumber]! += weight
    addedUs[ownerNumber]! += added
  }
  for (let owner = 0; owner < growth.length; owner++) growth[owner]! /= samples[owner]! + PRIOR_SAMPLES
  const markChanges = pool.marks.flatMap((marks) => markChangesOf(core, marks, side))
  for (const { accused, likelihood } of markChanges) behaviour[accused] = Math.max(behaviour[accused]!, likelihood)
  return { growth, samples, addedUs, behaviour, changes, markChanges }
}

/** The change of a context, if the reference knows it and the window has it. */
function contextChange(context: ContextSamples, side: Uint8Array, windowTraces: number): ContextChange | undefined {
  const { trace, logTime, onPathUs } = context
  const counts = [0, 0, 0]
  const logTimes = [0, 0, 0]
  const waitsUs = [0, 0, 0]
  for (let i = 0; i < trace.length; i++) {
    const mark = side[trace[i]!]!
    counts[mark]! += 1
    logTimes[mark]! += logTime[i]!
    waitsUs[mark]! += onPathUs[i]!
  }
  const windowCount = counts[WINDOW]!
  const referenceCount = counts[REFERENCE]!
  if (windowCount === 0 || referenceCount < MIN_REFERENCE_TIMES) return undefined
  const slowerUs = waitsUs[WINDOW]! / windowCount - waitsUs[REFERENCE]! / referenceCount
  return {
    context,
    windowCount,
    referenceCount,
    logGrowth: logTimes[WINDOW]! / windowCount - logTimes[REFERENCE]! / referenceCount,
    addedUs: (slowerUs * windowCount) / windowTraces,
  }
}

/** What of a subject is more frequent in the window and speaks against a service. */
function markChangesOf(core: TraceCore, marks: MarkSamples, side: Uint8Array): MarkChange[] {
  const { outcomes, accused, trace, outcome, part } = marks
  const windowCounts = new Float64Array(outcomes.length)
  const referenceCounts = new Float64Array(outcomes.length)
  let windowTotal = 0
  let referenceTotal = 0
  for (let i = 0; i < trace.length; i++) {
    const mark = side[trace[i]!]
    if (mark === WINDOW) {
      windowCounts[outcome[i]!]! += part[i]!
      windowTotal += part[i]!
    } else if (mark === REFERENCE) {
      referenceCounts[outcome[i]!]! += part[i]!
      referenceTotal += part[i]!
    }
  }
  if (windowTotal === 0 || Math.round(referenceTotal) < MIN_REFERENCE_RUNS) return []
  const known = referenceCounts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0)
  return outcomes.flatMap((mark, number) => {
    const windowCount = windowCounts[number]!
    const referenceCount = referenceCounts[number]!
    // half a count for each known outcome and one unknown: what was never seen is rare, not impossible
    const expected = (referenceCount + 0.5) / (referenceTotal + 0.5 * (known + 1))
    const observed = windowCount / windowTotal
    const isMore = observed > expected && observed > referenceCount / referenceTotal
    if (accused[number]! < 0 || !isMore) return []
    const likelihood = windowCount * core.math.log(observed / expected)
    const counts = { windowCount, windowTotal, referenceCount, referenceTotal }
    return { mark, accused: accused[number]!, ...counts, likelihood }
  })
}
