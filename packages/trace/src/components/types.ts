import type { FeatureSetName } from './features.js'
import type { Calibration } from './platt.js'
import type { OperatingPoint } from './roc.js'

/** A component of a window whose truth is known: F features, and whether it was at fault. */
export interface LabelledComponent {
  /** [F] as the classifier's feature set makes them. */
  readonly features: ArrayLike<number>
  readonly isCritical: boolean
  /**
   * How much to believe the label, ≥ 0. Default 1. Targets of an injection whose intensity was next to nothing look healthy and
   * are: give them the intensity, or 0.
   */
  readonly weight?: number | undefined
}

/** How a classifier of components is made and taught. */
export interface ClassifierOptions {
  /** What it looks at. Default `window`. */
  readonly features?: FeatureSetName | undefined
  /** Default 0. */
  readonly seed?: number | undefined
  /** Default 64: more did not help. */
  readonly randomFeatures?: number | undefined
  /** Of the RBF kernel over standardised features. Default 1 / F. */
  readonly gamma?: number | undefined
  /** L2 penalty. Default 1e-4. */
  readonly alpha?: number | undefined
  /** What missing a critical component costs beside a false alarm. Default 4: they are few. */
  readonly missCost?: number | undefined
}

/** What calibration on held-out components found. */
export interface ClassifierCalibration extends Calibration {
  /** Chosen for the wished false-positive rate. */
  readonly operatingPoint: OperatingPoint
  /** Of the held-out components, weighted. */
  readonly roc: readonly OperatingPoint[]
  /** Held-out components, and those of them that were critical. */
  readonly components: number
  readonly critical: number
}

/** What a classifier says of one component. */
export interface Verdict {
  /** Distance from the border in margins; > 0 on the critical side. */
  readonly decision: number
  /** That the component is critical; undefined before calibration, and from `criticalComponents` without a reference. */
  readonly probability: number | undefined
  /** `decision` reaches the threshold of the operating point; 0 before calibration. */
  readonly isCritical: boolean
}
