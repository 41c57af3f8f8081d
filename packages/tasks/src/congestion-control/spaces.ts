import type { Space } from '@trimtab/core'

/** Monitor intervals that the state remembers, oldest first. */
export const HISTORY = 10

/** Latency inflation (seconds a second), latency over the least so far, packets sent over packets acknowledged (A.6). */
export const FEATURES = ['latencyInflation', 'latencyRatio', 'sendRatio'] as const
export const FEATURE_LOW = [-1, 0, 0] as const
/** Clipped here: an overfull queue on a short link would show ratios of hundreds of thousands. */
export const FEATURE_HIGH = [10, 10, 10] as const

const inHistory = (of: (feature: number) => number): Float64Array =>
  Float64Array.from({ length: HISTORY * FEATURES.length }, (_, i) => of(i % FEATURES.length))

/** What an agent sees of a flow: three ratios of each of the last intervals, oldest first (Aurora). */
export const CONGESTION_OBSERVATION: Space = {
  names: Array.from({ length: HISTORY }, (_, i) => FEATURES.map((name) => `${name}${i - HISTORY + 1}`)).flat(),
  low: inHistory((feature) => FEATURE_LOW[feature]!),
  high: inHistory((feature) => FEATURE_HIGH[feature]!),
  kind: 'box',
}

/** Change of the sending rate. Values beyond ±1 change it more; Aurora's policy is free to ask for them. */
export const CONGESTION_ACTION: Space = {
  names: ['rateChange'],
  low: Float64Array.of(-1),
  high: Float64Array.of(1),
  kind: 'box',
}
