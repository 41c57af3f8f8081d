import { ConfigError } from '@trimtab/core'

/** A decision whose truth is known. */
export interface Judged {
  /** Larger: more likely positive. */
  readonly score: number
  readonly isPositive: boolean
  /** How much to believe the label. Default 1. */
  readonly weight?: number | undefined
}

/** What calling every score ≥ `threshold` positive would have done. */
export interface OperatingPoint {
  readonly threshold: number
  readonly truePositiveRate: number
  readonly falsePositiveRate: number
}

/**
 * The receiver operating characteristic: every threshold that makes a difference, from calling nothing positive (threshold ∞)
 * to calling everything so. Equal scores fall together.
 *
 * @throws {ConfigError} `labels_one_sided`: without positives and negatives of some weight there is no such curve
 */
export function rocCurve(judged: readonly Judged[]): OperatingPoint[] {
  const sorted = [...judged].sort((a, b) => b.score - a.score)
  let [positives, negatives] = [0, 0]
  for (const { isPositive, weight = 1 } of sorted) {
    if (isPositive) positives += weight
    else negatives += weight
  }
  if (!(positives > 0 && negatives > 0)) {
    throw new ConfigError(
      'labels_one_sided',
      `a ROC curve needs positives and negatives, got weights ${positives} and ${negatives} over ${judged.length} decisions`,
    )
  }
  const curve: OperatingPoint[] = [{ threshold: Number.POSITIVE_INFINITY, truePositiveRate: 0, falsePositiveRate: 0 }]
  let [truePositives, falsePositives] = [0, 0]
  for (const [i, { score, isPositive, weight = 1 }] of sorted.entries()) {
    if (isPositive) truePositives += weight
    else falsePositives += weight
    if (sorted[i + 1]?.score === score) continue
    curve.push({
      threshold: score,
      truePositiveRate: truePositives / positives,
      falsePositiveRate: falsePositives / negatives,
    })
  }
  return curve
}

/** The area under a curve: how often a positive outscores a negative. */
export function areaUnder(curve: readonly OperatingPoint[]): number {
  let area = 0
  for (let i = 1; i < curve.length; i++) {
    const [from, to] = [curve[i - 1]!, curve[i]!]
    area += ((to.falsePositiveRate - from.falsePositiveRate) * (to.truePositiveRate + from.truePositiveRate)) / 2
  }
  return area
}

/** The last point whose false-positive rate is no higher than wished: the most positives found for that price. */
export function pointAt(curve: readonly OperatingPoint[], falsePositiveRate: number): OperatingPoint {
  let best = curve[0]!
  for (const point of curve) if (point.falsePositiveRate <= falsePositiveRate) best = point
  return best
}
