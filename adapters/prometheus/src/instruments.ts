import { ConfigError } from '@trimtab/core'
import type { Metric, MetricLabels, MetricSample } from '@trimtab/core/text'

/** A number that only grows, one for each set of labels. */
export class CounterMetric implements Metric {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  readonly #values = new Map<string, { readonly labels: MetricLabels; value: number }>()

  /** @param labels  sets that are there from the start, at 0: a rate needs a first value */
  constructor(name: string, help: string, labels: readonly MetricLabels[] = []) {
    this.name = checkName(name)
    this.help = help
    for (const each of labels) this.add(0, each)
  }

  /** Grows a series, which begins at 0. */
  add(amount: number, labels: MetricLabels = {}): void {
    const key = keyOf(labels)
    const found = this.#values.get(key)
    if (found) found.value += amount
    else this.#values.set(key, { labels, value: amount })
  }

  /** Drops the series with this label. */
  forget(label: string, value: string): void {
    forgetSeries(this.#values, label, value)
  }

  samples(): Iterable<MetricSample> {
    return this.#values.values()
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

interface Distribution {
  readonly labels: MetricLabels
  readonly counts: Float64Array
  sum: number
}

/** How many values fell at or below each bound. */
export class HistogramMetric implements Metric {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly #bounds: readonly number[]
  readonly #distributions = new Map<string, Distribution>()

  /** @param bounds  ascending, without infinity; `labels` as for `CounterMetric` */
  constructor(name: string, help: string, bounds: readonly number[], labels: readonly MetricLabels[] = [{}]) {
    this.name = checkName(name)
    this.help = help
    this.#bounds = bounds
    for (const each of labels) this.#of(each)
  }

  /** Takes one value in. */
  observe(value: number, labels: MetricLabels = {}): void {
    const distribution = this.#of(labels)
    const found = this.#bounds.findIndex((bound) => value <= bound)
    distribution.counts[found === -1 ? this.#bounds.length : found]!++
    distribution.sum += value
  }

  /** Of all values; 0 where there are none. */
  get mean(): number {
    let [sum, count] = [0, 0]
    for (const each of this.#distributions.values()) {
      sum += each.sum
      for (const inBucket of each.counts) count += inBucket
    }
    return count > 0 ? sum / count : 0
  }

  /** Drops the series with this label. */
  forget(label: string, value: string): void {
    forgetSeries(this.#distributions, label, value)
  }

  *samples(): Iterable<MetricSample> {
    for (const { labels, counts, sum } of this.#distributions.values()) {
      let total = 0
      for (let i = 0; i < counts.length; i++) {
        total += counts[i]!
        const le = i < this.#bounds.length ? String(this.#bounds[i]) : '+Inf'
        yield { suffix: '_bucket', labels: { ...labels, le }, value: total }
      }
      yield { suffix: '_sum', labels, value: sum }
      yield { suffix: '_count', labels, value: total }
    }
  }

  #of(labels: MetricLabels): Distribution {
    const key = keyOf(labels)
    let found = this.#distributions.get(key)
    if (!found) {
      found = { labels, counts: new Float64Array(this.#bounds.length + 1), sum: 0 }
      this.#distributions.set(key, found)
    }
    return found
  }
}

/** No two sets of labels have the same. */
const keyOf = (labels: MetricLabels): string => JSON.stringify(Object.values(labels))

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
