import { classOf } from './length-distribution.js'
import type { LengthExample, LengthPredictor } from './length-predictor.js'

/** How good predictions are (dissertation 6.4.3, tables 6.2 and B.1). */
export interface LengthScores {
  readonly rows: number
  /** Share of rows whose class is right. */
  readonly accuracy: number
  /** Mean distance between predicted and true class. */
  readonly l1: number
  /** Share of pairs of one model's answers of unlike length that are put in the right order; ties count half. NaN without a pair. */
  readonly order: number
  readonly pairs: number
}

/** A row beside what was predicted for it. */
export interface PredictedLength {
  readonly example: LengthExample
  /** Its class by the borders of its model. */
  readonly trueClass: number
  readonly class: number
  readonly score: number
  readonly tokens: number
}

/** Predicts every row without learning from any. */
export function predictRows(predictor: LengthPredictor, rows: readonly LengthExample[]): PredictedLength[] {
  const borders = new Map<string, Float64Array>()
  return rows.map((example) => {
    const { model, outputTokens } = example
    if (!borders.has(model)) borders.set(model, predictor.borders(model))
    const { class: found, score, tokens } = predictor.predict(example)
    return { example, trueClass: classOf(borders.get(model)!, outputTokens), class: found, score, tokens }
  })
}

/** How good predictions were: accuracy and mean distance of the classes, pairs of the same model in the right order. */
export function scoreLengths(rows: readonly PredictedLength[]): LengthScores {
  let right = 0
  let distance = 0
  const byModel = new Map<string, PredictedLength[]>()
  for (const row of rows) {
    if (row.class === row.trueClass) right += 1
    distance += Math.abs(row.class - row.trueClass)
    const of = byModel.get(row.example.model)
    if (of) of.push(row)
    else byModel.set(row.example.model, [row])
  }
  let pairs = 0
  let ordered = 0
  for (const of of byModel.values()) {
    const counted = countOrdered(
      Float64Array.from(of, ({ example }) => example.outputTokens),
      Float64Array.from(of, ({ score }) => score),
    )
    pairs += counted.pairs
    ordered += counted.ordered
  }
  return { rows: rows.length, accuracy: right / rows.length, l1: distance / rows.length, order: ordered / pairs, pairs }
}

/** Pairs of unlike truth, and how many of them the estimates order rightly, ties as halves. O(n log n). */
export function countOrdered(
  truth: Float64Array,
  estimates: Float64Array,
): { readonly pairs: number; readonly ordered: number } {
  const ranks = [...new Set(estimates)].sort((a, b) => a - b)
  const rankOf = new Map(ranks.map((value, i) => [value, i + 1]))
  const order = Array.from(truth, (_, i) => i).sort((a, b) => truth[a]! - truth[b]!)
  const tree = new Float64Array(ranks.length + 1) // Fenwick: how many rows were seen at each rank
  const seenUpTo = (rank: number): number => {
    let sum = 0
    for (let i = rank; i > 0; i -= i & -i) sum += tree[i]!
    return sum
  }
  let pairs = 0
  let ordered = 0
  for (let start = 0; start < order.length; ) {
    let end = start
    while (end < order.length && truth[order[end]!] === truth[order[start]!]) end++
    for (let i = start; i < end; i++) {
      const rank = rankOf.get(estimates[order[i]!]!)!
      ordered += (seenUpTo(rank - 1) + seenUpTo(rank)) / 2
    }
    pairs += start * (end - start)
    for (let i = start; i < end; i++) {
      for (let at = rankOf.get(estimates[order[i]!]!)!; at < tree.length; at += at & -at) tree[at]! += 1
    }
    start = end
  }
  return { pairs, ordered }
}
