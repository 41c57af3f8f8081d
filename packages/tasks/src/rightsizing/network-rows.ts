// What a network is given of a workload: numbers of its samples, of a configuration to predict, and what comes back.
import type { Core } from '@trimtab/core'
import { type ConfigurationFeatures, encodeConfigurations, padConfigurations, spreadOf } from './features.js'
import type { Sample } from './predictor.js'
import type { RuntimeTable } from './runtime-table.js'

/** `log`: logarithms, predictions relative to the first sample. `seconds`: runtimes as
 * they were measured, inputs standardised, as the papers do. */
export type NetworkScale = 'log' | 'seconds'

/**
 * Turns samples and configurations into rows.
 *
 * A row is [first sample | further samples | configuration to predict]; a sample is [its configuration, its runtime, its
 * counters]. A labelled step, of which an embedding is made, is [configuration, runtime, counters] as well.
 */
export class NetworkRows {
  readonly #core: Core
  readonly #isLog: boolean
  readonly #features: ConfigurationFeatures
  readonly #level: { readonly mean: number; readonly deviation: number }
  readonly #counters: readonly { readonly mean: number; readonly deviation: number }[]

  /** @param training  sets the scales */
  constructor(core: Core, training: RuntimeTable, scale: NetworkScale) {
    this.#core = core
    this.#isLog = scale === 'log'
    this.#features = this.#isLog ? encodeConfigurations(core, training) : padConfigurations(training)
    const measured = training.workloads.flatMap(({ seconds }) => [...seconds].filter((value) => !Number.isNaN(value)))
    this.#level = spreadOf(this.#isLog ? measured.map((value) => core.math.log(value)) : measured)
    this.#counters = training.counters.map((_, k) =>
      spreadOf(
        training.workloads.flatMap(({ counters }) =>
          training.configurations.map((_, c) => this.#counter(counters[c * training.counters.length + k]!)),
        ),
      ),
    )
  }

  /** Numbers of one sample. */
  get sampleSize(): number {
    return this.#features.width + 1 + this.#counters.length
  }

  /** Numbers of a row with so many samples. */
  rowSize(bases: number): number {
    return bases * this.sampleSize + this.#features.width
  }

  /**
   * @param bases   the samples that stand in the row
   * @param target  configuration to predict
   * @param at      where the row starts in `x`
   */
  writeRow(bases: readonly Sample[], target: number, x: Float32Array, at: number): void {
    let to = at
    for (const [i, base] of bases.entries()) to = this.#writeSample(base, i === 0 ? undefined : bases[0], x, to)
    this.#writeConfiguration(target, x, to)
  }

  /** A labelled sample as a step of a context; its runtime relative to `first`, whose own is its level. */
  writeStep(sample: Sample, first: Sample, steps: Float32Array, at: number): void {
    this.#writeSample(sample, sample === first ? undefined : first, steps, at)
  }

  /** What the network should say of a runtime. */
  goalOf(seconds: number, first: Sample): number {
    return this.#isLog ? this.#core.math.log(seconds / first.seconds) : seconds
  }

  /** The runtime that the network means; never below a thousandth of the first sample's. */
  secondsOf(output: number, first: Sample): number {
    return Math.max(1e-3 * first.seconds, this.#isLog ? first.seconds * this.#core.math.exp(output) : output)
  }

  #writeSample(sample: Sample, first: Sample | undefined, x: Float32Array, at: number): number {
    let to = this.#writeConfiguration(sample.configuration, x, at)
    x[to++] = this.#runtime(sample, first)
    for (const [k, { mean, deviation }] of this.#counters.entries()) {
      const value = this.#counter(sample.counters[k]!)
      x[to++] = Number.isNaN(value) ? 0 : (value - mean) / deviation
    }
    return to
  }

  #runtime({ seconds }: Sample, first: Sample | undefined): number {
    const { mean, deviation } = this.#level
    if (!this.#isLog) return (seconds - mean) / deviation
    const { math } = this.#core
    return first ? math.log(seconds / first.seconds) : (math.log(seconds) - mean) / deviation
  }

  #counter(value: number): number {
    return this.#isLog ? this.#core.math.log(1 + Math.max(0, value)) : value
  }

  #writeConfiguration(configuration: number, x: Float32Array, at: number): number {
    const { width, values } = this.#features
    x.set(values.subarray(configuration * width, (configuration + 1) * width), at)
    return at + width
  }
}
