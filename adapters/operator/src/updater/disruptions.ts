import { CronSchedule, type ResolvedAutoscalerSpec } from '@trimtab/kubernetes'

/** How many pods may be away at a moment by the rules that hold then, and in words by which. */
export function allowedAway(
  { limits }: ResolvedAutoscalerSpec,
  replicas: number,
  nowMs: number,
): { readonly pods: number; readonly rule: string } {
  let allowed = { pods: replicas, rule: 'no rule holds' }
  for (const { maxUnavailable, schedule, minutes } of limits.disruptions) {
    if (schedule !== undefined && !new CronSchedule(schedule).holds(nowMs, minutes)) continue
    const pods = toPods(maxUnavailable, replicas)
    const rule = `maxUnavailable ${maxUnavailable}${schedule === undefined ? '' : ` for ${minutes} min from ${schedule} UTC`}`
    if (pods < allowed.pods) allowed = { pods, rule }
  }
  return allowed
}

/** A share is rounded down, to one pod at least unless it is none. */
function toPods(maxUnavailable: number | string, replicas: number): number {
  if (typeof maxUnavailable === 'number') return maxUnavailable
  const percent = Number.parseFloat(maxUnavailable)
  return percent === 0 ? 0 : Math.max(1, Math.floor((replicas * percent) / 100))
}
