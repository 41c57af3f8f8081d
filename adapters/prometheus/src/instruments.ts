import { ConfigError } from '@trimtab/core'
import type { Metric, MetricLabels, MetricSample } from '@trimtab/core/text'

/** A number that only grows, one for each set of labels. */
export class CounterMetric implements Metric {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  readonly #series = new Map<string, CounterSeries>()

  /** @param labels  sets that are there from the start, at 0: a rate needs a first value */
  constructor(name: string, help: string, labels: readonly MetricLabels[] = []) {
    this.name = checkName(name)
    this.help = help
    for (const each of labels) this.series(each)
  }

  /** Grows a series, which begins at 0. */
  add(amount: number, labels: MetricLabels = {}): void {
    this.series(labels).add(amount)
  }

  /** The series with these labels, which is there from now on: whoever keeps it need not have it looked up. */
  series(labels: MetricLabels): CounterSeries {
    return seriesOf(this.#series, labels, () => new CounterSeries(labels))
  }

  /** Drops the series with this label. Whoever keeps one may add to it: nobody will see it. */
  forget(label: string, value: string): void {
    forgetSeries(this.#series, label, value)
  }

  samples(): Iterable<MetricSample> {
    return this.#series.values()
  }
}

/** A counter with one set of labels. */
export class CounterSeries {
  readonly labels: MetricLabels
  #value = 0

  constructor(labels: MetricLabels) {
    this.labels = labels
  }

  /** So far. */
  get value(): number {
    return this.#value
  }

  /** Grows by an amount ≥ 0. */
  add(amount: number): void {
    this.#value += amount
  }
}

/** Numbers that somebody else keeps, read when they are asked for. */
export class ObservableMetric implements Metric {
  readonly type: Metric['type']
  readonly name: string
  readonly help: string
  readonly #read: () => number | Iterable<MetricSample>

  constructor(type: Metric['type'], name: string, help: string, read: () => number | Iterable<MetricSample>) {
    this.type = type
    this.name = checkName(name)
    this.help = help
    this.#read = read
  }

  samples(): Iterable<MetricSample> {
    const value = this.#read()
    return typeof value === 'number' ? [{ labels: {}, value }] : value
  }
}

/** How many values fell at or below each bound. */
export class HistogramMetric implements Metric {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, HistogramSeries>()

  /** @param bounds  ascending, without infinity; `labels` as for `CounterMetric` */
  constructor(name: string, help: string, bounds: readonly number[], labels: readonly MetricLabels[] = [{}]) {
    this.name = checkName(name)
    this.help = help
    this.#bounds = bounds
    for (const each of labels) this.series(each)
  }

  /** Takes one value in. */
  observe(value: number, labels: MetricLabels = {}): void {
    this.series(labels).observe(value)
  }

  /** As of a `CounterMetric`. */
  series(labels: MetricLabels): HistogramSeries {
    return seriesOf(this.#series, labels, () => new HistogramSeries(labels, this.#bounds))
  }

  /** Of all values; 0 where there are none. */
  get mean(): number {
    let [sum, count] = [0, 0]
    for (const each of this.#series.values()) {
      sum += each.sum
      count += each.count
    }
    return count > 0 ? sum / count : 0
  }

  /** As of a `CounterMetric`. */
  forget(label: string, value: string): void {
    forgetSeries(this.#series, label, value)
  }

  *samples(): Iterable<MetricSample> {
    for (const each of this.#series.values()) yield* each.samples()
  }
}

/** A histogram with one set of labels. */
export class HistogramSeries {
  readonly labels: MetricLabels
  readonly #bounds: readonly number[]
  readonly #counts: Float64Array
  #sum = 0

  constructor(labels: MetricLabels, bounds: readonly number[]) {
    this.labels = labels
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  /** Of all values. */
  get sum(): number {
    return this.#sum
  }

  /** How many values there were. */
  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  /** Takes one value in. */
  observe(value: number): void {
    let bucket = 0
    while (bucket < this.#bounds.length && !(value <= this.#bounds[bucket]!)) bucket++
    this.#counts[bucket]!++
    this.#sum += value
  }

  /** As a page shows it: buckets, sum and count. */
  *samples(): Iterable<MetricSample> {
    let total = 0
    for (let i = 0; i < this.#counts.length; i++) {
      total += this.#counts[i]!
      const le = i < this.#bounds.length ? String(this.#bounds[i]) : '+Inf'
      yield { suffix: '_bucket', labels: { ...this.labels, le }, value: total }
    }
    yield { suffix: '_sum', labels: this.labels, value: this.#sum }
    yield { suffix: '_count', labels: this.labels, value: total }
  }
}

/** No two sets of labels have the same. */
const keyOf = (labels: MetricLabels): string => JSON.stringify(Object.values(labels))

function seriesOf<Series>(all: Map<string, Series>, labels: MetricLabels, create: () => Series): Series {
  const key = keyOf(labels)
  let found = all.get(key)
  if (!found) {
    found = create()
    all.set(key, found)
  }
  return found
}

function forgetSeries(series: Map<string, { readonly labels: MetricLabels }>, label: string, value: string): void {
  for (const [key, { labels }] of series) if (labels[label] === value) series.delete(key)
}

/** @throws {ConfigError} `metric_name_invalid` */
function checkName(name: string): string {
  if (/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) return name
  throw new ConfigError(
    'metric_name_invalid',
    `a metric's name is of letters, digits and _, got ${JSON.stringify(name)}`,
  )
}
