import { doubleTensor, FormatError, type Tensor } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'
import type { FeatureDistribution } from './drift.js'
import { FEATURE_SETS, type FeatureSetName } from './features.js'
import type { OperatingPoint } from './roc.js'
import type { ClassifierCalibration, ClassifierOptions } from './types.js'

const FORMAT = 'trimtab-critical-components'
const VERSION = 1

/** Arrays of an `RffSvm` that its seed does not draw. */
const STATE = ['count', 'steps', 'intercepts', 'mean', 'variance', 'weights', 'averagedWeights'] as const

type SvmState = Readonly<Record<(typeof STATE)[number], readonly number[]>>

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
  const file = parse(text)
  if (file.format !== FORMAT) {
    throw new FormatError(
      'classifier_foreign',
      `a saved classifier says "format": "${FORMAT}", got ${String(file.format)}`,
    )
  }
  if (file.version !== VERSION) {
    throw new FormatError(
      'classifier_version',
      `this classifier has version ${String(file.version)}, this package reads ${VERSION}; use the version that wrote it`,
    )
  }
  const { features, names, options, svm, shuffle, calibration, distributions, trainedOn } = file
  const known = FEATURE_SETS[features as FeatureSetName]
  if (!known) throw damaged(`its features "${String(features)}" are none of ${Object.keys(FEATURE_SETS).join(', ')}`)
  if (known.names.join() !== String(names))
    throw damaged(`its ${String(features)} features are ${String(names)}, here ${known.names.join()}: train it again`)
  const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null
  if (!isRecord(options) || !Object.values(options as object).every(Number.isFinite)) throw damaged('its options')
  if (!isRecord(svm) || !STATE.every((name) => isNumbers((svm as SvmState)[name]))) throw damaged('its weights')
  if (!isNumbers(shuffle) || !Array.isArray(distributions) || typeof trainedOn !== 'string') throw damaged('its parts')
  return {
    ...(file as unknown as ClassifierFile),
    calibration: calibration === null ? null : calibrationOf(calibration),
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

function parse(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new FormatError('classifier_damaged', 'a saved classifier is a JSON text, this is none', { cause })
  }
  if (typeof value !== 'object' || value === null) throw damaged('it holds no object')
  return value as Record<string, unknown>
}

const isNumbers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every(Number.isFinite)

function calibrationOf(value: unknown): ClassifierCalibration {
  const { slope, offset, operatingPoint, roc, components, critical } = (value ?? {}) as ClassifierCalibration
  if (!isNumbers([slope, offset, components, critical]) || !Array.isArray(roc)) throw damaged('its calibration')
  return { slope, offset, operatingPoint: pointOf(operatingPoint), roc: roc.map(pointOf), components, critical }
}

function pointOf(triple: unknown): OperatingPoint {
  const [threshold, truePositiveRate, falsePositiveRate] = Array.isArray(triple) ? triple : []
  if (!isNumbers([threshold ?? 0, truePositiveRate, falsePositiveRate])) throw damaged('a point of its curve')
  return { threshold: threshold ?? Number.POSITIVE_INFINITY, truePositiveRate, falsePositiveRate }
}

const damaged = (what: string): FormatError =>
  new FormatError('classifier_damaged', `this classifier cannot be used: ${what}`)
