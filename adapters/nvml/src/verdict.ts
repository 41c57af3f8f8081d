import type { NvmlSample } from './telemetry.js'

/** What became of a locked clock. `idle`: a GPU without work may rest below it, so nothing can be said. */
export type LockVerdict =
  | { readonly state: 'honoured' | 'idle' | 'unknown' }
  | { readonly state: 'not honoured'; readonly message: string }

const IDLE_REASONS = ['idle', 'application clocks', 'display clocks'] as const

/**
 * Whether the measured clock is the locked one.
 * @param stepMhz  between two supported clocks: one step off is rounding
 */
export function judgeLock(
  lockedMhz: number,
  stepMhz: number,
  { clockMhz, throttleReasons, powerWatts, powerLimitWatts, utilisation01 }: NvmlSample,
): LockVerdict {
  if (clockMhz === undefined) return { state: 'unknown' }
  if (Math.abs(clockMhz - lockedMhz) <= stepMhz) return { state: 'honoured' }
  const asked = `${lockedMhz} MHz was accepted, but the clock is ${clockMhz} MHz`
  if (clockMhz > lockedMhz)
    return { state: 'not honoured', message: `${asked}: the driver ignores the lock (another program may hold it too)` }
  const limits = (throttleReasons ?? []).filter((reason) => !IDLE_REASONS.some((idle) => idle === reason))
  if (limits.length === 0 && (throttleReasons?.includes('idle') || utilisation01 === 0)) return { state: 'idle' }
  const watts =
    limits.includes('power cap') && powerWatts !== undefined && powerLimitWatts !== undefined
      ? ` (${powerWatts.toFixed(0)} of ${powerLimitWatts.toFixed(0)} W)`
      : ''
  const why = limits.length > 0 ? `held down by ${limits.join(', ')}${watts}` : 'the driver gives no reason'
  return { state: 'not honoured', message: `${asked}: ${why}` }
}
