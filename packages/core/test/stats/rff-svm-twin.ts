// The incremental machine as a textbook would write it, over plain arrays.

interface TwinOptions {
  readonly inputs: number
  readonly alpha: number
  readonly learningRate: 'optimal' | number
  readonly averageFrom: number
  /** [inputs, D] */
  readonly projection: readonly number[]
  readonly offset: readonly number[]
}

export interface TwinSvm {
  partialFit(rows: readonly (readonly number[])[], labels: readonly number[], weights: readonly number[]): void
  decision(x: readonly number[]): number
  /** The smallest |margin − 1| of any step. */
  closestTie(): number
}

export function rffSvmTwin({ inputs, alpha, learningRate, averageFrom, projection, offset }: TwinOptions): TwinSvm {
  const D = offset.length
  const seen: (readonly number[])[] = []
  const history: { w: number[]; b: number }[] = []
  let w: number[] = Array(D).fill(0)
  let b = 0
  let tie = Number.POSITIVE_INFINITY

  const map = (x: readonly number[]): number[] => {
    const z = x.map((value, f) => {
      const column = seen.map((row) => row[f]!)
      const mean = column.reduce((sum, v) => sum + v, 0) / Math.max(1, column.length)
      const variance = seen.length > 0 ? column.reduce((sum, v) => sum + (v - mean) ** 2, 0) / column.length : 1
      return (value - mean) / (variance > 0 ? Math.sqrt(variance) : 1)
    })
    return offset.map((phase, d) => {
      const angle = z.reduce((sum, value, f) => sum + value * projection[f * D + d]!, phase)
      return Math.sqrt(2 / D) * Math.cos(angle)
    })
  }
  const score = (weights: readonly number[], intercept: number, phi: readonly number[]): number =>
    phi.reduce((sum, value, d) => sum + value * weights[d]!, intercept)

  return {
    partialFit(rows, labels, weights) {
      for (const row of rows) if (row.length === inputs) seen.push(row)
      for (const [i, row] of rows.entries()) {
        const phi = map(row)
        const margin = labels[i]! * score(w, b, phi)
        tie = Math.min(tie, Math.abs(margin - 1))
        const t0 = 1 / (alpha * Math.sqrt(1 / Math.sqrt(alpha)))
        const eta = learningRate === 'optimal' ? 1 / (alpha * (t0 + history.length)) : learningRate
        const push = margin <= 1 ? eta * labels[i]! * weights[i]! : 0
        w = w.map((value, d) => value * Math.max(0, 1 - eta * alpha) + push * phi[d]!)
        b += push
        history.push({ w, b })
      }
    },
    decision(x) {
      const tail = averageFrom > 0 ? history.slice(averageFrom - 1) : []
      const phi = map(x)
      if (tail.length === 0) return score(w, b, phi)
      return tail.reduce((sum, step) => sum + score(step.w, step.b, phi), 0) / tail.length
    },
    closestTie: () => tie,
  }
}
