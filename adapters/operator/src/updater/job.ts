import type { MultidimPodAutoscaler, ResolvedAutoscalerSpec } from '@trimtab/kubernetes'
import type { OperatorContext } from '../context.js'
import type { OperatorEvent } from '../events.js'
import type { Track } from './track.js'
import type { WebhookLease } from './webhook-lease.js'
import type { Workload } from './workload.js'

/** How patient an updater is. */
export interface Patience {
  /** From one pass to the next; default 15. */
  readonly periodSeconds: number
  /** A decision is carried out while it is no older; default 45: three periods of the recommender. */
  readonly staleSeconds: number
  /** Sizes change when replicas and pods have been steady for so long; default 60. */
  readonly stableSeconds: number
  /** Pods that are not ready after so long are not waited for any more: sizes go back; default 600. */
  readonly readySeconds: number
  /** A pod younger than this is not evicted for a new size; default 600. */
  readonly podAgeSeconds: number
}

/** One autoscaler that may be acted for, in one pass. */
export interface Job {
  readonly context: OperatorContext
  readonly webhook: WebhookLease
  readonly patience: Patience
  readonly autoscaler: MultidimPodAutoscaler
  readonly spec: ResolvedAutoscalerSpec
  readonly workload: Workload
  readonly track: Track
  readonly nowMs: number
  readonly signal: AbortSignal
  readonly say: (event: OperatorEvent) => void
}

/**
 * Whether sizes follow the load step by step: a policy that acts, and the guard that keeps it, count on sizes that are in force in the next
 * step. A resize in place disturbs nobody and is undone as fast, so it need not wait until all is steady, as an eviction must.
 */
export const isFollowing = ({ autoscaler: { status }, context, track }: Job): boolean =>
  (status?.stage === 'online' || status?.stage === 'serving') &&
  context.capabilities.canResizeInPlace &&
  !track.mustEvict

/** Why one more change is too many for this hour; undefined: it is not. */
export function tooMany({ spec, track, nowMs }: Job): string | undefined {
  const [made, most] = [track.changesWithinHour(nowMs), spec.limits.changesPerHour]
  return made < most ? undefined : `${made} changes within the last hour, limits.changesPerHour is ${most}`
}
