import { doubleTensor, FormatError, type Tensor } from '@trimtab/core'
import { copyBytes, JsonFields } from '@trimtab/core/internal'
import { BINS, type FeatureDistribution } from './drift.js'
import { FEATURE_SETS, type FeatureSetName } from './features.js'
import type { OperatingPoint } from './roc.js'
import type { ClassifierCalibration, ClassifierOptions } from './types.js'

const FORMAT = 'trimtab-critical-components'
const VERSION = 1

/** Arrays of an `RffSvm` that its seed does not draw. */
const STATE = ['count', 'steps', 'intercepts', 'mean', 'variance', 'weights', 'averagedWeights'] as const

type SvmState = Readonly<Record<(typeof STATE)[number], readonly number[]>>

/** How many numbers each has. */
const lengthsOf = (inputs: number, randomFeatures: number): Readonly<Record<keyof SvmState, number>> => ({
  ...{ count: 1, steps: 1, intercepts: 2, mean: inputs, variance: inputs },
  ...{ weights: randomFeatures, averagedWeights: randomFeatures },
})

/** What a file of a classifier holds beside its format and version. */
export interface ClassifierFile {
  readonly features: FeatureSetName
  /** Of the features, in order: a later version may know others by the set's name. */
  readonly names: readonly string[]
  readonly trainedOn: string
  readonly options: Required<Omit<ClassifierOptions, 'features'>>
  readonly svm: SvmState
  /** Of the stream that shuffles. */
  readonly shuffle: readonly number[]
  readonly calibration: ClassifierCalibration | null
  readonly distributions: readonly FeatureDistribution[]
}

/** Points of a curve are written as [threshold, true-positive rate, false-positive rate]; Infinity, which JSON lacks, as null. */
export function writeClassifierFile(file: ClassifierFile): string {
  const triple = (point: OperatingPoint): number[] => [point.threshold, point.truePositiveRate, point.falsePositiveRate]
  const { calibration } = file
  const written = calibration && {
    ...calibration,
    operatingPoint: triple(calibration.operatingPoint),
    roc: calibration.roc.map(triple),
  }
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...file, calibration: written })}\n`
}

/** @throws {FormatError} `classifier_foreign`, `classifier_version`, `classifier_damaged` */
export function readClassifierFile(text: string): ClassifierFile {
  const file = JsonFields.parse(text, damaged)
  const format = file.has('format') ? file.text('format') : 'none'
  if (format !== FORMAT)
    throw new FormatError('classifier_foreign', `a saved classifier says "format": "${FORMAT}", got ${format}`)
  const version = file.number('version')
  if (version !== VERSION) {
    throw new FormatError(
      'classifier_version',
      `this classifier has version ${version}, this package reads ${VERSION}; use the version that wrote it`,
    )
  }
  const features = file.choice('features', Object.keys(FEATURE_SETS) as FeatureSetName[])
  const [names, known] = [file.texts('names'), FEATURE_SETS[features].names]
  if (known.join() !== names.join())
    throw damaged(`its ${features} features are ${names.join()}, here ${known.join()}: train it again`)
  const [svm, options] = [file.object('svm'), file.object('options')]
  const lengths = lengthsOf(names.length, options.integer('randomFeatures', 1))
  return {
    features,
    names,
    trainedOn: file.text('trainedOn'),
    options: Object.fromEntries(options.keys().map((key) => [key, options.number(key)])) as ClassifierFile['options'],
    svm: Object.fromEntries(STATE.map((name) => [name, svm.numbers(name, lengths[name])])) as SvmState,
    shuffle: file.numbers('shuffle'),
    calibration: file.has('calibration') ? calibrationOf(file.object('calibration')) : null,
    distributions: file.objects('distributions').map(distributionOf),
  }
}

/** @param tensors  of `RffSvm.save()` */
export function stateOf(tensors: readonly Tensor[]): SvmState {
  const numbers = (name: string): number[] => {
    const { bytes } = tensors.find((tensor) => tensor.name === name)!
    return [...new Float64Array(copyBytes(bytes).buffer)]
  }
  return Object.fromEntries(STATE.map((name) => [name, numbers(name)])) as unknown as SvmState
}

/** What `RffSvm.load()` takes: the state, and the random features of a machine with the same seed. */
export function tensorsOf(state: SvmState, fresh: readonly Tensor[]): Tensor[] {
  const drawn = fresh.filter(({ name }) => !(STATE as readonly string[]).includes(name))
  return [...drawn, ...STATE.map((name) => doubleTensor(name, state[name]))]
}

function calibrationOf(fields: JsonFields): ClassifierCalibration {
  return {
    slope: fields.number('slope'),
    offset: fields.number('offset'),
    operatingPoint: pointOf(fields.list('operatingPoint')),
    roc: fields.list('roc').map(pointOf),
    components: fields.integer('components', 0),
    critical: fields.integer('critical', 0),
  }
}

function pointOf(triple: unknown): OperatingPoint {
  const [threshold, truePositiveRate, falsePositiveRate] = Array.isArray(triple) ? triple : []
  if (![threshold ?? 0, truePositiveRate, falsePositiveRate].every(Number.isFinite))
    throw damaged('a point of its curve')
  return { threshold: threshold ?? Number.POSITIVE_INFINITY, truePositiveRate, falsePositiveRate }
}

function distributionOf(fields: JsonFields): FeatureDistribution {
  const edges = fields.numbers('edges')
  if (edges.length >= BINS || edges.some((edge, i) => i > 0 && !(edge > edges[i - 1]!)))
    throw damaged(`a distribution needs fewer than ${BINS} edges, each above the one before`)
  return { edges, shares: fields.numbers('shares', edges.length + 1), count: fields.integer('count', 1) }
}

const damaged = (what: string): FormatError =>
  new FormatError('classifier_damaged', `this classifier cannot be used: ${what}`)
