import { ConfigError, Problems, Random, RffSvm } from '@trimtab/core'
import type { TraceCore } from '@trimtab/core/trace'
import { type ClassifierFile, readClassifierFile, stateOf, tensorsOf, writeClassifierFile } from './classifier-file.js'
import { distributionOf, driftOf, type FeatureDistribution, type FeatureDrift } from './drift.js'
import { FEATURE_SETS, type FeatureSetName } from './features.js'
import { fitCalibration, probabilityOf } from './platt.js'
import { type OperatingPoint, pointAt, rocCurve } from './roc.js'
import type { ClassifierCalibration, ClassifierOptions, LabelledComponent, Verdict } from './types.js'

type Numbers = ArrayLike<number>

/**
 * The incremental SVM of FIRM's extractor: which components of a window are to blame, learned from labelled windows.
 *
 * Learns in batches for as long as it lives; `calibrate` turns its decision value into a probability and picks the threshold
 * for a wished false-positive rate, on components that it did not learn from. Same seed and same batches, same bits.
 *
 * Source: dissertation 3.2.3, Algorithm 3.2 (`SVM.classify(RI, CI)`).
 */
export class CriticalComponentClassifier {
  readonly features: FeatureSetName
  /** What it was taught with, in words; goes into its file. */
  trainedOn = ''
  readonly #core: TraceCore
  readonly #options: Required<Omit<ClassifierOptions, 'features'>>
  readonly #svm: RffSvm
  readonly #random: Random
  #calibration: ClassifierCalibration | undefined
  #distributions: readonly FeatureDistribution[] = []

