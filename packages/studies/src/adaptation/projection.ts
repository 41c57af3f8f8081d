// A map of embeddings: the two directions in which they differ most (principal components).

/** What the map shows of the embeddings' differences. */
export interface Projection {
  /** One point an embedding. */
  readonly points: readonly (readonly [x: number, y: number])[]
  /** Share of the total variance in each direction, 0 … 1. */
  readonly shares: readonly [number, number]
  /** Where another embedding of that length lies. */
  place(row: readonly number[]): readonly [x: number, y: number]
}

const ITERATIONS = 200

/** The plane in which embeddings differ most. @param rows  N embeddings of equal length */
export function principalPlane(rows: readonly (readonly number[])[]): Projection {
  const size = rows[0]?.length ?? 0
  const mean = Array.from({ length: size }, (_, j) => rows.reduce((sum, row) => sum + row[j]!, 0) / rows.length)
  const centred = rows.map((row) => row.map((value, j) => value - mean[j]!))
  const total = centred.reduce((sum, row) => sum + dot(row, row), 0)
  const first = direction(centred)
  const x = centred.map((row) => dot(row, first))
  const rest = centred.map((row, i) => row.map((value, j) => value - x[i]! * first[j]!))
  const second = direction(rest)
  const y = rest.map((row) => dot(row, second))
  const share = (values: readonly number[]): number => (total > 0 ? dot(values, values) / total : 0)
  return {
    points: x.map((value, i) => [value, y[i]!] as const),
    shares: [share(x), share(y)],
    place(row) {
      const from = row.map((value, j) => value - mean[j]!)
      return [dot(from, first), dot(from, second)]
    },
  }
}

/** The unit vector along which the rows vary most, by power iteration from the longest row; zeros when all rows are. */
function direction(rows: readonly (readonly number[])[]): number[] {
  let v = [...rows.reduce((longest, row) => (dot(row, row) > dot(longest, longest) ? row : longest), rows[0] ?? [])]
  for (let i = 0; i < ITERATIONS; i++) {
    const next = new Array<number>(v.length).fill(0)
    for (const row of rows) {
      const along = dot(row, v)
      for (let j = 0; j < next.length; j++) next[j]! += along * row[j]!
    }
    const norm = Math.sqrt(dot(next, next))
    if (!(norm > 0)) return next
    v = next.map((value) => value / norm)
  }
  return v
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
