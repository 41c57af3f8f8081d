import type { AutoscalerStatus, ResolvedAutoscalerSpec } from '@trimtab/kubernetes'
import type { OperatorEvent } from '../events.js'
import { CONDITIONS } from '../names.js'
import type { Verdict } from './decider.js'
import type { TrackSummary } from './track-record.js'

/** One condition of a status. */
export type Condition = NonNullable<AutoscalerStatus['conditions']>[number]

/** Whether something holds, and why. */
export interface Finding {
  readonly holds: boolean
  readonly reason: string
  readonly message: string
}

/** What a pass found of one autoscaler; what does not apply is left out. */
export type Findings = Partial<Readonly<Record<Exclude<keyof typeof CONDITIONS, 'acting'>, Finding>>>

/** Conditions with the time since when they hold: that of `before` where the status is the same. */
export function conditionsOf(
  findings: Findings,
  before: readonly Condition[],
  now: string,
  observedGeneration: number,
): Condition[] {
  return (Object.entries(findings) as [keyof Findings, Finding][]).map(([name, { holds, reason, message }]) => {
    const type = CONDITIONS[name]
    const status = holds ? 'True' : 'False'
    const last = before.find((condition) => condition.type === type)
    const lastTransitionTime = last?.status === status ? last.lastTransitionTime : now
    return { type, status, reason, message, lastTransitionTime, observedGeneration }
  })
}

/** What is worth an event: what is wanted has changed, a condition has turned, or one does not hold at first. */
export function newsOf(before: AutoscalerStatus, after: AutoscalerStatus): OperatorEvent[] {
  const turned = (after.conditions ?? []).flatMap(({ type, status, reason, message = '' }): OperatorEvent[] => {
    const last = before.conditions?.find((condition) => condition.type === type)
    if (last === undefined ? status === 'True' : last.status === status) return []
    return [{ type: status === 'True' ? 'Normal' : 'Warning', reason, message }]
  })
  const isOther = wantedText(after) !== '' && wantedText(after) !== wantedText(before)
  const saving = after.summary?.saving ?? ''
  const wanted = {
    type: 'Normal',
    reason: 'Recommended',
    message: `${wantedText(after)}; would save ${saving}`,
  } as const
  return isOther ? [...turned, wanted] : turned
}

const wantedText = ({ replicas, containers = [] }: AutoscalerStatus): string =>
  replicas === undefined
    ? ''
    : [
        `${replicas.wanted} replicas`,
        ...containers.map(({ name, cpu, memory }) => `${name}: ${[cpu, memory].join(', ')}`),
      ].join(' of ')

/** Whether what decides was measured. */
export const measuredFinding = (missing: readonly string[]): Finding =>
  missing.length === 0
    ? { holds: true, reason: 'Measured', message: 'all that decides was measured' }
    : { holds: false, reason: 'Missing', message: missing.join('; ') }

/** Whether the policy is followed. */
export const followingFinding = ({ by, reason, message }: Verdict): Finding => ({
  holds: by === 'policy',
  reason,
  message: by === 'nobody' ? `${message}; what is in force is held` : message,
})

/** Whether the error budget is not used up. */
export function budgetFinding({ errorBudget }: ResolvedAutoscalerSpec, track: TrackSummary): Finding {
  const { percent, days } = errorBudget
  const holds = track.budgetLeft01 > 0
  const broken = Number.isNaN(track.broken01) ? 'nothing measured yet' : `broken in ${percentOf(track.broken01)} of`
  const hours = Number.isNaN(track.broken01) ? '' : ` ${track.hours.toFixed(1)} h`
  const message = `${broken}${hours}; allowed are ${percent} % of ${days} days`
  return { holds, reason: holds ? 'WithinBudget' : 'BudgetUsedUp', message }
}

/** `12.3 %` of 0.123; more digits where there is little. */
export const percentOf = (share: number): string =>
  `${Number((100 * share).toPrecision(3)).toFixed(Math.abs(share) < 0.1 ? 2 : 1)} %`
