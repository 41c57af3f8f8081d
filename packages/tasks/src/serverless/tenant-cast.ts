import type { Random } from '@trimtab/core'
import type { FunctionProfile } from './function-profile.js'
import type { ServerlessSpec } from './platform-spec.js'

/** Streams of an episode's seed: what is drawn for its cast, and when requests come. */
export const CAST_STREAM = 1
export const ARRIVALS_STREAM = 2

/** Who plays in an episode: the function that each tenant runs, its load and the stretch of it. N: tenants. */
export class TenantCast {
  /** [N] */
  readonly functions: FunctionProfile[] = []
  readonly #spec: ServerlessSpec
  readonly #profiles: ReadonlyMap<string, FunctionProfile>
  readonly #loads: ReadonlyMap<string, { readonly rates: Float64Array; readonly mean: number }>
  // What was drawn: a moment in [0, 1), the same for all, then each tenant's choices.
  readonly #choices: Float64Array
  readonly #rates: Float64Array[] = []
  readonly #first: number[] = []
  readonly #scale: number[] = []

  constructor(spec: ServerlessSpec) {
    this.#spec = spec
    this.#profiles = new Map(spec.functions.map((one) => [one.name, one]))
    this.#loads = new Map(
      Object.entries(spec.loads).map(([name, numbers]) => {
        const rates = Float64Array.from(numbers)
        return [name, { rates, mean: rates.reduce((sum, rate) => sum + rate, 0) / rates.length }]
      }),
    )
    this.#choices = new Float64Array(1 + 2 * spec.tenants.length)
    this.load(this.#choices)
  }

  draw(random: Random): void {
    this.#choices[0] = random.uniform()
    for (const [i, { functions, loads }] of this.#spec.tenants.entries()) {
      this.#choices[1 + 2 * i] = random.integer(functions.length)
      this.#choices[2 + 2 * i] = random.integer(loads.length)
    }
    this.load(this.#choices)
  }

  /** Requests a second of tenant `i` on average in a step; 0 behind the load's end. */
  rateAt(i: number, step: number): number {
    return this.#scale[i]! * (this.#rates[i]![this.#first[i]! + step] ?? 0)
  }

  /** Requests of tenant `i` in a step. */
  arrivalsAt(i: number, step: number, random: Random): number {
    const { arrivals, stepSeconds } = this.#spec
    const mean = this.rateAt(i, step) * stepSeconds
    return arrivals === 'exact' ? Math.round(mean) : random.poisson(mean)
  }

  save(): Float64Array {
    return this.#choices.slice()
  }

  isPossible(choices: Float64Array): boolean {
    const isIndex = (value: number, count: number): boolean => Number.isInteger(value) && value >= 0 && value < count
    return (
      choices.length === this.#choices.length &&
      choices[0]! >= 0 &&
      choices[0]! < 1 &&
      this.#spec.tenants.every(
        ({ functions, loads }, i) =>
          isIndex(choices[1 + 2 * i]!, functions.length) && isIndex(choices[2 + 2 * i]!, loads.length),
      )
    )
  }

  /** Takes choices that are possible. */
  load(choices: Float64Array): void {
    this.#choices.set(choices)
    for (const [i, { functions, loads, meanCores }] of this.#spec.tenants.entries()) {
      const profile = this.#profiles.get(functions[choices[1 + 2 * i]!]!)!
      const { rates, mean } = this.#loads.get(loads[choices[2 + 2 * i]!]!)!
      this.functions[i] = profile
      this.#rates[i] = rates
      this.#first[i] = Math.floor(choices[0]! * (rates.length - this.#spec.episodeSteps))
      this.#scale[i] = meanCores === undefined ? 1 : mean === 0 ? 0 : meanCores / (mean * profile.workSeconds)
    }
  }
}
