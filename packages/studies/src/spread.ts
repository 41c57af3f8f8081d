/** What several runs came to: mean, and standard deviation of the sample (n − 1); 0 for one. */
export interface Spread {
  readonly mean: number
  readonly deviation: number
}

/** The arithmetic mean; NaN of nothing. */
export const meanOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length

/** Mean and deviation of some runs. */
export function spreadOf(values: readonly number[]): Spread {
  const mean = meanOf(values)
  const squares = values.reduce((sum, v) => sum + (v - mean) ** 2, 0)
  return { mean, deviation: values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0 }
}
