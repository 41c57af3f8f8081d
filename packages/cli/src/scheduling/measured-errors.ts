// A log without prompts has nothing to predict from. Its requests get estimates that err as a predictor was measured to err
// on a log that has prompts: in rank, so that other lengths and other units do not matter.
import { Random } from '@trimtab/core'
import type { ServeCore } from '@trimtab/serve'

/** Of each measured request: where its true and its estimated length stand among those of its model, 0 … 1, by true rank. */
export interface MeasuredErrors {
  readonly truth01: Float64Array
  readonly estimate01: Float64Array
}

const NOISE_STREAM = 3
/** Share of the measured requests that counts as near a rank. */
const NEAR_01 = 0.02

/** @param models  of each request; ranks are taken within one model */
export function measureErrors(
  tokens: ArrayLike<number>,
  estimates: ArrayLike<number>,
  models: readonly string[],
): MeasuredErrors {
  const groups = new Map<string, number[]>()
  models.forEach((model, i) => {
    const group = groups.get(model)
    if (group) group.push(i)
    else groups.set(model, [i])
  })
  const pairs: (readonly [truth: number, estimate: number])[] = []
  for (const rows of groups.values()) {
    const truth = middleRanks(rows.map((row) => tokens[row]!))
    const estimate = middleRanks(rows.map((row) => estimates[row]!))
    rows.forEach((_, i) => {
      pairs.push([truth[i]!, estimate[i]!])
    })
  }
  pairs.sort(([a], [b]) => a - b)
  return {
    truth01: Float64Array.from(pairs, ([truth]) => truth),
    estimate01: Float64Array.from(pairs, ([, estimate]) => estimate),
  }
}

/**
 * Estimates for requests of known length that are as wrong as `errors`: a request's rank finds the measured requests of that
 * rank, one of them by chance lends where it was estimated to stand, and what stands there is long, on average, so many tokens.
 */
export function estimateWithErrors(
  core: ServeCore,
  tokens: ArrayLike<number>,
  errors: MeasuredErrors,
  seed: number,
): Float64Array {
  const expected = expectedLengths(tokens, errors)
  const { truth01, estimate01 } = errors
  const reach = Math.max(1, Math.round(truth01.length * NEAR_01))
  const random = new Random(core, seed, NOISE_STREAM)
  const estimates = middleRanks(Array.from(tokens)).map((rank) => {
    const middle = firstAtLeast(truth01, rank)
    const low = Math.min(Math.max(0, middle - reach), truth01.length - 1)
    const high = Math.min(truth01.length, middle + reach)
    return expected(estimate01[low + random.integer(Math.max(1, high - low))]!)
  })
  random.dispose()
  return estimates
}

/** Where an estimate stands → how long requests that stand there are on average, in the lengths of `tokens`. */
function expectedLengths(tokens: ArrayLike<number>, { truth01, estimate01 }: MeasuredErrors): (rank: number) => number {
  const sorted = Float64Array.from(tokens).sort()
  const lengthAt = (rank: number) => sorted[Math.min(sorted.length - 1, Math.floor(rank * sorted.length))]!
  const byEstimate = Array.from(estimate01, (rank, i) => ({ rank, length: lengthAt(truth01[i]!) }))
  byEstimate.sort((a, b) => a.rank - b.rank)
  const ranks = Float64Array.from(byEstimate, ({ rank }) => rank)
  const sums = new Float64Array(ranks.length + 1)
  byEstimate.forEach(({ length }, i) => {
    sums[i + 1] = sums[i]! + length
  })
  const reach = Math.max(1, Math.round(ranks.length * NEAR_01))
  return (rank) => {
    const middle = firstAtLeast(ranks, rank)
    const low = Math.max(0, middle - reach)
    const high = Math.min(ranks.length, middle + reach)
    return (sums[high]! - sums[low]!) / (high - low)
  }
}

/** (rank + ½) / n, the same for equal values. */
function middleRanks(values: readonly number[]): Float64Array {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!)
  const ranks = new Float64Array(values.length)
  for (let from = 0; from < order.length; ) {
    let to = from + 1
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++
    for (let i = from; i < to; i++) ranks[order[i]!] = (from + to) / 2 / values.length
    from = to
  }
  return ranks
}

function firstAtLeast(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else high = middle
  }
  return low
}
