export { CriticalComponentClassifier } from './classifier.js'
export { type Component, type ComponentChange, measureComponents } from './component.js'
export {
  type CriticalComponent,
  type CriticalComponentOptions,
  type CriticalComponents,
  criticalComponents,
} from './critical-components.js'
export type { FeatureDrift } from './drift.js'
export type { CongestionIntensity, Estimate } from './estimate.js'
export { FEATURE_SETS, type FeatureSet, type FeatureSetName } from './features.js'
export { areaUnder, type Judged, type OperatingPoint, pointAt, rocCurve } from './roc.js'
export type { ClassifierCalibration, ClassifierOptions, LabelledComponent, Verdict } from './types.js'
