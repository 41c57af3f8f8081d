/** The classes' borders as shares of a model's answers (dissertation 6.3.2). */
const PERCENTILES = [0.25, 0.5, 0.75, 0.99] as const
const EXACT = 256 // lengths below have a bin each
const PER_OCTAVE = 128 // bins above are 0.8 % wide
const OCTAVES = 12
const LONGEST = 2 ** (8 + OCTAVES) - 1

/** Bins of a distribution. */
export const LENGTH_BINS: number = EXACT + PER_OCTAVE * OCTAVES

/** What a model's answers are like: borders of the five classes and what an answer of each takes. */
export interface LengthClasses {
  /** [4] tokens at the percentiles 25, 50, 75, 99. */
  readonly borders: Float64Array
  /** [5] mean tokens of a class. */
  readonly means: Float64Array
}

/**
 * Running distribution of output lengths: exact counts below 256 tokens, bins of 0.8 % above.
 * Past `memory` answers all counts are halved, so that it follows a model whose answers change.
 */
export class LengthDistribution {
  readonly counts: Float32Array
  readonly #memory: number
  #total = 0

  constructor(counts: Float32Array = new Float32Array(LENGTH_BINS), memory = 20_000) {
    this.counts = counts
    this.#memory = memory
    for (const count of counts) this.#total += count
  }

  /** Answers counted, less what was forgotten. */
  get total(): number {
    return this.#total
  }

  /** @param weight  a multiple of 1/1024, so that sums are exact */
  add(tokens: number, weight = 1): void {
    this.counts[binOf(tokens)]! += weight
    this.#total += weight
    if (this.#total < this.#memory) return
    this.#total = 0
    for (let i = 0; i < LENGTH_BINS; i++) this.#total += this.counts[i]! *= 0.5
  }
}

/**
 * Borders and means of a model whose answers are `own`, with those of all models in their place while there are few:
 * `prior` counts as 8 answers, less one for every four of its own.
 */
export function classesOf(own: LengthDistribution | undefined, prior: LengthDistribution): LengthClasses | undefined {
  if (!own || own.total === 0) return prior.total > 0 ? classesOfCounts(prior.counts, prior.total) : undefined
  const few = prior.total > 0 ? Math.max(0, 8 - own.total / 4) : 0
  if (few === 0) return classesOfCounts(own.counts, own.total)
  // A thousandth of an answer is the unit, so that ranks between two answers mean what they mean for whole ones.
  const counts = own.counts.map((count, bin) => 1000 * (count + (few / prior.total) * prior.counts[bin]!))
  return classesOfCounts(counts, 1000 * (own.total + few))
}

/** Borders by numpy's default: the value at a rank among the sorted lengths, between neighbours in proportion. One pass. */
function classesOfCounts(counts: Float32Array, total: number): LengthClasses {
  const borders = new Float64Array(PERCENTILES.length)
  const last = Math.max(0, total - 1)
  let cumulated = 0
  let below = -1 // the bin that the rank's lower neighbour lies in
  for (let bin = 0, k = 0; bin < LENGTH_BINS && k < borders.length; bin++) {
    cumulated += counts[bin]!
    while (k < borders.length) {
      const rank = PERCENTILES[k]! * last
      const whole = Math.floor(rank)
      if (cumulated <= whole) break
      if (below < 0) below = bin
      if (cumulated <= whole + 1 && whole + 1 <= last) break
      borders[k++] = lengthOf(below) + (rank - whole) * (lengthOf(bin) - lengthOf(below))
      below = -1
    }
  }
  return { borders, means: meansOf(counts, borders) }
}

/** 0…4: how many borders the length reaches. */
export function classOf(borders: Float64Array, tokens: number): number {
  let found = 0
  while (found < borders.length && tokens >= borders[found]!) found++
  return found
}

function meansOf(counts: Float32Array, borders: Float64Array): Float64Array {
  const sums = new Float64Array(borders.length + 1)
  const weights = new Float64Array(borders.length + 1)
  for (let bin = 0, found = 0; bin < LENGTH_BINS; bin++) {
    const count = counts[bin]!
    if (count === 0) continue
    const length = lengthOf(bin)
    while (found < borders.length && length >= borders[found]!) found++
    sums[found]! += count * length
    weights[found]! += count
  }
  // A class without answers lies at its lower border.
  return sums.map((sum, i) => (weights[i]! > 0 ? sum / weights[i]! : (borders[Math.max(0, i - 1)] ?? 0)))
}

function binOf(tokens: number): number {
  const length = Math.min(Math.max(Math.round(tokens), 0), LONGEST)
  if (length < EXACT) return length
  const octave = 31 - Math.clz32(length) - 8
  return EXACT + octave * PER_OCTAVE + ((length - 2 ** (8 + octave)) >> (octave + 1))
}

/** The middle of a bin. */
function lengthOf(bin: number): number {
  if (bin < EXACT) return bin
  const octave = Math.floor((bin - EXACT) / PER_OCTAVE)
  const width = 2 ** (octave + 1)
  return 2 ** (8 + octave) + ((bin - EXACT) % PER_OCTAVE) * width + (width - 1) / 2
}
