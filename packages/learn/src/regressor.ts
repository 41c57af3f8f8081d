import { type Bytes, ConfigError, type Core, Problems, TensorReader } from '@trimtab/core'
import {
  COUNT,
  isCount,
  type RegressionLoss,
  RegressorKernel,
  type RegressorReport,
  type RowGroups,
} from '@trimtab/core/internal'
import { ObservationNormaliser } from './normaliser.js'
import { KERNEL_PREFIX, kernelTensors } from './policy.js'
import { checkPurpose, type PolicyHeader, readPolicyFile, writePolicyFile } from './policy-file.js'

/** Net, loss and optimiser of a regressor, and how its columns are scaled. */
export interface RegressorOptions {
  /** Hidden layers, ReLU; outputs are linear. */
  readonly hidden: readonly number[]
  /** `mse`, `l1`, `mape`, `huber`, or `log-mape` where outputs and goals are logarithms. */
  readonly loss: RegressionLoss
  readonly learningRate: number
  /** Rows per step; the last batch of an epoch is as small as it comes. */
  readonly batchSize: number
  /** Passes over the rows per `fit`, where it names none. */
  readonly epochs: number
  /** Coupled L2 as in PyTorch (λ·w on weights and biases); Keras's `l2(λ)` is twice that, on weights, beside a MAPE in percent. */
  readonly weightDecay: number
  /** Gradient norm above which gradients are scaled down; 0 is off. */
  readonly maxGradientNorm: number
  /** Share of hidden outputs dropped while learning. */
  readonly dropout: number
  /** Brings each feature to mean 0 and deviation 1, cut at ±10 deviations, by the rows of the first `fit`. */
  readonly standardise: boolean
  /** Columns of a context (an embedding) behind the features, not standardised. */
  readonly contextSize: number
  /** Most groups of rows in one step of `learn`, each with a context of its own. */
  readonly maxGroups: number
}

/** What a regressor is without options. */
export const regressorDefaults: RegressorOptions = {
  hidden: [64, 64],
  loss: 'mse',
  learningRate: 1e-3,
  batchSize: 32,
  epochs: 200,
  weightDecay: 0,
  maxGradientNorm: 0,
  dropout: 0,
  standardise: true,
  contextSize: 0,
  maxGroups: 1,
}

/** Columns, options and name of a regressor. */
export interface RegressorSetup {
  /** Names of the columns of x, in their order. */
  readonly features: readonly string[]
  /** Names of the columns of y. Default one, `y`. */
  readonly outputs?: readonly string[]
  /** What differs from `regressorDefaults`. */
  readonly options?: Partial<RegressorOptions>
  readonly seed: number
  /** Whose model this is; a file of another task is refused. Default `regression`. */
  readonly task?: string
  /** Free text for the file: what was measured, and where. */
  readonly trainingData?: string
}

/** How long a fit goes on, and what it is judged by. */
export interface FitOptions {
  /** Default: that of the options. */
  readonly epochs?: number
  /** Rows that are not learned from: the weights of the epoch with the lowest loss on them are kept. */
  readonly validation?: { readonly x: Float32Array; readonly y: Float32Array }
  /** Stop after so many epochs without a lower validation loss. Default: never. */
  readonly patience?: number
}

/** How a fit went, epoch by epoch. */
export interface FitReport {
  /** Mean loss of each epoch while it was learned, NaN where every step was given up. */
  readonly losses: Float64Array
  /** After each epoch, as served; empty without validation rows. */
  readonly validationLosses: Float64Array
  /** Epochs behind the weights that were kept. */
  readonly keptEpochs: number
}

/**
 * Makes a regressor that knows nothing yet; `load` continues a saved one.
 *
 * @throws {ConfigError} `config_invalid` with every problem of the setup at once
 * @example
 * const regressor = createRegressor(core, { features: ['memoryMb'], outputs: ['durationMs'], seed: 1 })
 * regressor.fit(x, y)
 * regressor.predict(x) // [n]
 */
