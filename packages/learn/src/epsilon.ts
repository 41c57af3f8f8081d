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
