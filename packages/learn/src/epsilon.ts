import type { Problems } from '@trimtab/core'
import { OptionChecks } from './option-checks.js'

/** Share of random actions: from `from` to `to` in a straight line over the first `steps` steps, then constant. */
export interface EpsilonSchedule {
  readonly from: number
  readonly to: number
  readonly steps: number
}

/** ε after so many steps. */
export function epsilonAt({ from, to, steps }: EpsilonSchedule, step: number): number {
  return from + Math.min(1, step / steps) * (to - from)
}

/** Notes everything that is wrong with a schedule, each with its path. */
export function checkEpsilon(schedule: EpsilonSchedule, problems: Problems, path: string): void {
  const check = new OptionChecks(schedule, ['from', 'to', 'steps'], problems, path)
  check.shares('from', 'to')
  check.counts('steps')
}
