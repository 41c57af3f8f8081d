import { Problems } from '@trimtab/core'
import { ERROR, type Trace } from '../types.js'

/** Which spans to imagine different, and how. Of `service`, `operation`, `instance` and `isError`, all that are given must match. */
export interface SpanChange {
  readonly service?: string | undefined
  readonly operation?: string | undefined
  readonly instance?: string | undefined
  /** Only spans that failed, or only those that did not. */
  readonly isError?: boolean | undefined
  /**
   * The spans' own time, not the time they wait for others, is divided by this: 2 is twice as fast, 0.5 half as fast, Infinity
   * takes no time. Changes that match the same span multiply.
   */
  readonly speedUp?: number | undefined
  /** Instead of `speedUp`: the spans never happen, nor what they call. */
  readonly isRemoved?: boolean | undefined
}

/** @throws {ConfigError} `config_invalid` with every problem */
export function checkChanges(changes: readonly SpanChange[]): void {
  const problems = new Problems()
  problems.check(changes.length > 0, 'there must be at least one change, got none')
  for (const [i, { speedUp, isRemoved }] of changes.entries()) {
    const isOne = isRemoved === true ? speedUp === undefined : speedUp !== undefined
    problems.check(isOne, `changes[${i}] must have either speedUp or isRemoved`)
    problems.check(speedUp === undefined || speedUp > 0, `changes[${i}].speedUp must be > 0, got ${speedUp}`)
  }
  problems.throwIfAny('WhatIf')
}

/** [N] what own time is multiplied by: 1 as it was, 0 no time; −1 for spans that never happen. */
export const REMOVED = -1

/**
 * Writes to `factors` [N] what becomes of each span's own time.
 * @returns how many spans are different
 */
export function factorsOf(trace: Trace, changes: readonly SpanChange[], factors: Float64Array): number {
  const { size, names } = trace
  factors.fill(1, 0, size)
  for (const change of changes) {
    const columns = [
      [trace.service, change.service],
      [trace.operation, change.operation],
      [trace.instance, change.instance],
    ] as const
    const wanted = columns.flatMap(([column, text]) =>
      text === undefined ? [] : [[column, names.find(text)] as const],
    )
    const factor = change.isRemoved ? REMOVED : 1 / change.speedUp!
    for (let row = 0; row < size; row++) {
      if (!wanted.every(([column, number]) => column[row] === number)) continue
      if (change.isError !== undefined && change.isError !== ((trace.flags[row]! & ERROR) !== 0)) continue
      factors[row] = factor === REMOVED || factors[row] === REMOVED ? REMOVED : factors[row]! * factor
    }
  }
  let different = 0
  for (let row = 0; row < size; row++) if (factors[row] !== 1) different++
  return different
}
