// Small statistics in f64 over plain arrays. Where a formula is undefined (a constant vector, a zero embedding) the answer is
// the neutral number named in its comment, never NaN.
import { requireLength } from '../checks.js'
import { ConfigError } from '../errors.js'
import type { CoreMath } from '../math/core-math.js'

type Numbers = ArrayLike<number>

/** Mean of x [n]; NaN when it is empty. */
export function mean(x: Numbers): number {
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += x[i]!
  return sum / x.length
}

/**
 * The p-th percentile, p in 0 … 100, linear between order statistics (NumPy's default). Leaves x as it is.
 * @throws {ConfigError} `config_invalid` (nothing to rank, p out of range)
 */
export function percentile(x: Numbers, p: number): number {
  if (x.length === 0) throw new ConfigError('config_invalid', 'a percentile needs at least one number, got none')
  if (!(p >= 0 && p <= 100)) throw new ConfigError('config_invalid', `a percentile must be in 0 … 100, got ${p}`)
  const sorted = Float64Array.from(x).sort()
  const rank = ((sorted.length - 1) * p) / 100
  const below = Math.floor(rank)
  const low = sorted[below]!
  if (rank === below) return low // also keeps −0 and infinities as they are
  return low + (sorted[below + 1]! - low) * (rank - below)
}

/** Σ (a − mean a)(b − mean b) */
function crossSum(a: Numbers, b: Numbers): number {
  requireLength('b', b, a.length)
  const meanA = mean(a)
  const meanB = mean(b)
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i]! - meanA) * (b[i]! - meanB)
  return sum
}

/**
 * Pearson's correlation in [−1, 1]; 0 when either vector is constant. FIRM's relative importance of a service is that of its
 * times with the critical path's (3.2.3, equation for RI).
 * @throws {ConfigError} `size_mismatch`
 */
export function pearson(a: Numbers, b: Numbers): number {
  const scale = Math.sqrt(crossSum(a, a)) * Math.sqrt(crossSum(b, b))
  return scale > 0 ? Math.min(1, Math.max(-1, crossSum(a, b) / scale)) : 0
}

/**
 * Which share of the variance of `total` the part explains: cov(part, total) / var(total). Over parts that add up to the total
 * the shares sum to 1, which correlations do not, whatever 3.2.3 says. 0 when the total is constant.
 * @throws {ConfigError} `size_mismatch`
 */
export function varianceShare(part: Numbers, total: Numbers): number {
  const variance = crossSum(total, total)
  return variance > 0 ? crossSum(part, total) / variance : 0
}

/**
 * The place of `index` in a row-major array of the given dimensions (numpy.ravel_multi_index).
 * @throws {ConfigError} `size_mismatch`, `index_invalid`
 */
export function ravelMultiIndex(index: readonly number[], dimensions: readonly number[]): number {
  requireLength('index', index, dimensions.length)
  return dimensions.reduce((place, size, axis) => {
    const at = index[axis]!
    if (!(Number.isInteger(at) && at >= 0 && at < size)) {
      throw new ConfigError('index_invalid', `index[${axis}] must be an integer in 0 … ${size - 1}, got ${at}`)
    }
    return place * size + at
  }, 0)
}

/** How alike two embeddings are, by angle and by distance. */
export interface EmbeddingSimilarity {
  readonly cosine: number
  /** Half the distance between the unit vectors, in [0, 1]. */
  readonly distance: number
  /** (1 − distance + cosine) / 2 */
  readonly similarity: number
}

/**
 * How alike two embeddings are. "Normalized Euclidean distance" (5.4.3) is read as half the distance of unit vectors; a zero
 * vector has no direction: cosine 0 and distance 1/2 of whatever the other one is.
 * @throws {ConfigError} `size_mismatch`
 */
export function embeddingSimilarity(a: Numbers, b: Numbers): EmbeddingSimilarity {
  requireLength('b', b, a.length)
  let aa = 0
  let bb = 0
  for (let i = 0; i < a.length; i++) {
    aa += a[i]! * a[i]!
    bb += b[i]! * b[i]!
  }
  const lengthA = Math.sqrt(aa) || 1
  const lengthB = Math.sqrt(bb) || 1
  let cosine = 0
  let squared = 0
  for (let i = 0; i < a.length; i++) {
    const unitA = a[i]! / lengthA
    const unitB = b[i]! / lengthB
    cosine += unitA * unitB
    squared += (unitA - unitB) ** 2
  }
  const distance = Math.sqrt(squared) / 2
  return { cosine, distance, similarity: (1 - distance + cosine) / 2 }
}

/**
 * The first index whose cumulative softmax(logits) exceeds u, u in [0, 1).
 * @throws {ConfigError} `config_invalid` (no logits)
 */
export function sampleCategorical(math: CoreMath, logits: Numbers, u: number): number {
  if (logits.length === 0) throw new ConfigError('config_invalid', 'sampling needs at least one logit, got none')
  let largest = logits[0]!
  for (let i = 1; i < logits.length; i++) largest = Math.max(largest, logits[i]!)
  let total = 0
  for (let i = 0; i < logits.length; i++) total += math.exp(logits[i]! - largest)
  let cumulative = 0
  for (let i = 0; i < logits.length; i++) {
    cumulative += math.exp(logits[i]! - largest)
    if (cumulative > u * total) return i
  }
  return logits.length - 1
}
