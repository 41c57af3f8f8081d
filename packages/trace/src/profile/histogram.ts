import type { ColumnReader } from './column-file.js'
import { grown, PairTable } from './pair-table.js'

const SUB_BITS = 6 // 64 buckets an octave: a bucket is at most 1/64 wide, its middle at most 1/129 off
const SHIFT = 20 - SUB_BITS // a double's high word holds 20 bits of the fraction
const BIAS = 1023 << SUB_BITS

/** No quantile is further from the truth than this part of it. */
export const RELATIVE_ERROR: number = 1 / (2 ** (SUB_BITS + 1) + 1)

/** The bucket of time zero; all others are ≥ 0. */
export const ZERO_BUCKET = -1
/** No bucket has this number or a higher one. */
export const BUCKETS: number = 53 << SUB_BITS

const word = new DataView(new ArrayBuffer(8))

/**
 * Which bucket a time (ns, 0 or ≥ 1) falls into: its octave and the first six bits after its leading one, read from the
 * double itself. Linear within an octave, logarithmic over octaves (as HdrHistogram), without a logarithm.
 */
export function bucketOf(timeNs: number): number {
  if (timeNs < 1) return ZERO_BUCKET
  word.setFloat64(0, timeNs)
  return (word.getInt32(0) >> SHIFT) - BIAS
}

/** The smallest time of the bucket; that of the next bucket ends it. */
export function bucketStart(bucket: number): number {
  if (bucket <= ZERO_BUCKET) return 0
  word.setInt32(0, (bucket + BIAS) << SHIFT)
  word.setInt32(4, 0)
  return word.getFloat64(0)
}

/** The time that stands for all of the bucket: no member is further from it than RELATIVE_ERROR of itself. */
export function bucketMiddle(bucket: number): number {
  const low = bucketStart(bucket)
  const high = bucketStart(bucket + 1)
  return low === 0 ? 0 : (2 * low * high) / (low + high)
}

// Neighbouring buckets are counted side by side: one look-up finds all eight, and they share a line of the cache.
const PAGE_BITS = 3
const PAGE = 1 << PAGE_BITS
const SHIFTED = -ZERO_BUCKET // bucket + SHIFTED is never negative
const MOST_COUNTED = 2 ** 32 - 1 // in 32 bits

/** Counts by cell and bucket, for all cells in one table: room goes to where times are. */
export class Histograms {
  readonly #pages = new PairTable() // (cell, bucket / 8)
  /** [pages, 8] in half the room until a count needs more. */
  #counts: Uint32Array | Float64Array = new Uint32Array(16 * PAGE)
  #index: { readonly starts: Int32Array; readonly pages: Int32Array } | undefined

  add(cell: number, bucket: number, count: number): void {
    const place = bucket + SHIFTED
    const at = (this.#pages.number(cell, place >> PAGE_BITS) << PAGE_BITS) + (place & (PAGE - 1))
    if (at >= this.#counts.length) this.#counts = grown(this.#counts, at + PAGE)
    const sum = this.#counts[at]! + count
    if (sum > MOST_COUNTED) this.#counts = Float64Array.from(this.#counts)
    this.#counts[at] = sum
    this.#index = undefined
  }

  /** Adds the counts of `other`, whose cell c is this one's cells[c]. */
  merge(other: Histograms, cells: Int32Array): void {
    for (let page = 0; page < other.#pages.size; page++) {
      const cell = cells[other.#pages.first(page)]!
      other.#eachOfPage(page, (bucket, count) => this.add(cell, bucket, count))
    }
  }

  /** The counts of the cells in the given order, by place in the order and bucket. */
  save(prefix: string, order: Int32Array): Record<string, Float64Array | Int32Array> {
    const places: number[] = []
    const buckets: number[] = []
    const counts: number[] = []
    for (let place = 0; place < order.length; place++) {
      this.#eachOfCell(order[place]!, (bucket, count) => {
        places.push(place)
        buckets.push(bucket)
        counts.push(count)
      })
    }
    return {
      [`${prefix}.cell`]: Int32Array.from(places),
      [`${prefix}.bucket`]: Int32Array.from(buckets),
      [`${prefix}.count`]: Float64Array.from(counts),
    }
  }

  /** Adds what `save` gave, of cells 0 … cells − 1. */
  load(prefix: string, cells: number, reader: ColumnReader): void {
    const of = reader.integers(`${prefix}.cell`, undefined, 0, cells)
    const buckets = reader.integers(`${prefix}.bucket`, of.length, ZERO_BUCKET, BUCKETS)
    const counts = reader.counts(`${prefix}.count`, of.length)
    for (let i = 0; i < of.length; i++) this.add(of[i]!, buckets[i]!, counts[i]!)
  }

  /** What was counted for the given cells together. */
  read(cells: readonly number[]): Histogram {
    const counts = new Map<number, number>()
    for (const cell of cells) {
      this.#eachOfCell(cell, (bucket, count) => counts.set(bucket, (counts.get(bucket) ?? 0) + count))
    }
    const buckets = Int32Array.from(counts.keys()).sort()
    return new Histogram(
      buckets,
      Float64Array.from(buckets, (bucket) => counts.get(bucket)!),
    )
  }

  /** Buckets in which something was counted, ascending. */
  #eachOfCell(cell: number, visit: (bucket: number, count: number) => void): void {
    this.#index ??= this.#makeIndex()
    const { starts, pages } = this.#index
    for (let i = starts[cell] ?? pages.length; i < (starts[cell + 1] ?? pages.length); i++) {
      this.#eachOfPage(pages[i]!, visit)
    }
  }

