import type { ColumnReader } from './column-file.js'
import { ExactSums } from './exact-sums.js'
import { BUCKETS, ZERO_BUCKET } from './histogram.js'
import { grown, PairTable } from './pair-table.js'

/**
 * Time on the path by call path and by how slow the request was: which call paths make up the requests of any band of
 * latencies, asked afterwards. One entry for each pair seen; the buckets are those of the latency histogram.
 */
export class LatencyBands {
  readonly #entries = new PairTable() // (call path, latency bucket)
  #requests = new Float64Array(16)
  readonly #self = new ExactSums()

  add(path: number, bucket: number, selfNs: number): void {
    const entry = this.#entry(path, bucket)
    this.#requests[entry]! += 1
    this.#self.add(entry, selfNs)
  }

  /** Adds all of `other`, whose path p is this one's paths[p]. */
  merge(other: LatencyBands, paths: Int32Array): void {
    for (let from = 0; from < other.#entries.size; from++) {
      const entry = this.#entry(paths[other.#entries.first(from)]!, other.#entries.second(from))
      this.#requests[entry]! += other.#requests[from]!
      this.#self.addFrom(other.#self, from, entry)
    }
  }

  /** Calls `visit` with every entry: requests on whose path it was, and the sum of its time on them. */
  each(visit: (path: number, bucket: number, requests: number, selfNs: number) => void): void {
    for (let entry = 0; entry < this.#entries.size; entry++) {
      visit(this.#entries.first(entry), this.#entries.second(entry), this.#requests[entry]!, this.#self.value(entry))
    }
  }

  /** The entries by rank of their path (rank[path]) and bucket. */
  save(rank: Int32Array): Record<string, Float64Array | Int32Array> {
    const order = Int32Array.from({ length: this.#entries.size }, (_, i) => i).sort(
      (a, b) =>
        rank[this.#entries.first(a)]! - rank[this.#entries.first(b)]! ||
        this.#entries.second(a) - this.#entries.second(b),
    )
    return {
      'bands.path': Int32Array.from(order, (entry) => rank[this.#entries.first(entry)]!),
      'bands.bucket': Int32Array.from(order, (entry) => this.#entries.second(entry)),
      'bands.requests': Float64Array.from(order, (entry) => this.#requests[entry]!),
      'bands.self': this.#self.words(order),
    }
  }

  /** Takes back what `save` gave, of paths 0 … paths − 1; nothing was added before. */
  load(paths: number, reader: ColumnReader): void {
    const of = reader.integers('bands.path', undefined, 0, paths)
    const buckets = reader.integers('bands.bucket', of.length, ZERO_BUCKET, BUCKETS)
    const requests = reader.counts('bands.requests', of.length)
    for (let i = 0; i < of.length; i++) this.#requests[this.#entry(of[i]!, buckets[i]!)]! = requests[i]!
    if (this.#entries.size !== of.length) throw reader.damaged('its bands name a call path and bucket twice')
    this.#self.setWords(reader.counts('bands.self', 3 * of.length))
  }

  #entry(path: number, bucket: number): number {
    const entry = this.#entries.number(path, bucket)
    if (entry === this.#requests.length) this.#requests = grown(this.#requests, entry + 1)
    this.#self.reserve(entry + 1)
    return entry
  }
}
