import type { AgentSums } from '@trimtab/learn'

/** One number that every agent tells the others; `PAPER_GLOBALS` of `@trimtab/tasks/serverless` are such. */
export interface GlobalVariable {
  readonly name: string
  /** The others' are added up; else their mean is taken. */
  readonly isSum?: true
}

/**
 * Fills `out` [2 K] from `at` on with what others come to: each variable's sum or mean, then their deviations in the same measure;
 * 0 where nobody else is. As `ServerlessEnvironment` has them.
 *
 * @param own  [K], numbers of the agent that looks; `undefined`: it was not counted, so all are others
 */
export function writeGlobals(
  total: AgentSums,
  variables: readonly GlobalVariable[],
  own: Float64Array | undefined,
  out: Float32Array,
  at: number,
): void {
  const others = own === undefined ? total.agents : total.agents - 1
  for (const [k, { isSum }] of variables.entries()) {
    const mean = own === undefined ? total.mean(k) : total.meanOfOthers(k, own[k]!)
    const deviation = own === undefined ? total.deviation(k) : total.deviationOfOthers(k, own[k]!)
    const factor = isSum ? others : 1
    out[at + k] = factor * mean
    out[at + variables.length + k] = factor * deviation
  }
}
