// Prometheus' text format 0.0.4: metrics with labels, and their rendering.

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

type Labels = Readonly<Record<string, string>>

export interface Sample {
  readonly suffix?: string
  readonly labels: Labels
  readonly value: number
}

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  samples(): Iterable<Sample>
}

/** A number that only grows, one for each set of labels. */
export class Counter implements Metric {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  readonly #values = new Map<string, { readonly labels: Labels; value: number }>()

  /** @param labels  sets that are there from the start, at 0: a rate needs a first value */
  constructor(name: string, help: string, labels: readonly Labels[] = []) {
    this.name = name
    this.help = help
    for (const each of labels) this.add(0, each)
  }

  add(amount: number, labels: Labels = {}): void {
    const key = Object.values(labels).join('\0')
    const found = this.#values.get(key)
    if (found) found.value += amount
    else this.#values.set(key, { labels, value: amount })
  }

  /** Drops the series with this label. */
  forget(label: string, value: string): void {
    forgetSeries(this.#values, label, value)
  }

  samples(): Iterable<Sample> {
    return this.#values.values()
  }
}

/** Numbers that somebody else keeps, read when they are asked for. */
export class Reading implements Metric {
  readonly type: Metric['type']
  readonly name: string
  readonly help: string
  readonly #read: () => number | Iterable<Sample>

  constructor(type: Metric['type'], name: string, help: string, read: () => number | Iterable<Sample>) {
    this.type = type
    this.name = name
    this.help = help
    this.#read = read
  }

  samples(): Iterable<Sample> {
    const value = this.#read()
    return typeof value === 'number' ? [{ labels: {}, value }] : value
  }
}

interface Distribution {
  readonly labels: Labels
  readonly counts: Float64Array
  sum: number
}

/** How many values fell at or below each bound. */
export class Histogram implements Metric {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly #bounds: readonly number[]
  readonly #distributions = new Map<string, Distribution>()

  /** @param bounds  ascending, without infinity; `labels` as for `Counter` */
  constructor(name: string, help: string, bounds: readonly number[], labels: readonly Labels[] = [{}]) {
    this.name = name
    this.help = help
    this.#bounds = bounds
    for (const each of labels) this.#of(each)
  }

  observe(value: number, labels: Labels = {}): void {
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

  *samples(): Iterable<Sample> {
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

  #of(labels: Labels): Distribution {
    const key = Object.values(labels).join('\0')
    let found = this.#distributions.get(key)
    if (!found) {
      found = { labels, counts: new Float64Array(this.#bounds.length + 1), sum: 0 }
      this.#distributions.set(key, found)
    }
    return found
  }
}

function forgetSeries(series: Map<string, { readonly labels: Labels }>, label: string, value: string): void {
  for (const [key, { labels }] of series) if (labels[label] === value) series.delete(key)
}

/** The page that Prometheus scrapes; `CONTENT_TYPE` is its type. */
export function renderMetrics(metrics: readonly Metric[]): string {
  const lines: string[] = []
  for (const metric of metrics) {
    lines.push(`# HELP ${metric.name} ${escapeHelp(metric.help)}`, `# TYPE ${metric.name} ${metric.type}`)
    for (const { suffix = '', labels, value } of metric.samples())
      lines.push(`${metric.name}${suffix}${renderLabels(labels)} ${renderValue(value)}`)
  }
  return `${lines.join('\n')}\n`
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length > 0 ? `{${pairs.join(',')}}` : ''
}

function renderValue(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
