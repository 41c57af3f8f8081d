import type { TraceCore } from '@trimtab/core/trace'
import type { CulpritContext, CulpritWindow } from './window.js'

// Added to times before the logarithm: differences of a few dozen µs are clocks and schedulers, not faults.
const FLOOR_US = 30

/** All samples of one context over a pool of traces, ascending by time, so that medians of any subset are one walk. */
export interface ContextSamples extends CulpritContext {
  /** Number of the service that ran the span. */
  readonly serviceNumber: number
  /** Number of the called service, −1 for own work. */
  readonly calleeNumber: number
  /** [V] index of the trace in the pool. */
  readonly trace: Int32Array
  /** [V] ln(µs + 30), ascending. */
  readonly logTime: Float64Array
  /** [V] µs on the request's path. */
  readonly onPathUs: Float64Array
}

/** What one operation called, over a pool of traces. */
export interface CallSets {
  readonly serviceNumber: number
  readonly operation: string
  /** [V] index of the trace in the pool. */
  readonly trace: Int32Array
  /** [V] which set of operations was called, 0 … sets.length − 1. */
  readonly set: Int32Array
  /** What each set holds. */
  readonly sets: readonly (readonly string[])[]
}

/** Traces of one or two windows, arranged for comparing any part of them with any other. */
export interface Pool {
  readonly traces: number
  readonly services: readonly string[]
  readonly contexts: readonly ContextSamples[]
  readonly callSets: readonly CallSets[]
}

interface ContextDraft {
  readonly context: CulpritContext
  readonly samples: { trace: number; logTime: number; onPathUs: number }[]
}

/**
 * Pools the kept traces of `windows`: those of the first come first.
 * Services, contexts and call sets are in the order of their names: the result is independent of the traces' order.
 */
export function poolWindows(core: TraceCore, windows: readonly CulpritWindow[]): Pool {
  const contexts = new Map<string, ContextDraft>()
  const callers = new Map<string, { trace: number; key: string; called: readonly string[] }[]>()
  const serviceNames = new Set<string>()
  let traces = 0
  for (const window of windows) {
    for (const { context, exclusiveNs, onPathNs, callSet } of window.observations()) {
      const trace = traces++
      for (let span = 0; span < context.length; span++) {
        const key = window.contextKey(context[span]!)
        let draft = contexts.get(key)
        if (!draft) {
          draft = { context: window.context(context[span]!), samples: [] }
          contexts.set(key, draft)
        }
        serviceNames.add(draft.context.service)
        draft.samples.push({
          trace,
          logTime: core.math.log(exclusiveNs[span]! / 1000 + FLOOR_US),
          onPathUs: onPathNs[span]! / 1000,
        })
        if (span >= callSet.length) continue // a wait, which calls nobody
        const { service, operation, calls: called } = window.callSet(callSet[span]!)
        const caller = `${service}\u0000${operation}`
        const list = callers.get(caller) ?? []
        if (list.length === 0) callers.set(caller, list)
        list.push({ trace, key: window.callSetKey(callSet[span]!), called })
      }
    }
  }
  const services = [...serviceNames].sort()
  const numberOf = new Map(services.map((service, number) => [service, number]))
  return {
    traces,
    services,
    contexts: sortedEntries(contexts).map(([, { context, samples }]) => {
      samples.sort((a, b) => a.logTime - b.logTime || a.onPathUs - b.onPathUs || a.trace - b.trace)
      return {
        ...context,
        serviceNumber: numberOf.get(context.service)!,
        calleeNumber: context.callee === undefined ? -1 : (numberOf.get(context.callee) ?? -1),
        trace: Int32Array.from(samples, ({ trace }) => trace),
        logTime: Float64Array.from(samples, ({ logTime }) => logTime),
        onPathUs: Float64Array.from(samples, ({ onPathUs }) => onPathUs),
      }
    }),
    callSets: sortedEntries(callers).map(([caller, list]) => {
      const [service = '', operation = ''] = caller.split('\u0000')
      const sets = sortedEntries(new Map(list.map(({ key, called }) => [key, called])))
      const setOf = new Map(sets.map(([key], number) => [key, number]))
      return {
        serviceNumber: numberOf.get(service)!,
        operation,
        trace: Int32Array.from(list, ({ trace }) => trace),
        set: Int32Array.from(list, ({ key }) => setOf.get(key)!),
        sets: sets.map(([, called]) => called),
      }
    }),
  }
}

function sortedEntries<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}
