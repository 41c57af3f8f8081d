import type { Histogram } from './histogram.js'

/** Two samples that may be compared with each other, as histograms. */
export interface Stratum {
  readonly before: Histogram
  readonly after: Histogram
}

/** Whether one sample tends to be larger than another. */
export interface RankTest {
  /** In standard errors; above 0: the samples after are larger. 0 where nothing can be said. */
  readonly z: number
  /** How likely one after is larger than one before, ties counted half; ½ where nothing can be said. */
  readonly larger01: number
}

/**
 * Wilcoxon's rank-sum test within each stratum, joined as van Elteren did: strata weigh 1 / (N + 1). Times in the same bucket
 * (0.8 % wide) are ties, for which the variance is corrected.
 */
export function rankTest(strata: readonly Stratum[]): RankTest {
  let shift = 0
  let variance = 0
  let larger = 0
  let pairs = 0
  for (const { before, after } of strata) {
    const [n, m] = [before.count, after.count]
    if (n === 0 || m === 0) continue
    const { wins, tieCubes } = compareRanks(before, after)
    const total = n + m
    const weight = 1 / (total + 1)
    shift += weight * (wins - (n * m) / 2)
    if (total > 1) variance += weight ** 2 * ((n * m) / 12) * (total + 1 - tieCubes / (total * (total - 1)))
    larger += wins
    pairs += n * m
  }
  return { z: variance > 0 ? shift / Math.sqrt(variance) : 0, larger01: pairs > 0 ? larger / pairs : 0.5 }
}

/** Pairs in which the one after is larger (ties half), and Σ t³ − t over the sizes of ties. */
function compareRanks(before: Histogram, after: Histogram): { wins: number; tieCubes: number } {
  let wins = 0
  let tieCubes = 0
  let below = 0 // of before
  let i = 0
  let j = 0
  while (i < before.buckets.length || j < after.buckets.length) {
    const bucket = Math.min(before.buckets[i] ?? Infinity, after.buckets[j] ?? Infinity)
    const a = before.buckets[i] === bucket ? before.counts[i++]! : 0
    const b = after.buckets[j] === bucket ? after.counts[j++]! : 0
    wins += b * (below + a / 2)
    below += a
    const ties = a + b
    tieCubes += ties ** 3 - ties
  }
  return { wins, tieCubes }
}