  #eachOfPage(page: number, visit: (bucket: number, count: number) => void): void {
    for (let i = 0; i < PAGE; i++) {
      const count = this.#counts[page * PAGE + i]!
      if (count > 0) visit(this.#pages.second(page) * PAGE + i - SHIFTED, count)
    }
  }

  /** Pages by cell, those of cell c at starts[c] … starts[c + 1], ascending. */
  #makeIndex(): { readonly starts: Int32Array; readonly pages: Int32Array } {
    const table = this.#pages
    let cells = 0
    for (let page = 0; page < table.size; page++) cells = Math.max(cells, table.first(page) + 1)
    const starts = new Int32Array(cells + 1)
    for (let page = 0; page < table.size; page++) starts[table.first(page) + 1]! += 1
    for (let cell = 0; cell < cells; cell++) starts[cell + 1]! += starts[cell]!
    const next = starts.slice()
    const pages = new Int32Array(table.size)
    for (let page = 0; page < table.size; page++) pages[next[table.first(page)]!++] = page
    for (let cell = 0; cell < cells; cell++) {
      pages.subarray(starts[cell]!, starts[cell + 1]!).sort((a, b) => table.second(a) - table.second(b))
    }
    return { starts, pages }
  }
}

/** Times of some of `requests`, the others taking none. */
export function timesAmong(times: Histogram | undefined, requests: number): Histogram {
  const { buckets = [], counts = [], count = 0 } = times ?? {}
  if (count >= requests) return new Histogram(Int32Array.from(buckets), Float64Array.from(counts))
  return new Histogram(Int32Array.of(ZERO_BUCKET, ...buckets), Float64Array.of(requests - count, ...counts))
}

/** Bounds of an interval, both included, in the unit of what was asked for. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** How many times fell where. */
export class Histogram {
  readonly count: number
  /** [B] ascending; see `bucketStart`. */
  readonly buckets: Int32Array
  /** [B] */
  readonly counts: Float64Array

  constructor(buckets: Int32Array, counts: Float64Array) {
    this.buckets = buckets
    this.counts = counts
    let count = 0
    for (const each of counts) count += each
    this.count = count
  }

  /**
   * The q-th quantile in ns, q in 0 … 1, within RELATIVE_ERROR of the value at rank round(q · (count − 1)); NaN when nothing
   * was counted.
   */
  quantile(q: number): number {
    return this.#atRank(Math.round(Math.min(1, Math.max(0, q)) * (this.count - 1)))
  }

  /**
   * Where the q-th quantile of the population lies, `z` standard errors wide (1.96: 95 %), from the spread of the rank:
   * q·n ± z·√(n·q·(1−q)). An end that the samples do not reach is open: 0 below, Infinity above (a p99 of a hundred).
   */
  quantileInterval(q: number, z = 1.96): Interval {
    const spread = z * Math.sqrt(this.count * q * (1 - q))
    const low = Math.floor(q * this.count - spread) - 1
    const high = Math.ceil(q * this.count + spread)
    return {
      low: low < 0 ? 0 : this.#atRank(low),
      high: high < this.count ? this.#atRank(high) : Number.POSITIVE_INFINITY,
    }
  }

  /** ns, of the sample that q of all lie below: unlike `quantile` exact for mid-ranks, (i + ½) / count gives the i-th. */
  atQuantile(q: number): number {
    return this.#atRank(Math.min(this.count - 1, Math.floor(q * this.count)))
  }

  #atRank(rank: number): number {
    let below = 0
    for (let i = 0; i < this.buckets.length; i++) {
      below += this.counts[i]!
      if (rank < below) return bucketMiddle(this.buckets[i]!)
    }
    return Number.NaN
  }
}
