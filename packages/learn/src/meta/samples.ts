import { ConfigError } from '@trimtab/core'
import { requireShape } from '../checks.js'

/** Labelled samples of one pair: n of them, drawn together. */
export interface Samples {
  /** [n, F] */
  readonly features: Float32Array
  /** [n, L] */
  readonly labels: Float32Array
}

/** The shapes of a supervised base learner. */
export interface SlShapes {
  /** F */
  readonly features: number
  /** L */
  readonly labels: number
}

export const sampleColumns = ({ features, labels }: SlShapes): number => features + labels

/**
 * Samples as the encoder reads them: rows [x, y] [n, F + L].
 * @throws {ConfigError} `size_mismatch`, `not_finite`, `config_invalid` (none)
 */
export function toSampleRows({ features, labels }: Samples, shapes: SlShapes): Float32Array {
  const F = shapes.features
  const L = shapes.labels
  const n = labels.length / L
  if (n === 0) throw new ConfigError('config_invalid', 'a set of samples needs at least one, got none')
  requireShape('labels', labels, Math.floor(n), L)
  requireShape('features', features, n, F)
  const rows = new Float32Array(n * (F + L))
  for (let i = 0; i < n; i++) {
    rows.set(features.subarray(i * F, (i + 1) * F), i * (F + L))
    rows.set(labels.subarray(i * L, (i + 1) * L), i * (F + L) + F)
  }
  return rows
}
