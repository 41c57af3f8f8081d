import type { CostEstimate } from '@trimtab/learn'

/** The cost to adapt, in words; intervals hold 80 % of the pool's own pairs. */
export function formatEstimate(estimate: CostEstimate | undefined): string {
  if (!estimate) return 'cost to adapt: unknown, the model holds too few measured pairs'
  const { drop, episodes } = estimate
  const percent = (share: number): string => `${(100 * Math.max(0, share)).toFixed(1)} %`
  const count = (value: number): string => Math.max(0, value).toFixed(1)
  const [low, expected, high] = [episodes.low, episodes.expected, episodes.high].map(count)
  const range = Number(high) > 0 ? `made good in ${expected} episodes (${low} to ${high})` : 'nothing to make good'
  return `without adaptation ${percent(drop.expected)} less reward (80 %: ${percent(drop.low)} to ${percent(drop.high)}), ${range}`
}
