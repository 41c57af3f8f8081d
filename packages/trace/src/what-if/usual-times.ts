import { Attribution } from '../attribution.js'
import { Names } from '../names.js'
import type { CriticalPath } from '../path/types.js'
import { bucketMiddle, bucketOf, type Histogram, Histograms } from '../profile/histogram.js'
import type { Trace } from '../types.js'

const SEPARATOR = '\u0000'

/** How long spans' own time is, place by place: an operation's work, or its calls to another one. Streaming and mergeable. */
export class OwnTimes {
  readonly #places = new Names()
  readonly #times = new Histograms()
  readonly #attribution = new Attribution()

  /** Takes the own times of one trace's spans. */
  add(path: CriticalPath): void {
    const { trace } = path
    const attribution = this.#attribution.of(path)
    for (let row = 0; row < trace.size; row++)
      this.#times.add(this.#places.number(placeOf(trace, attribution, row)), bucketOf(attribution.ownNs[row]!), 1)
  }

  /** Adds all of `other`. */
  merge(other: OwnTimes): void {
    const cells = Int32Array.from({ length: other.#places.size }, (_, cell) =>
      this.#places.number(other.#places.text(cell)),
    )
    this.#times.merge(other.#times, cells)
  }

  /** The times of a place; undefined where there were none. */
  of(place: string): Histogram | undefined {
    const cell = this.#places.find(place)
    const times = cell < 0 ? undefined : this.#times.read([cell])
    return times && times.count > 0 ? times : undefined
  }
}

/** The name of the place in which a span spends its own time. */
function placeOf({ service, operation, names }: Trace, { answer }: Attribution, row: number): string {
  const nameOf = (at: number): string => `${names.text(service[at]!)}${SEPARATOR}${names.text(operation[at]!)}`
  const answered = answer[row]!
  return answered < 0 ? nameOf(row) : `${nameOf(row)}${SEPARATOR}${nameOf(answered)}`
}

/**
 * What turns times of a window into usual ones: a time at some quantile of its place becomes the baseline's at the same
 * quantile. So the window's spans keep their order, and their distribution becomes the baseline's.
 */
export class UsualTimes {
  readonly #window: OwnTimes
  readonly #baseline: OwnTimes
  readonly #factorsOf = new Map<string, ReadonlyMap<number, number>>()
  #factors = new Float64Array(64)

  /** Both complete: what is added later is not seen. */
  constructor(window: OwnTimes, baseline: OwnTimes) {
    this.#window = window
    this.#baseline = baseline
  }

  /** [N] what each span's own time is to be multiplied by; 1 in places that the baseline has not. Valid until the next call. */
  factors(trace: Trace, attribution: Attribution): Float64Array {
    if (this.#factors.length < trace.size) this.#factors = new Float64Array(2 * trace.size)
    for (let row = 0; row < trace.size; row++) {
      const place = placeOf(trace, attribution, row)
      let byBucket = this.#factorsOf.get(place)
      if (!byBucket) {
        byBucket = factorsBetween(this.#window.of(place), this.#baseline.of(place))
        this.#factorsOf.set(place, byBucket)
      }
      this.#factors[row] = byBucket.get(bucketOf(attribution.ownNs[row]!)) ?? 1
    }
    return this.#factors
  }
}

/** bucket of `now` → by what its times are to be multiplied to become those of `usual` at the same quantile. */
function factorsBetween(now: Histogram | undefined, usual: Histogram | undefined): ReadonlyMap<number, number> {
  const factors = new Map<number, number>()
  if (!now || !usual) return factors
  let below = 0
  for (const [i, bucket] of now.buckets.entries()) {
    const middle = bucketMiddle(bucket)
    const quantile = (below + now.counts[i]! / 2) / now.count
    if (middle > 0) factors.set(bucket, usual.atQuantile(quantile) / middle)
    below += now.counts[i]!
  }
  return factors
}
