import type { ResolvedAutoscalerSpec } from '@trimtab/kubernetes'

/**
 * The replicas to set now: towards what is wanted by a step at most, one pod at least; and always within the bounds, which hold whatever
 * a status says and however far away they are.
 */
export function nextReplicas(current: number, wanted: number, { bounds, limits }: ResolvedAutoscalerSpec): number {
  const step = Math.max(1, Math.floor((current * limits.replicasPercentPerStep) / 100))
  const stepped = Math.max(current - step, Math.min(current + step, wanted))
  return Math.max(bounds.replicas.min, Math.min(Math.max(bounds.replicas.min, bounds.replicas.max), stepped))
}