export function createRegressor(core: Core, setup: RegressorSetup): Regressor {
  const options: RegressorOptions = { ...regressorDefaults, ...setup.options }
  const outputs = setup.outputs ?? ['y']
  const problems = new Problems()
  problems.checkKeys(setup, ['features', 'outputs', 'options', 'seed', 'task', 'trainingData'], 'setup')
  problems.checkKeys(setup.options ?? {}, Object.keys(regressorDefaults), 'options')
  problems.check(setup.features.length > 0, 'features must name at least one column')
  problems.check(outputs.length > 0, 'outputs must name at least one column')
  problems.check(isCount(options.epochs), `epochs must be ${COUNT}, got ${options.epochs}`)
  problems.throwIfAny('regressor')
  const unbounded = (names: readonly string[]): PolicyHeader['observation'] => ({
    names,
    low: new Float64Array(names.length).fill(-Infinity),
    high: new Float64Array(names.length).fill(Infinity),
    kind: 'box',
  })
  return new Regressor(core, options, {
    algorithm: 'regressor',
    task: setup.task ?? 'regression',
    preset: options.loss,
    observation: unbounded(setup.features),
    action: unbounded(outputs),
    hidden: options.hidden,
    normalised: options.standardise,
    seed: setup.seed,
    trainingData: setup.trainingData ?? '',
  })
}

/**
 * A regression network: fit by Adam on mini-batches in random order, every epoch one call into the core.
 *
 * The same seed and the same calls give the same bytes on every host. F: features, O: outputs, Z: context, n: rows; row-major.
 */
export class Regressor {
  readonly options: RegressorOptions
  readonly #kernel: RegressorKernel
  readonly #normaliser: ObservationNormaliser | undefined
  #header: PolicyHeader