  /** @throws {ConfigError} `config_invalid` */
  constructor(core: TraceCore, options: ClassifierOptions = {}) {
    const { features = 'window', seed = 0, randomFeatures = 64, alpha = 1e-4, missCost = 4 } = options
    const problems = new Problems()
    problems.check(
      features in FEATURE_SETS,
      `features must be one of ${Object.keys(FEATURE_SETS).join(', ')}, got ${features}`,
    )
    problems.throwIfAny('CriticalComponentClassifier')
    const inputs = FEATURE_SETS[features].names.length
    const { gamma = 1 / inputs } = options
    this.features = features
    this.#core = core
    this.#options = { seed, randomFeatures, gamma, alpha, missCost }
    this.#svm = new RffSvm(core, {
      inputs,
      features: randomFeatures,
      gamma,
      alpha,
      classWeights: { negative: 1, positive: missCost },
      averageFrom: AVERAGE_FROM,
      seed,
    })
    this.#random = new Random(core, seed, SHUFFLE_STREAM)
  }

  /** Components learned from, each as often as it came. */
  get steps(): number {
    return this.#svm.steps
  }

  /** What turns decisions into probabilities and sets the threshold; `undefined` before `calibrate`. */
  get calibration(): ClassifierCalibration | undefined {
    return this.#calibration
  }

  /**
   * Learns from a batch, `epochs` times in an order of its own each time. What was calibrated stays as it is: calibrate again
   * when much was learned.
   * @throws {ConfigError} `size_mismatch`, `value_invalid`, `weight_invalid`; nothing was learned
   */
  learn(components: readonly LabelledComponent[], epochs = 1): void {
    const inputs = FEATURE_SETS[this.features].names.length
    const x = new Float64Array(components.length * inputs)
    const labels = new Float64Array(components.length)
    const weights = new Float64Array(components.length)
    for (const { features } of components) requireFeatures(features, inputs)
    for (let epoch = 0; epoch < epochs; epoch++) {
      for (const [i, component] of this.#shuffled(components).entries()) {
        x.set(component.features, i * inputs)
        labels[i] = component.isCritical ? 1 : -1
        weights[i] = component.weight ?? 1
      }
      this.#svm.partialFit(x, labels, weights)
    }
  }

  /**
   * Fits probabilities and picks the threshold, on components it has not learned from.
   *
   * @param falsePositiveRate  how many of the healthy components may be called critical, 0 … 1; FIRM's is 0.12 … 0.16
   * @throws {ConfigError} `labels_one_sided` (needs critical and healthy ones)
   */
  calibrate(heldOut: readonly LabelledComponent[], falsePositiveRate = 0.14): ClassifierCalibration {
    const judged = heldOut.map(({ features, isCritical, weight }) => ({
      score: this.#svm.decision(features),
      isPositive: isCritical,
      weight,
    }))
    const roc = rocCurve(judged)
    const calibration = {
      ...fitCalibration(this.#core, judged),
      operatingPoint: pointAt(roc, falsePositiveRate),
      roc: thinned(roc),
      components: heldOut.length,
      critical: heldOut.filter(({ isCritical }) => isCritical).length,
    }
    this.#calibration = calibration
    this.#distributions = FEATURE_SETS[this.features].names.map((_, f) =>
      distributionOf(heldOut.map(({ features }) => features[f]!)),
    )
    return calibration
  }

  /**
   * Moves the threshold for another wished false-positive rate, along the curve that calibration found.
   * @throws {ConfigError} `not_calibrated`
   */
  operateAt(falsePositiveRate: number): OperatingPoint {
    if (!this.#calibration) {
      throw new ConfigError(
        'not_calibrated',
        'a threshold for a false-positive rate needs calibrate() on held-out components',
      )
    }
    const operatingPoint = pointAt(this.#calibration.roc, falsePositiveRate)
    this.#calibration = { ...this.#calibration, operatingPoint }
    return operatingPoint
  }

  /**
   * @param features  [F]
   * @throws {ConfigError} `size_mismatch`, `value_invalid`
   */
  decide(features: Numbers): Verdict {
    const decision = this.#svm.decision(features)
    const calibration = this.#calibration
    return {
      decision,
      probability: calibration && probabilityOf(this.#core, calibration, decision),
      isCritical: decision >= (calibration?.operatingPoint.threshold ?? 0),
    }
  }

  /**
   * Compares components seen in use with those it was calibrated on, feature by feature: where it answers for `isDrifted`, its
   * rates no longer hold. Empty before calibration or without components.
   */
  drift(seen: readonly Numbers[]): FeatureDrift[] {
    if (seen.length === 0) return []
    const { names } = FEATURE_SETS[this.features]
    return this.#distributions.map((then, f) =>
      driftOf(
        this.#core,
        names[f]!,
        then,
        seen.map((row) => row[f]!),
      ),
    )
  }

  /** What it looks at, what taught it and how it did where it had not learned, in a sentence. */
  describe(): string {
    const { names } = FEATURE_SETS[this.features]
    const taught = this.trainedOn === '' ? `${this.steps} examples` : this.trainedOn
    const what = `SVM of ${names.join(', ')}, taught with ${taught}`
    if (!this.#calibration) return `${what}; not calibrated`
    const { operatingPoint, components, critical } = this.#calibration
    const percent = (rate: number): string => `${(100 * rate).toFixed(1)} %`
    const { truePositiveRate, falsePositiveRate } = operatingPoint
    return `${what}; of ${components} components it had not seen it found ${percent(truePositiveRate)} of the ${critical} critical ones and ${percent(falsePositiveRate)} of the others`
  }

  /** JSON text: everything an exact resume needs. */
  save(): string {
    return writeClassifierFile({
      features: this.features,
      names: FEATURE_SETS[this.features].names,
      trainedOn: this.trainedOn,
      options: this.#options,
      svm: stateOf(this.#svm.save()),
      shuffle: [...this.#random.save()],
      calibration: this.#calibration ?? null,
      distributions: this.#distributions,
    })
  }

  /**
   * A classifier from what `save` gave.
   * @throws {FormatError} `classifier_foreign`, `classifier_version`, `classifier_damaged`
   */
  static load(core: TraceCore, text: string): CriticalComponentClassifier {
    const file: ClassifierFile = readClassifierFile(text)
    const classifier = new CriticalComponentClassifier(core, { ...file.options, features: file.features })
    try {
      classifier.#svm.load(tensorsOf(file.svm, classifier.#svm.save()))
      classifier.#random.load(Uint8Array.from(file.shuffle))
    } catch (error) {
      classifier.dispose()
      throw error
    }
    classifier.trainedOn = file.trainedOn
    classifier.#calibration = file.calibration ?? undefined
    classifier.#distributions = file.distributions
    return classifier
  }

  /** Frees its memory in the core; it must not be used afterwards. May be called twice. */
  dispose(): void {
    this.#svm.dispose()
    this.#random.dispose()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #shuffled<T>(items: readonly T[]): T[] {
    const shuffled = [...items]
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = this.#random.integer(i + 1)
      const item = shuffled[i]!
      shuffled[i] = shuffled[j]!
      shuffled[j] = item
    }
    return shuffled
  }
}

const SHUFFLE_STREAM = 1
const AVERAGE_FROM = 1000 // the first steps of the optimal rate are larger than all that follow

function requireFeatures(features: Numbers, inputs: number): void {
  if (features.length !== inputs)
    throw new ConfigError('size_mismatch', `features must hold ${inputs} numbers, got ${features.length}`)
}

/** Points that differ: in what they find by a fiftieth, in false alarms by a tenth of them. The ends stay. */
function thinned(roc: readonly OperatingPoint[]): OperatingPoint[] {
  const kept = [roc[0]!]
  for (const point of roc.slice(1, -1)) {
    const { truePositiveRate, falsePositiveRate } = kept.at(-1)!
    const found = point.truePositiveRate - truePositiveRate
    const alarms = point.falsePositiveRate - falsePositiveRate
    if (found >= 0.02 || alarms >= 0.002 + 0.1 * falsePositiveRate) kept.push(point)
  }
  return [...kept, roc.at(-1)!]
}
