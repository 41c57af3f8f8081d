import type { Space } from '@trimtab/core'
import { LEVELS } from './processors.js'

/** Table A.4: instructions per second and core (logarithm, 0.1 … 10 billion), use, frequency as a share of the range, SLO ratios. */
export const FREQUENCY_OBSERVATION: Space = {
  names: ['logIpsPerCore', 'cpuUtilisation', 'frequency', 'latencyPreservation', 'throughputPreservation'],
  low: Float64Array.of(-1, 0, 0, 0, 0),
  high: Float64Array.of(1, 1, 1, 1, 1),
  kind: 'box',
}

/** One of the processor's frequencies, nominal first, turbo last. */
export const FREQUENCY_ACTION: Space = {
  names: ['frequencyLevel'],
  low: Float64Array.of(0),
  high: Float64Array.of(LEVELS - 1),
  kind: 'discrete',
}
