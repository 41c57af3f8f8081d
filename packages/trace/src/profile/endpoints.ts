import { unshared } from './call-paths.js'
import type { ColumnFile, ColumnReader } from './column-file.js'
import { ExactSums } from './exact-sums.js'
import { bucketOf, Histograms } from './histogram.js'
import { grown, PairTable } from './pair-table.js'

const SLOWEST = 5

/** A trace to look at, and how long its request took. */
export interface Exemplar {
  readonly traceId: string
  readonly latencyNs: number
}

/** Latencies of the requests that start with the same frame: one row an endpoint, which is the number of a call path. */
export class Endpoints {
  /** The call path of each row. */
  readonly paths: PairTable = new PairTable() // (path, 0)
  requests: Float64Array = new Float64Array(16)
  /** Requests whose root span failed. */
  errors: Float64Array = new Float64Array(16)
  readonly latency: ExactSums = new ExactSums()
  readonly latencySquares: ExactSums = new ExactSums()
  readonly latencies: Histograms = new Histograms()
  /** [endpoint] the few slowest, slowest first, the smaller id first among equals. */
  readonly slowest: Exemplar[][] = []
  // one request of every bucket of every endpoint, the one with the smallest id: a stand-in for any quantile
  readonly #samples = new PairTable() // (endpoint, bucket)
  readonly #sampleOf: Exemplar[] = []

  get size(): number {
    return this.slowest.length
  }

  /** The row of a call path, made if it is new. */
  endpoint(path: number): number {
    const endpoint = this.paths.number(path, 0)
    if (endpoint === this.slowest.length) {
      this.slowest.push([])
      this.requests = grown(this.requests, endpoint + 1)
      this.errors = grown(this.errors, endpoint + 1)
      this.latency.reserve(endpoint + 1)
      this.latencySquares.reserve(endpoint + 1)
    }
    return endpoint
  }

  add(endpoint: number, latencyNs: number, isError: boolean, traceId: string): void {
    this.requests[endpoint]! += 1
    if (isError) this.errors[endpoint]! += 1
    this.latency.add(endpoint, latencyNs)
    this.latencySquares.addProduct(endpoint, latencyNs, latencyNs)
    const bucket = bucketOf(latencyNs)
    this.latencies.add(endpoint, bucket)
    const last = this.slowest[endpoint]!.at(SLOWEST - 1)
    if (!last || latencyNs >= last.latencyNs) this.#offerSlowest(endpoint, { traceId, latencyNs })
    const sample = this.#samples.find(endpoint, bucket)
    if (sample < 0 || traceId < this.#sampleOf[sample]!.traceId) this.#offerSample(endpoint, { traceId, latencyNs })
  }

  /** Adds all of `other`, whose endpoint e is this one's endpoints[e]. */
  merge(other: Endpoints, endpoints: Int32Array): void {
    for (let from = 0; from < other.size; from++) {
      const to = endpoints[from]!
      this.requests[to]! += other.requests[from]!
      this.errors[to]! += other.errors[from]!
      this.latency.addFrom(other.latency, from, to)
      this.latencySquares.addFrom(other.latencySquares, from, to)
      for (const exemplar of other.slowest[from]!) this.#offerSlowest(to, exemplar)
    }
    this.latencies.merge(other.latencies, endpoints)
    for (let sample = 0; sample < other.#samples.size; sample++) {
      this.#offerSample(endpoints[other.#samples.first(sample)]!, other.#sampleOf[sample]!)
    }
  }

  /** A request about as slow as the q-th quantile of the endpoint; undefined without requests. */
  near(endpoint: number, q: number): Exemplar | undefined {
    const bucket = bucketOf(this.latencies.read([endpoint]).quantile(q))
    return this.#sampleOf[this.#samples.find(endpoint, bucket)]
  }

  save(order: Int32Array): ColumnFile {
    const place = new Int32Array(this.size)
    for (let i = 0; i < order.length; i++) place[order[i]!] = i
    const samples = Int32Array.from({ length: this.#samples.size }, (_, i) => i).sort(
      (a, b) =>
        place[this.#samples.first(a)]! - place[this.#samples.first(b)]! ||
        this.#samples.second(a) - this.#samples.second(b),
    )
    const slowest = Array.from(order, (endpoint) => this.slowest[endpoint]!)
    return {
      columns: {
        'endpoints.requests': Float64Array.from(order, (endpoint) => this.requests[endpoint]!),
        'endpoints.errors': Float64Array.from(order, (endpoint) => this.errors[endpoint]!),
        'endpoints.latency': this.latency.words(order),
        'endpoints.latencySquares': this.latencySquares.words(order),
        ...this.latencies.save('endpoints.latencies', order),
        'endpoints.slowest.endpoint': Int32Array.from(slowest.flatMap((list, i) => list.map(() => i))),
        'endpoints.slowest.latencyNs': Float64Array.from(slowest.flat(), ({ latencyNs }) => latencyNs),
        'endpoints.samples.endpoint': Int32Array.from(samples, (sample) => place[this.#samples.first(sample)]!),
        'endpoints.samples.latencyNs': Float64Array.from(samples, (sample) => this.#sampleOf[sample]!.latencyNs),
      },
      meta: {
        'endpoints.slowest.trace': slowest.flat().map(({ traceId }) => traceId),
        'endpoints.samples.trace': Array.from(samples, (sample) => this.#sampleOf[sample]!.traceId),
      },
    }
  }

  /** Takes back what `save` gave; the endpoints exist, in the order of saving, and are empty. */
  load(reader: ColumnReader): void {
    const { size } = this
    this.requests.set(reader.counts('endpoints.requests', size))
    this.errors.set(reader.counts('endpoints.errors', size))
    this.latency.setWords(reader.counts('endpoints.latency', 3 * size))
    this.latencySquares.setWords(reader.counts('endpoints.latencySquares', 3 * size))
    this.latencies.load('endpoints.latencies', size, reader)
    for (const [list, offer] of [
      ['slowest', (endpoint: number, exemplar: Exemplar) => this.#offerSlowest(endpoint, exemplar)],
      ['samples', (endpoint: number, exemplar: Exemplar) => this.#offerSample(endpoint, exemplar)],
    ] as const) {
      const of = reader.integers(`endpoints.${list}.endpoint`, undefined, 0, size)
      const latencies = reader.counts(`endpoints.${list}.latencyNs`, of.length)
      const traces = reader.strings(`endpoints.${list}.trace`, of.length)
      for (let i = 0; i < of.length; i++) offer(of[i]!, { traceId: traces[i]!, latencyNs: latencies[i]! })
    }
  }

  #offerSlowest(endpoint: number, { traceId, latencyNs }: Exemplar): void {
    const list = this.slowest[endpoint]!
    const at = list.findIndex(
      (other) => latencyNs > other.latencyNs || (latencyNs === other.latencyNs && traceId < other.traceId),
    )
    if (at < 0 && list.length >= SLOWEST) return
    list.splice(at < 0 ? list.length : at, 0, { traceId: unshared(traceId), latencyNs })
    if (list.length > SLOWEST) list.pop()
  }

  #offerSample(endpoint: number, { traceId, latencyNs }: Exemplar): void {
    const sample = this.#samples.number(endpoint, bucketOf(latencyNs))
    const other = this.#sampleOf[sample]
    if (other && (other.traceId < traceId || (other.traceId === traceId && other.latencyNs <= latencyNs))) return
    this.#sampleOf[sample] = { traceId: unshared(traceId), latencyNs }
  }
}
