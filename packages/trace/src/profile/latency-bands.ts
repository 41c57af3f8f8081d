import type { ColumnReader } from './column-file.js'
import { addSum, addTime, roundedSum, SUM_WORDS } from './exact-sum.js'
import { BUCKETS, ZERO_BUCKET } from './histogram.js'
import { grown, PairTable } from './pair-table.js'

// places in an entry's row
const REQUESTS = 0
const SELF = 1
const STRIDE = SELF + SUM_WORDS

/**
 * Time on the path by call path and by how slow the request was: which call paths make up the requests of any band of
 * latencies, asked afterwards. One entry for each pair seen; the buckets are those of the latency histogram.
 */
export class LatencyBands {
  readonly #entries = new PairTable() // (call path, latency bucket)
  #facts = new Float64Array(16 * STRIDE)

  add(path: number, bucket: number, selfNs: number): void {
    const at = this.#entry(path, bucket) * STRIDE
    this.#facts[at + REQUESTS]! += 1
    addTime(this.#facts, at + SELF, selfNs)
  }

  /** Adds all of `other`, whose path p is this one's paths[p]. */
  merge(other: LatencyBands, paths: Int32Array): void {
    for (let from = 0; from < other.#entries.size; from++) {
      const at = this.#entry(paths[other.#entries.first(from)]!, other.#entries.second(from)) * STRIDE
      this.#facts[at + REQUESTS]! += other.#facts[from * STRIDE + REQUESTS]!
      addSum(this.#facts, at + SELF, other.#facts, from * STRIDE + SELF)
    }
  }

  /**
   * Calls `visit` with every entry, by rank of the path (rank[path]) and bucket: requests on whose path it was, and the sum
   * of its time on them.
   */
  each(rank: Int32Array, visit: (path: number, bucket: number, requests: number, selfNs: number) => void): void {
    for (const entry of this.#ordered(rank)) {
      const at = entry * STRIDE
      const requests = this.#facts[at + REQUESTS]!
      visit(this.#entries.first(entry), this.#entries.second(entry), requests, roundedSum(this.#facts, at + SELF))
    }
  }

  /** The entries by rank of their path and bucket. */
  save(rank: Int32Array): Record<string, Float64Array | Int32Array> {
    const order = this.#ordered(rank)
    const facts = new Float64Array(order.length * STRIDE)
    for (let i = 0; i < order.length; i++) {
      facts.set(this.#facts.subarray(order[i]! * STRIDE, (order[i]! + 1) * STRIDE), i * STRIDE)
    }
    return {
      'bands.path': Int32Array.from(order, (entry) => rank[this.#entries.first(entry)]!),
      'bands.bucket': Int32Array.from(order, (entry) => this.#entries.second(entry)),
      'bands.facts': facts,
    }
  }

  /** Takes back what `save` gave, of paths 0 … paths − 1; nothing was added before. */
  load(paths: number, reader: ColumnReader): void {
    const of = reader.integers('bands.path', undefined, 0, paths)
    const buckets = reader.integers('bands.bucket', of.length, ZERO_BUCKET, BUCKETS)
    for (let i = 0; i < of.length; i++) this.#entry(of[i]!, buckets[i]!)
    if (this.#entries.size !== of.length) throw reader.damaged('its bands name a call path and bucket twice')
    this.#facts.set(reader.counts('bands.facts', of.length * STRIDE))
  }

  #ordered(rank: Int32Array): Int32Array {
    return Int32Array.from({ length: this.#entries.size }, (_, entry) => entry).sort(
      (a, b) =>
        rank[this.#entries.first(a)]! - rank[this.#entries.first(b)]! ||
        this.#entries.second(a) - this.#entries.second(b),
    )
  }

  #entry(path: number, bucket: number): number {
    const entry = this.#entries.number(path, bucket)
    if ((entry + 1) * STRIDE > this.#facts.length) this.#facts = grown(this.#facts, (entry + 1) * STRIDE)
    return entry
  }
}
