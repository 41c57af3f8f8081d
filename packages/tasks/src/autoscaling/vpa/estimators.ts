import { ConfigError, type CoreMath } from '@trimtab/core'
import { MAX_AMOUNT, scaleAmount, toAmount } from './amounts.js'

const SECONDS_PER_MINUTE = 60

/** How long and how densely something was watched. */
export interface SampleHistory {
  readonly firstSampleSeconds: number
  readonly lastSampleSeconds: number
  readonly samples: number
}

/** `amount` plus a safety margin; both are cut to whole amounts. */
export function withMargin(amount: number, marginFraction: number): number {
  return amount + scaleAmount(amount, marginFraction)
}

/** `amount`, or the minimum where that is more. */
export function withMinimum(amount: number, minimum: number): number {
  return Math.max(amount, minimum)
}

/** Intervals of history, at one sample a minute: the shorter of its span and its number of samples. 0: none. */
export function confidence(history: SampleHistory, intervalSeconds: number): number {
  if (history.samples === 0) return 0
  const span = (history.lastSampleSeconds - history.firstSampleSeconds) / intervalSeconds
  return Math.min(span, history.samples / (intervalSeconds / SECONDS_PER_MINUTE))
}

/**
 * Widens an estimate while there is little history: `amount · (1 + multiplier / confidence)^exponent`.
 * Without any history an upper bound is unbounded and a lower bound is 0.
 */
export function withConfidence(
  math: CoreMath,
  amount: number,
  confidence: number,
  multiplier: number,
  exponent: number,
): number {
  if (confidence === 0) return exponent > 0 ? MAX_AMOUNT : 0
  return scaleAmount(amount, math.pow(1 + multiplier / confidence, exponent))
}

/** What a pod gets at least, shared by its containers. */
export function podMinimum(
  containers: number,
  podMinCpuMilli: number,
  podMinMemoryMiB: number,
): { readonly cpuMilli: number; readonly memoryBytes: number } {
  const share = 1 / containers
  return {
    cpuMilli: scaleAmount(toAmount(podMinCpuMilli), share),
    memoryBytes: scaleAmount(toAmount(podMinMemoryMiB * 1024 * 1024), share),
  }
}

/**
 * `amount` rounded up to a multiple of `scale`.
 * @throws {ConfigError} `rounding_scale_invalid`
 */
export function roundUpTo(amount: number, scale: number): number {
  if (!(scale > 0)) throw new ConfigError('rounding_scale_invalid', `a rounding scale must be > 0, got ${scale}`)
  return Math.ceil(amount / scale) * scale
}
