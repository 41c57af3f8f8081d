import type { TraceCore } from '@trimtab/core/trace'
import type { Owner } from '../owner.js'
import { accusedBy, type Mark, subjectOf } from './marks.js'
import type { CulpritContext, CulpritWindow } from './window.js'

// Added to times before the logarithm: differences of a few dozen µs are clocks and schedulers, not faults.
const FLOOR_US = 30

/** All samples of one context over a pool of traces. V: samples. */
export interface ContextSamples extends CulpritContext {
  /** Whose time it is, a number of `Pool.owners`. */
  readonly ownerNumber: number
  /** [V] index of the trace in the pool. */
  readonly trace: Int32Array
  /** [V] ln(µs + 30) */
  readonly logTime: Float64Array
  /** [V] µs on the request's path. */
  readonly onPathUs: Float64Array
}

/** What was seen of one subject over a pool of traces: what an operation calls, whether it fails, … V: marks seen. */
export interface MarkSamples {
  /** What may be seen. */
  readonly outcomes: readonly Mark[]
  /** [outcomes] number of the service that each speaks against, −1: of none. */
  readonly accused: Int32Array
  /** [V] index of the trace in the pool. */
  readonly trace: Int32Array
  /** [V] index of the outcome. */
  readonly outcome: Int32Array
  /** [V] part of the trace's runs that show it. */
  readonly part: Float64Array
}

/** A service's work, or the way between two. */
export interface PoolOwner {
  readonly owner: Owner
  /** Number of the service that works or calls. */
  readonly serviceNumber: number
  /** Number of the service called, −1 for work. */
  readonly calleeNumber: number
}

/** Traces of one or two windows, arranged for comparing any part of them with any other. */
export interface Pool {
  readonly traces: number
  readonly services: readonly string[]
  readonly owners: readonly PoolOwner[]
  readonly contexts: readonly ContextSamples[]
  readonly marks: readonly MarkSamples[]
}

interface ContextDraft {
  readonly context: CulpritContext
  readonly samples: { trace: number; logTime: number; onPathUs: number }[]
}

type MarkDraft = { readonly trace: number; readonly mark: Mark; readonly part: number }[]

/**
 * Pools the kept traces of `windows`: those of the first come first.
 * Services, owners, contexts and marks are in the order of their names: the result is independent of the traces' order.
 */
export function poolWindows(core: TraceCore, windows: readonly CulpritWindow[]): Pool {
  const contexts = new Map<string, ContextDraft>()
  const marks = new Map<string, MarkDraft>()
  let traces = 0
  for (const window of windows) {
    for (const { context, exclusiveNs, onPathNs, mark, markPart } of window.observations()) {
      const trace = traces++
      for (let i = 0; i < context.length; i++) {
        const key = window.contextKey(context[i]!)
        const draft = contexts.get(key) ?? { context: window.context(context[i]!), samples: [] }
        contexts.set(key, draft)
        const logTime = core.math.log(exclusiveNs[i]! / 1000 + FLOOR_US)
        draft.samples.push({ trace, logTime, onPathUs: onPathNs[i]! / 1000 })
      }
      for (let i = 0; i < mark.length; i++) {
        const seen = window.mark(mark[i]!)
        const subject = subjectOf(seen)
        const draft = marks.get(subject) ?? []
        marks.set(subject, draft)
        draft.push({ trace, mark: seen, part: markPart[i]! })
      }
    }
  }
  const drafts = inOrder(contexts)
  const services = [...new Set(drafts.flatMap(({ context }) => [context.service, context.callee ?? context.service]))]
  const numberOf = new Map(services.sort().map((service, number) => [service, number]))
  const owners = ownersOf(drafts, numberOf)
  const ownerNumbers = new Map([...owners.keys()].map((key, number) => [key, number]))
  return {
    traces,
    services,
    owners: [...owners.values()],
    contexts: drafts.map(({ context, samples }) => {
      samples.sort((a, b) => a.trace - b.trace || a.logTime - b.logTime || a.onPathUs - b.onPathUs)
      return {
        ...context,
        ownerNumber: ownerNumbers.get(ownerKey(context))!,
        trace: Int32Array.from(samples, ({ trace }) => trace),
        logTime: Float64Array.from(samples, ({ logTime }) => logTime),
        onPathUs: Float64Array.from(samples, ({ onPathUs }) => onPathUs),
      }
    }),
    marks: inOrder(marks).map((draft) => markSamples(draft, numberOf)),
  }
}

const ownerKey = ({ service, callee, kind }: CulpritContext): string => JSON.stringify([service, callee, kind])

/** By `ownerKey`, in its order. */
function ownersOf(drafts: readonly ContextDraft[], numberOf: ReadonlyMap<string, number>): Map<string, PoolOwner> {
  const owners = new Map<string, PoolOwner>()
  for (const { context } of drafts) {
    const { service, callee, kind = 'call' } = context
    owners.set(ownerKey(context), {
      owner: callee === undefined ? { service } : { caller: service, callee, kind },
      serviceNumber: numberOf.get(service)!,
      calleeNumber: callee === undefined ? -1 : numberOf.get(callee)!,
    })
  }
  return owners
}

function markSamples(draft: MarkDraft, numberOf: ReadonlyMap<string, number>): MarkSamples {
  const keyOf = ({ seen }: Mark): string => JSON.stringify(seen)
  const outcomes = inOrder(new Map(draft.map(({ mark }) => [keyOf(mark), mark])))
  const outcomeNumbers = new Map(outcomes.map((mark, number) => [keyOf(mark), number]))
  return {
    outcomes,
    accused: Int32Array.from(outcomes, (mark) => numberOf.get(accusedBy(mark) ?? '') ?? -1),
    trace: Int32Array.from(draft, ({ trace }) => trace),
    outcome: Int32Array.from(draft, ({ mark }) => outcomeNumbers.get(keyOf(mark))!),
    part: Float64Array.from(draft, ({ part }) => part),
  }
}

/** The values in the order of their keys. */
function inOrder<Value>(map: ReadonlyMap<string, Value>): Value[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, value]) => value)
}
