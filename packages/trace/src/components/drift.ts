import type { TraceCore } from '@trimtab/core/trace'

type Numbers = ArrayLike<number>

/** Most bins of a distribution: its deciles. */
export const BINS = 10
const NOTICEABLE = 0.25 // the usual bound of a "significant" population stability index
const CHANCE = [0, 10.8, 13.8, 16.3, 18.5, 20.5, 22.5, 24.3, 26.1, 27.9] // 99.9 % of χ² by degrees of freedom

/** How one feature was distributed when the classifier was calibrated. */
export interface FeatureDistribution {
  /** Ascending and different: bin b holds values in (edges[b − 1], edges[b]]. */
  readonly edges: readonly number[]
  /** Parts of the examples, one more than edges. */
  readonly shares: readonly number[]
  readonly count: number
}

/** How far one feature has moved from what the classifier knows. */
export interface FeatureDrift {
  readonly feature: string
  /** Population stability index: Σ (now − then) ln(now / then) over bins; 0 when nothing changed. */
  readonly stabilityIndex: number
  /** Too large to overlook and too large for chance. */
  readonly isDrifted: boolean
}

/** @param values  at least one */
export function distributionOf(values: Numbers): FeatureDistribution {
  const sorted = Float64Array.from(values).sort()
  const deciles = Array.from({ length: BINS - 1 }, (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / BINS)]!)
  const edges = [...new Set(deciles)]
  return { edges, shares: sharesOf(sorted, edges), count: sorted.length }
}

/** @param values  of the same feature, seen since */
export function driftOf(core: TraceCore, feature: string, then: FeatureDistribution, values: Numbers): FeatureDrift {
  const now = sharesOf(values, then.edges)
  const smooth = (share: number, count: number): number => (share * count + 0.5) / (count + 0.5 * now.length)
  let stabilityIndex = 0
  for (const [bin, share] of now.entries()) {
    const [a, b] = [smooth(share, values.length), smooth(then.shares[bin]!, then.count)]
    stabilityIndex += (a - b) * core.math.log(a / b)
  }
  const chance = CHANCE[then.edges.length]! * (1 / values.length + 1 / then.count)
  return { feature, stabilityIndex, isDrifted: stabilityIndex > NOTICEABLE && stabilityIndex > chance }
}

function sharesOf(values: Numbers, edges: readonly number[]): number[] {
  const shares: number[] = Array(edges.length + 1).fill(0)
  for (let i = 0; i < values.length; i++) {
    const bin = edges.findIndex((edge) => values[i]! <= edge)
    shares[bin < 0 ? edges.length : bin]! += 1 / values.length
  }
  return shares
}
