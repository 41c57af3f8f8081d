import { Problems } from '@trimtab/core'
import { type Attribution, QUEUE } from '../attribution.js'
import { type Edge, ERROR, type Trace } from '../types.js'
import type { UsualTimes } from './usual-times.js'

/**
 * Which time to imagine different, and how: the work of spans, or with `callee` the time of calls on their way to a service.
 * Of `service`, `operation`, `instance`, `isError` (of the caller's span, where it is a call), `callee` and `kind`, all that
 * are given must match.
 */
export interface SpanChange {
  readonly service?: string | undefined
  readonly operation?: string | undefined
  readonly instance?: string | undefined
  /** Only spans that failed, or only those that did not. */
  readonly isError?: boolean | undefined
  /** The service called. Without it, work is changed and no call. */
  readonly callee?: string | undefined
  /** Of the edge to `callee`. */
  readonly kind?: Edge['kind'] | undefined
  /**
   * The spans' own time, not the time they wait for others, is divided by this: 2 is twice as fast, 0.5 half as fast, Infinity
   * takes no time. Changes that match the same span multiply.
   */
  readonly speedUp?: number | undefined
  /** Instead of `speedUp`: the spans' own time is what it is in the baseline (`WhatIfOptions.usual`), place by place. */
  readonly isAsUsual?: boolean | undefined
  /** Instead of both: the spans never happen, nor what they call. Whatever they do, work or call, is gone. */
  readonly isRemoved?: boolean | undefined
}

/** @throws {ConfigError} `config_invalid` with every problem */
export function checkChanges(changes: readonly SpanChange[], usual: UsualTimes | undefined): void {
  const problems = new Problems()
  problems.check(changes.length > 0, 'there must be at least one change, got none')
  for (const [i, { speedUp, isAsUsual = false, isRemoved = false, callee, kind }] of changes.entries()) {
    const ways = [speedUp !== undefined, isAsUsual, isRemoved].filter(Boolean).length
    problems.check(ways === 1, `changes[${i}] must have just one of speedUp, isAsUsual and isRemoved, got ${ways}`)
    problems.check(speedUp === undefined || speedUp > 0, `changes[${i}].speedUp must be > 0, got ${speedUp}`)
    problems.check(!isAsUsual || usual !== undefined, `changes[${i}].isAsUsual needs the option usual: what is usual`)
    problems.check(kind === undefined || callee !== undefined, `changes[${i}].kind is of an edge: give its callee`)
  }
  problems.throwIfAny('WhatIf')
}

/** [N] what own time is multiplied by: 1 as it was, 0 no time; −1 for spans that never happen. */
export const REMOVED = -1

/** What becomes of each span's own time, [N] each. */
export interface Factors {
  readonly estimate: Float64Array
  /** No larger: calls to services whose work changes for the better change with it, if that is their queue. */
  readonly optimistic: Float64Array
  /** No smaller: the same for the worse. */
  readonly pessimistic: Float64Array
}

export const createFactors = (size: number): Factors => ({
  estimate: new Float64Array(size),
  optimistic: new Float64Array(size),
  pessimistic: new Float64Array(size),
})

/**
 * Writes to `factors` what becomes of each span's own time.
 * @param attribution  of the trace
 * @returns how many spans are different
 */
export function writeFactors(
  trace: Trace,
  attribution: Attribution,
  { changes, usual }: { readonly changes: readonly SpanChange[]; readonly usual: UsualTimes | undefined },
  { estimate, optimistic, pessimistic }: Factors,
): number {
  const { size } = trace
  for (const column of [estimate, optimistic, pessimistic]) column.fill(1, 0, size)
  const usualFactors = changes.some(({ isAsUsual }) => isAsUsual) ? usual?.factors(trace, attribution) : undefined
  const { answer, edge } = attribution
  for (const change of changes) {
    const fits = matcherOf(trace, change)
    const callee = change.callee === undefined ? undefined : trace.names.find(change.callee)
    for (let row = 0; row < size; row++) {
      if (change.isRemoved) {
        if (fits(row)) for (const column of [estimate, optimistic, pessimistic]) column[row] = REMOVED
        continue
      }
      const factor = change.isAsUsual ? usualFactors![row]! : 1 / change.speedUp!
      const answered = answer[row]!
      if (callee === undefined) {
        if (answered < 0 && fits(row)) multiply(row, factor, factor, factor)
        else if (answered >= 0 && fits(answered)) multiply(row, 1, Math.min(1, factor), Math.max(1, factor))
      } else if (answered >= 0 && trace.service[answered] === callee && fits(row)) {
        const kind = edge[answered] === QUEUE ? 'queue' : 'call'
        if (change.kind === undefined || change.kind === kind) multiply(row, factor, factor, factor)
      }
    }
  }
  let different = 0
  for (let row = 0; row < size; row++) if (estimate[row] !== 1) different++
  return different

  function multiply(row: number, likely: number, least: number, most: number): void {
    if (estimate[row] === REMOVED) return
    estimate[row]! *= likely
    optimistic[row]! *= least
    pessimistic[row]! *= most
  }
}

function matcherOf(trace: Trace, change: SpanChange): (row: number) => boolean {
  const wanted = (
    [
      [trace.service, change.service],
      [trace.operation, change.operation],
      [trace.instance, change.instance],
    ] as const
  ).flatMap(([column, text]) => (text === undefined ? [] : [[column, trace.names.find(text)] as const]))
  return (row) =>
    wanted.every(([column, number]) => column[row] === number) &&
    (change.isError === undefined || change.isError === ((trace.flags[row]! & ERROR) !== 0))
}
