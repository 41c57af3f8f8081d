import type { CoreMath } from '@trimtab/core'
import type { Component } from './component.js'

/**
 * `paper`: RI and CI as published; `window`: what one window shows; `reference`: against a healthy one, which has to be there.
 */
export type FeatureSetName = 'paper' | 'window' | 'reference'

/** What a classifier looks at. */
export interface FeatureSet {
  readonly names: readonly string[]
  /** Whether components must have been measured against a reference. */
  readonly needsReference: boolean
  /** [names] of a component; undefined where it cannot be judged. */
  of(math: CoreMath, component: Component): number[] | undefined
}

const SMALL = { share: 0.001, tail: 0.01 } // of a latency: less is no difference

/**
 * What a classifier can look at, by name. Every feature is a number per component; logarithms are of the core's own math.
 */
export const FEATURE_SETS: Readonly<Record<FeatureSetName, FeatureSet>> = {
  /** As published: RI and CI. */
  paper: {
    names: ['relativeImportance', 'congestionIntensity'],
    needsReference: false,
    of: (_, { relativeImportance, congestionIntensity }) =>
      congestionIntensity && [relativeImportance.value, congestionIntensity.value],
  },
  /**
   * RI and CI with what they leave out: how much of the latency it is, and what it is to the endpoint that depends on it most
   * (in a window of several kinds of requests, which of them came decides the latency before any service does).
   */
  window: {
    names: ['endpointImportance', 'logCongestionIntensity', 'endpointVarianceShare', 'logTailPart', 'logShare'],
    needsReference: false,
    of: ({ log }, { inEndpoint, congestionIntensity, share }) =>
      congestionIntensity && [
        inEndpoint.relativeImportance,
        log(congestionIntensity.value),
        inEndpoint.varianceShare,
        log(SMALL.tail + inEndpoint.tailPart),
        log(SMALL.share + share),
      ],
  },
  /**
   * RI and CI with what changed. A component that is slow all through the window has no larger CI than before: 33 times the
   * median and 33 times the tail is the same ratio.
   */
  reference: {
    names: ['relativeImportance', 'logCongestionIntensity', 'logMedianGrowth', 'logP99Growth', 'logAddedTail'],
    needsReference: true,
    of: ({ log }, { relativeImportance, congestionIntensity, change }) =>
      congestionIntensity &&
      change && [
        relativeImportance.value,
        log(congestionIntensity.value),
        log(change.median),
        log(change.p99),
        log(SMALL.tail + change.addedTail),
      ],
  },
}
