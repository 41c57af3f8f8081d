/** The smallest value that at least a share `q` of them do not exceed (nearest rank); NaN of nothing. */
export function quantileOf(values: readonly number[], q: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN
}
