import { TrimtabError } from '@trimtab/core'

/**
 * Why a metric proposes nothing: its API failed (`metric_unavailable`), its kind is not known, a number in it cannot be
 * (`metric_invalid`: NaN, infinite or negative), or there are no pods, samples or requests to judge it by.
 */
export type MetricErrorCode =
  | 'metric_unavailable'
  | 'metric_source_unknown'
  | 'metric_invalid'
  | 'no_pods'
  | 'no_samples'
  | 'no_metric_matches_known_pods'
  | 'missing_request'
  | 'container_not_found'

/** A metric proposes no replica count. The pass goes on with the other metrics, and never shrinks without this one. */
export class MetricError extends TrimtabError {
  declare readonly code: MetricErrorCode

  constructor(code: MetricErrorCode, message: string) {
    super(code, message)
  }
}

/** Whether an amount can have been measured or requested. */
export const isAmount = (amount: number): boolean => amount >= 0 && amount < Number.POSITIVE_INFINITY

/**
 * An amount that was measured or requested: finite and not negative. Anything else would scale to the maximum or to one.
 * @param what  names it in the message
 * @throws {MetricError} `metric_invalid`
 */
export function requireAmount(amount: number, what: string): number {
  if (isAmount(amount)) return amount
  throw new MetricError('metric_invalid', `${what} must be a finite number >= 0, got ${amount}`)
}
