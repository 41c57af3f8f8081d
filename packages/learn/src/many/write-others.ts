import type { AgentSums } from './agent-sums.js'

/** A number that agents know of each other. */
export interface GlobalVariable {
  readonly name: string
  /** The others' are added up; else their mean is taken. */
  readonly isSum?: true
}

/**
 * Tells an agent what the others come to: each variable's sum or mean, then, where `out` has room for them, their deviations in the same
 * measure; 0 where nobody else is. Source: SIMPPO's auxiliary global state, dissertation 4.7.1.
 *
 * @param variables  [K], those that `sums` are of
 * @param own  [K], numbers of the agent that looks; `undefined`: it was not counted, so all are others
 * @param out  [K] or [2 K]
 */
export function writeOthers(
  sums: AgentSums,
  variables: readonly GlobalVariable[],
  own: ArrayLike<number> | undefined,
  out: Float32Array,
): void {
  const others = own === undefined ? sums.agents : sums.agents - 1
  const hasDeviations = out.length > variables.length
  for (const [k, { isSum }] of variables.entries()) {
    const factor = isSum ? others : 1
    out[k] = factor * (own === undefined ? sums.mean(k) : sums.meanOfOthers(k, own[k]!))
    if (!hasDeviations) continue
    const deviation = own === undefined ? sums.deviation(k) : sums.deviationOfOthers(k, own[k]!)
    out[variables.length + k] = factor * deviation
  }
}
