import { unshared } from './call-paths.js'
import type { ColumnFile, ColumnReader } from './column-file.js'
import { addProduct, addSum, addTime, exactSum, SUM_WORDS } from './exact-sum.js'
import { bucketOf, Histograms } from './histogram.js'
import { grown, PairTable } from './pair-table.js'

const SLOWEST = 5

// an endpoint's row: two counts and two sums as in exact-sum.ts
const REQUESTS = 0
const ROOT_ERRORS = 1 // requests whose root span failed
const LATENCY = 2
const LATENCY_SQUARES = LATENCY + SUM_WORDS
const FACTS_STRIDE = LATENCY_SQUARES + SUM_WORDS

/** A trace to look at, and how long its request took. */
export interface Exemplar {
  readonly traceId: string
  readonly latencyNs: number
}

/** Latencies of the requests that start with the same frame: one row an endpoint, which is the number of a call path. */
export class Endpoints {
  /** The call path of each row. */
  readonly paths: PairTable = new PairTable() // (path, 0)
  /** [endpoints, FACTS_STRIDE] */
  #facts = new Float64Array(4 * FACTS_STRIDE)
  readonly latencies: Histograms = new Histograms()
  /** [endpoint] the few slowest, slowest first, the smaller id first among equals. */
  readonly slowest: Exemplar[][] = []
  // one request of every bucket of every endpoint, the one with the smallest id: a stand-in for any quantile
  readonly #samples = new PairTable() // (endpoint, bucket)
  readonly #sampleOf: Exemplar[] = []

  get size(): number {
    return this.slowest.length
  }

  /** The longest latency of an endpoint; 0 of no request. */
  longestNs(endpoint: number): number {
    return this.slowest[endpoint]![0]?.latencyNs ?? 0
  }

  /** The row of a call path, made if it is new. */
  endpoint(path: number): number {
    const endpoint = this.paths.number(path, 0)
    if (endpoint === this.slowest.length) {
      this.slowest.push([])
      this.#facts = grown(this.#facts, this.slowest.length * FACTS_STRIDE)
    }
    return endpoint
  }

  add(endpoint: number, latencyNs: number, isError: boolean, traceId: string): void {
    const facts = this.#facts
    const at = endpoint * FACTS_STRIDE
    facts[at + REQUESTS]! += 1
    if (isError) facts[at + ROOT_ERRORS]! += 1
    addTime(facts, at + LATENCY, latencyNs)
    addProduct(facts, at + LATENCY_SQUARES, latencyNs, latencyNs)
    const bucket = bucketOf(latencyNs)
    this.latencies.add(endpoint, bucket, 1)
    const last = this.slowest[endpoint]!.at(SLOWEST - 1)
    if (!last || latencyNs >= last.latencyNs) this.#offerSlowest(endpoint, { traceId, latencyNs })
    const sample = this.#samples.find(endpoint, bucket)
    if (sample < 0 || traceId < this.#sampleOf[sample]!.traceId) this.#offerSample(endpoint, { traceId, latencyNs })
  }

  /** Adds all of `other`, whose endpoint e is this one's endpoints[e]. */
  merge(other: Endpoints, endpoints: Int32Array): void {
    for (let from = 0; from < other.size; from++) {
      const to = endpoints[from]!
      const at = to * FACTS_STRIDE
      const otherAt = from * FACTS_STRIDE
      this.#facts[at + REQUESTS]! += other.#facts[otherAt + REQUESTS]!
      this.#facts[at + ROOT_ERRORS]! += other.#facts[otherAt + ROOT_ERRORS]!
      addSum(this.#facts, at + LATENCY, other.#facts, otherAt + LATENCY)
      addSum(this.#facts, at + LATENCY_SQUARES, other.#facts, otherAt + LATENCY_SQUARES)
      for (const exemplar of other.slowest[from]!) this.#offerSlowest(to, exemplar)
    }
    this.latencies.merge(other.latencies, endpoints)
    for (let sample = 0; sample < other.#samples.size; sample++) {
      this.#offerSample(endpoints[other.#samples.first(sample)]!, other.#sampleOf[sample]!)
    }
  }

  /** Requests of an endpoint, Σ and Σ² of their latencies. */
  latencySums(endpoint: number): { readonly requests: number; readonly sum: bigint; readonly squares: bigint } {
    const at = endpoint * FACTS_STRIDE
    return {
      requests: this.#facts[at + REQUESTS]!,
      sum: exactSum(this.#facts, at + LATENCY),
      squares: exactSum(this.#facts, at + LATENCY_SQUARES),
    }
  }

  /** Requests whose root span failed. */
  errors(endpoint: number): number {
    return this.#facts[endpoint * FACTS_STRIDE + ROOT_ERRORS]!
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
    const facts = new Float64Array(order.length * FACTS_STRIDE)
    for (let i = 0; i < order.length; i++) {
      facts.set(this.#facts.subarray(order[i]! * FACTS_STRIDE, (order[i]! + 1) * FACTS_STRIDE), i * FACTS_STRIDE)
    }
    const slowest = Array.from(order, (endpoint) => this.slowest[endpoint]!)
    return {
      columns: {
        'endpoints.facts': facts,
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
    this.#facts.set(reader.counts('endpoints.facts', size * FACTS_STRIDE))
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
