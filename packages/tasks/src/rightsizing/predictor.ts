import { ConfigError, type Core } from '@trimtab/core'
import type { RuntimeTable } from './runtime-table.js'

/** A measured runtime of a workload that the predictor has not seen. */
export interface Sample {
  /** Index in the table's configurations. */
  readonly configuration: number
  readonly seconds: number
  /** As the table's counters; NaN where not counted. [K] */
  readonly counters: Float64Array
}

/** Runtimes of one workload on C configurations. */
export interface Prediction {
  /** Of every configuration, the measured ones as well. [C] */
  readonly seconds: Float64Array
  /** How unsure the predictor is of ln seconds, up to a factor that calibration finds. All 1 where it has no idea. [C] */
  readonly deviation: Float64Array
  /** Which of several predictors said it. */
  readonly by?: string
}

/** Tells the runtimes of a new workload on all configurations from a few measured ones. */
export interface Predictor {
  /**
   * @param samples  one or more, each of another configuration
   * @throws {ConfigError} `samples_invalid`
   */
  predict(samples: readonly Sample[]): Prediction
  /** Releases what it holds of the core's memory. */
  dispose(): void
}

/**
 * Learns from the workloads of a table. Same table and seed, same predictor.
 * @throws {ConfigError} `table_invalid`
 */
export type FitPredictor = (core: Core, training: RuntimeTable, seed: number) => Predictor

/** A predictor of log runtimes that holds nothing. `predict` fills `logs` and may fill `deviation`, which is all 1. */
export function logPredictor(
  core: Core,
  { configurations }: RuntimeTable,
  predict: (samples: readonly LogSample[], logs: Float64Array, deviation: Float64Array) => void,
): Predictor {
  return {
    predict(samples) {
      checkSamples(samples, configurations.length)
      const seconds = new Float64Array(configurations.length)
      const deviation = new Float64Array(configurations.length).fill(1)
      predict(
        samples.map((sample) => ({ configuration: sample.configuration, log: core.math.log(sample.seconds) })),
        seconds,
        deviation,
      )
      for (let c = 0; c < seconds.length; c++) seconds[c] = core.math.exp(seconds[c]!)
      return { seconds, deviation }
    },
    dispose() {},
  }
}

export interface LogSample {
  readonly configuration: number
  /** ln seconds. */
  readonly log: number
}

/** @throws {ConfigError} `samples_invalid` */
export function checkSamples(samples: readonly Sample[], configurations: number): void {
  const bad = samples.find(
    ({ configuration: c, seconds }) =>
      !(Number.isInteger(c) && c >= 0 && c < configurations && seconds > 0 && seconds < Infinity),
  )
  const isTwice = new Set(samples.map(({ configuration }) => configuration)).size < samples.length
  if (samples.length > 0 && !bad && !isTwice) return
  throw new ConfigError(
    'samples_invalid',
    samples.length === 0
      ? 'a prediction needs a measured runtime, got none'
      : bad
        ? `a sample needs a configuration below ${configurations} and seconds > 0, got ${bad.configuration} and ${bad.seconds}`
        : 'a configuration was given twice: average its runtimes first',
  )
}
