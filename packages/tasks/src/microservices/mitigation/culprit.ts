import type { Edge } from '@trimtab/trace'

/** An instance that traces name: requests were late, and most of what they waited longer than usual, they waited for it. */
export interface LocatedCulprit {
  readonly service: string
  readonly instance: string
  /** The type of requests that was late. */
  readonly request: string
  /** How late: the window's p99 over its SLO. */
  readonly p99OverSlo: number
  /** Its part of what was added to the critical paths of the late ones, 0 … 1. */
  readonly addedShare: number
  /** Where most of that was waited on the ways to it, and not for its work: the way that grew most. */
  readonly edge?: Edge
  /** Late requests that were looked at. */
  readonly late: number
}