  /** Use `createRegressor`, which checks what it is given. */
  constructor(core: Core, options: RegressorOptions, header: PolicyHeader) {
    const featureSize = header.observation.names.length
    this.options = options
    this.#header = header
    this.#kernel = new RegressorKernel(core, {
      ...options,
      featureSize,
      outputSize: header.action.names.length,
      seed: header.seed,
    })
    this.#normaliser = options.standardise ? new ObservationNormaliser(core, featureSize, 1) : undefined
  }

  /** What the file's header says. */
  get header(): PolicyHeader {
    return this.#header
  }

  /**
   * Learns y [n, O] of x [n, F]; again and again if called again. With `standardise` the first rows ever seen set the scale.
   *
   * With validation rows the weights of the best epoch stay, and `patience` ends the fit early.
   * @throws {ConfigError} `size_mismatch`, `rows_empty`, `not_finite`, `config_invalid`; nothing changed
   */
  fit(x: Float32Array, y: Float32Array, options: FitOptions = {}): FitReport {
    const problems = new Problems()
    problems.checkKeys(options, ['epochs', 'validation', 'patience'], 'options')
    problems.throwIfAny('fit')
    const { epochs = this.options.epochs, validation, patience = Infinity } = options
    if (!isCount(epochs)) throw new ConfigError('config_invalid', `epochs must be ${COUNT}, got ${epochs}`)
    if (!(patience > 0)) throw new ConfigError('config_invalid', `patience must be > 0 epochs, got ${patience}`)
    this.#kernel.requireTable(x, y)
    if (validation) this.#kernel.requireTable(validation.x, validation.y)
    this.calibrate(x)
    const features = this.standardised(x)
    if (!validation) {
      return {
        losses: this.#kernel.fit(features, y, epochs),
        validationLosses: new Float64Array(0),
        keptEpochs: epochs,
      }
    }
    return this.#fitValidated(features, y, this.standardised(validation.x), validation.y, epochs, patience)
  }

  #fitValidated(
    x: Float32Array,
    y: Float32Array,
    unseenX: Float32Array,
    unseenY: Float32Array,
    epochs: number,
    patience: number,
  ): FitReport {
    const losses: number[] = []
    const validationLosses: number[] = []
    let best = Infinity
    let kept = { epochs: 0, parameters: this.#kernel.parameters() }
    while (losses.length < epochs && losses.length - kept.epochs < patience) {
      losses.push(this.#kernel.fit(x, y)[0]!)
      const loss = this.#kernel.evaluate(unseenX, unseenY)
      validationLosses.push(loss)
      if (loss < best) {
        best = loss
        kept = { epochs: losses.length, parameters: this.#kernel.parameters() }
      }
    }
    this.#kernel.setParameters(kept.parameters)
    return {
      losses: Float64Array.from(losses),
      validationLosses: Float64Array.from(validationLosses),
      keptEpochs: kept.epochs,
    }
  }

  /**
   * One step on x [n, F], y [n, O], row i with the context of group `groupOf[i]`; with an encoder it steps too, both or none. The
   * supervised form of FLASH's meta learning (dissertation 5.4.3): groups are ⟨application, environment⟩ pairs.
   * @throws {ConfigError} as `RegressorKernel.learn`; nothing changed
   */
  learn(x: Float32Array, y: Float32Array, groups?: RowGroups): void {
    this.#kernel.learn(this.standardised(x), y, groups)
  }

  /** [n, O] for x [n, F], in `out` where given. A NaN in x comes out as NaN. @throws {ConfigError} `size_mismatch` */
  predict(x: Float32Array, out?: Float32Array): Float32Array {
    const rows = x.length / this.#header.observation.names.length
    const predictions = out ?? new Float32Array(Math.ceil(rows) * this.#header.action.names.length)
    this.#kernel.predict(this.standardised(x), predictions)
    return predictions
  }

  /** Mean loss on x [n, F], y [n, O] as served. @throws {ConfigError} `size_mismatch`, `rows_empty` */
  evaluate(x: Float32Array, y: Float32Array): number {
    return this.#kernel.evaluate(this.standardised(x), y)
  }

  /** From now on the context [Z] of every row; zeros, the null context, at creation. Not saved. */
  setContext(context: Float32Array): void {
    this.#kernel.setContext(context)
  }

  /**
   * Sets the scale of the features by x [n, F], once: later calls change nothing. `fit` does it by itself.
   * @throws {ConfigError} `size_mismatch`, `not_finite`
   */
  calibrate(x: Float32Array): void {
    if (this.#normaliser?.isCalibrated === false) {
      this.#normaliser.update(x, x.length / this.#header.observation.names.length)
    }
  }

  /** x [n, F] as the network sees it. */
  standardised(x: Float32Array): Float32Array {
    if (!this.#normaliser) return x
    const width = this.#header.observation.names.length
    const out = new Float32Array(x.length)
    for (let at = 0; at + width <= x.length; at += width) {
      this.#normaliser.normalise(x.subarray(at, at + width), out.subarray(at, at + width))
    }
    return out
  }

  /** What the last step did. */
  report(): RegressorReport {
    return this.#kernel.report()
  }

  /** From the next step on. @throws {ConfigError} `config_invalid` */
  setLearningRate(rate: number): void {
    this.#kernel.learningRate = rate
  }

  /** Everything as a safetensors file: weights, moments, randomness, scales. A regressor of the same setup goes on from it to the bit. */
  save(): Uint8Array {
    return writePolicyFile(this.#header, [
      ...this.#kernel.save().map((tensor) => ({ ...tensor, name: KERNEL_PREFIX + tensor.name })),
      ...(this.#normaliser?.save() ?? []),
    ])
  }

  /**
   * Continues a saved regressor. The file is judged whole first: if it is refused, this one is as it was.
   * @throws {FormatError} those of `readPolicyFile` and `checkPurpose`; `tensor_missing`, `tensor_mismatch`, `normaliser_invalid`
   */
  load(bytes: Bytes): void {
    const { header, tensors } = readPolicyFile(bytes)
    checkPurpose(header, this.#header)
    const restoreNormaliser = this.#normaliser?.load(new TensorReader(tensors))
    this.#kernel.load(kernelTensors(tensors)) // the last that may refuse
    restoreNormaliser?.()
    this.#header = { ...this.#header, seed: header.seed, trainingData: header.trainingData }
  }

  /** May be called twice. */
  dispose(): void {
    this.#kernel.dispose()
    this.#normaliser?.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}
