import type { CoreMath } from '@trimtab/core'
import type { Component } from './component.js'

export type FeatureSetName = 'paper' | 'window' | 'reference'

/** What a classifier looks at. */
export interface FeatureSet {
  readonly names: readonly string[]
  /** Whether components must have been measured against a reference. */
  readonly needsReference: boolean
  /** [names] of a component; undefined where it cannot be judged. */
  of(math: CoreMath, component: Component): number[] | undefined
}

export const FEATURE_SETS: Readonly<Record<FeatureSetName, FeatureSet>> = {
  /** As published: RI and CI. */
  paper: {
    names: ['relativeImportance', 'congestionIntensity'],
    needsReference: false,
    of: (_, { relativeImportance, congestionIntensity }) =>
      congestionIntensity && [relativeImportance.value, congestionIntensity.value],
  },
  window: {
    names: ['relativeImportance', 'logCongestionIntensity', 'varianceShare', 'share'],
    needsReference: false,
    of: ({ log }, { relativeImportance, congestionIntensity, varianceShare, share }) =>
      congestionIntensity && [relativeImportance.value, log(congestionIntensity.value), varianceShare, share],
  },
  reference: {
    names: [
      'relativeImportance',
      'logCongestionIntensity',
      'varianceShare',
      'share',
      'logMedian',
      'logP99',
      'addedShare',
    ],
    needsReference: true,
    of: ({ log }, { relativeImportance, congestionIntensity, varianceShare, share, change }) =>
      congestionIntensity &&
      change && [
        relativeImportance.value,
        log(congestionIntensity.value),
        varianceShare,
        share,
        log(change.median),
        log(change.p99),
        change.addedShare,
      ],
  },
}
