import type { Space } from '@trimtab/core'
import { RESOURCES } from '../resources.js'
import type { InstanceTelemetry } from '../telemetry.js'

const MAX_CHANGE = 4
const LEVELS = 11 // of each request type's share: tenths

/** FIRM's state of a culprit (table 3.2): SM, WC, RC and RU of the five resources. */
export const CULPRIT_OBSERVATION: Space = {
  names: ['sloMaintenance', 'workloadChange', 'requestComposition', ...RESOURCES.map((name) => `${name}Utilisation`)],
  low: new Float64Array(8),
  high: new Float64Array(8).fill(1),
  kind: 'box',
}

/** What an estimator sees of an instance. */
export interface CulpritView {
  readonly now: InstanceTelemetry
  /** The window before; absent for one that is new. */
  readonly before: InstanceTelemetry | undefined
  /** p99 over SLO of the requests that it made late; 1 without traffic. */
  readonly p99OverSlo: number
}

/**
 * Fills `out` [8], all in [0, 1]: SLO/p99; arrivals over those of the window before, 4 times is 1; the mix of requests as one
 * number (`numpy.ravel_multi_index` of tenths, over its largest); utilisations.
 */
export function encodeCulprit({ now, before, p99OverSlo }: CulpritView, out: Float32Array): void {
  const change = now.arrivals / Math.max(1, before?.arrivals ?? now.arrivals)
  let [index, size] = [0, 1]
  for (const share of now.mix) {
    index = LEVELS * index + Math.round((LEVELS - 1) * share)
    size *= LEVELS
  }
  out[0] = Math.min(1, 1 / Math.max(p99OverSlo, 1e-6))
  out[1] = Math.min(MAX_CHANGE, change) / MAX_CHANGE
  out[2] = index / (size - 1)
  for (const [r, resource] of RESOURCES.entries()) out[3 + r] = now.utilisation01[resource]
}
