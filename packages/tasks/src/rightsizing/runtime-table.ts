import { ConfigError } from '@trimtab/core'

/** What a workload was run on: one value a dimension, `''` where a dimension does not apply (another cloud's family). */
export interface Configuration {
  /** `memory_mb=512`, `provider=C nodes=3`: the dimensions that apply. */
  readonly name: string
  readonly settings: readonly string[]
  /** Price of a second, USD (or the unit of the table's cost); NaN when the table says nothing of it. */
  readonly usdPerSecond: number
}

/** What was measured of one workload. C: configurations, K: counters. */
export interface MeasuredWorkload {
  readonly name: string
  /** Workloads of one group are alike: never one in training and another in a test. The name, unless said otherwise. */
  readonly group: string
  /** Mean runtime by configuration, seconds; NaN where it was not measured. [C] */
  readonly seconds: Float64Array
  /** What was counted beside the runtime, `counters[c·K + k]`; NaN where it was not. [C, K] */
  readonly counters: Float64Array
}

/** Measurements workload × configuration → runtime. Configurations and workloads stand in the order of their first row. */
export interface RuntimeTable {
  readonly name: string
  /** What a configuration consists of. */
  readonly dimensions: readonly string[]
  readonly configurations: readonly Configuration[]
  /** Names of the counters. */
  readonly counters: readonly string[]
  readonly workloads: readonly MeasuredWorkload[]
  /** Rows that were left out, and rows that were averaged with another one of their cell. */
  readonly rows: {
    readonly used: number
    readonly failed: number
    readonly unmeasured: number
    readonly repeated: number
  }
}

/** One row: a run that succeeded. */
export interface Measurement {
  readonly workload: string
  readonly group?: string
  readonly settings: readonly string[]
  readonly seconds: number
  /** USD of the run; NaN where it is not known. */
  readonly usd: number
  readonly counters: readonly number[]
}

/** A sum and how many terms it has. */
class Mean {
  #sum = 0
  #count = 0

  add(value: number): void {
    if (Number.isNaN(value)) return
    this.#sum += value
    this.#count++
  }

  /** NaN when nothing was added. */
  get value(): number {
    return this.#sum / this.#count
  }

  get count(): number {
    return this.#count
  }
}

/** Collects measurements; repeats of a cell are averaged. */
export class RuntimeTableBuilder {
  readonly #dimensions: readonly string[]
  readonly #counters: readonly string[]
  readonly #configurations = new Map<string, { readonly settings: readonly string[]; readonly usdPerSecond: Mean }>()
  readonly #workloads = new Map<string, { readonly group: string; readonly cells: Map<string, Mean[]> }>()
  #used = 0

  constructor(dimensions: readonly string[], counters: readonly string[] = []) {
    this.#dimensions = dimensions
    this.#counters = counters
  }

  /** Takes one run; runs of the same workload on the same configuration are averaged. */
  add({ workload, group = workload, settings, seconds, usd, counters }: Measurement): void {
    this.#used++
    const key = JSON.stringify(settings)
    const configuration = this.#configurations.get(key) ?? { settings, usdPerSecond: new Mean() }
    this.#configurations.set(key, configuration)
    configuration.usdPerSecond.add(usd / seconds)
    const row = this.#workloads.get(workload) ?? { group, cells: new Map<string, Mean[]>() }
    this.#workloads.set(workload, row)
    const cell = row.cells.get(key) ?? Array.from({ length: 1 + this.#counters.length }, () => new Mean())
    row.cells.set(key, cell)
    cell[0]!.add(seconds)
    for (const [k, value] of counters.entries()) cell[k + 1]!.add(value)
  }

  /**
   * @param left  rows that were not added
   * @param priceOf  USD a second of a configuration of which no run has a cost
   * @throws {ConfigError} `table_invalid` when nothing was added
   */
  build(
    name: string,
    left: { readonly failed: number; readonly unmeasured: number } = { failed: 0, unmeasured: 0 },
    priceOf: (settings: readonly string[]) => number = () => Number.NaN,
  ): RuntimeTable {
    if (this.#used === 0)
      throw new ConfigError(
        'table_invalid',
        `${name} has no row that can be used: ${left.failed} runs failed, ${left.unmeasured} have no runtime`,
      )
    const keys = [...this.#configurations.keys()]
    const width = this.#counters.length
    const configurations = [...this.#configurations.values()].map(({ settings, usdPerSecond }) => ({
      name: this.#nameOf(settings),
      settings,
      usdPerSecond: usdPerSecond.count > 0 ? usdPerSecond.value : priceOf(settings),
    }))
    let cells = 0
    const workloads = [...this.#workloads].map(([workload, row]): MeasuredWorkload => {
      const seconds = new Float64Array(keys.length).fill(Number.NaN)
      const counters = new Float64Array(keys.length * width).fill(Number.NaN)
      for (const [c, key] of keys.entries()) {
        const cell = row.cells.get(key)
        if (!cell) continue
        cells++
        seconds[c] = cell[0]!.value
        for (let k = 0; k < width; k++) counters[c * width + k] = cell[k + 1]!.value
      }
      return { name: workload, group: row.group, seconds, counters }
    })
    return {
      name,
      dimensions: this.#dimensions,
      configurations,
      counters: this.#counters,
      workloads,
      rows: { used: this.#used, ...left, repeated: this.#used - cells },
    }
  }

  #nameOf(settings: readonly string[]): string {
    const parts = settings.flatMap((value, d) => (value === '' ? [] : [`${this.#dimensions[d]}=${value}`]))
    return parts.join(' ') || 'the only one'
  }
}

/** The table with other workloads in place of its own. */
export const withWorkloads = (table: RuntimeTable, workloads: readonly MeasuredWorkload[]): RuntimeTable => ({
  ...table,
  workloads,
})

/** Configurations on which a workload was measured. */
export const measuredOn = ({ seconds }: MeasuredWorkload): number[] =>
  Array.from(seconds.keys()).filter((c) => !Number.isNaN(seconds[c]!))
